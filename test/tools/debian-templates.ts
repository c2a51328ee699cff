/** Calls on a cluster with templates, remote nodes in another order than their resources, and a node that has recorded nothing yet. */
import type { DebianCall } from './debian-calls.ts'

const resources = ['own-all', 'own-meta', 'own-none', 'vm']

const calls: readonly string[] = [
  ...resources.flatMap((id) => [`crm_resource -q -r ${id}`, `crm_resource -w -r ${id}`]),
  'crmadmin -N',
  'crmadmin -N cluster',
  'crmadmin -N guest',
  'crmadmin -N remote',
  'crmadmin -N guest,remote -q',
  'crmadmin -N --output-as=xml',
  'crmadmin -N --output-as=bogus',
  'crm_mon --output-as=xml',
  'crm_mon --output-as=xml --node=alpha',
  'crm_mon --output-as=xml --resource=vm',
  'crm_mon -1fo',
]

export const templateCalls: readonly DebianCall[] = calls.map((call) => ({ call, cib: 'templates.xml' }))
