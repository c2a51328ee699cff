/** crm_resource and crm_mon on clones, groups and bundles whose members hold what is asked for themselves. */
import type { DebianCall } from './debian-calls.ts'

const changed = ['-p is-managed -v false', '-d is-managed'] as const
const holders = ['h', 'c', 'ci', 'k', 'kg', 'kg1', 'b', 'bi', 'p'] as const

/** 2.1.5 lists what has the name below the resource, whichever it then chooses. */
const listed = 'what else has the name is listed only where nobody can choose'

/** 2.1.5 counts a change for a group that had nothing to delete. */
const isCounted = (holder: string, words: string): boolean => holder === 'h' && words.startsWith('-d')

const named = '3.x leaves the name of the program out'

const lists = (holder: string, options: string): boolean =>
  !/-f|-s p-m1|-i p-b/.test(options) && ['h', 'c', 'ci', 'k', 'kg', 'kg1', 'p'].includes(holder)

export const resourceCalls: readonly DebianCall[] = [
  ...holders.flatMap((holder) =>
    changed.flatMap((words) => [
      {
        call: `crm_resource -r ${holder} -m ${words} --output-as=xml`,
        ...(isCounted(holder, words) ? { differs: listed } : {}),
      },
      { call: `crm_resource -r ${holder} -m ${words}`, ...(lists(holder, words) ? { differs: listed } : {}) },
      { call: `crm_resource -r ${holder} -m ${words} -f` },
    ]),
  ),
  { call: 'crm_resource -r bi -m -p priority -v 3 --output-as=xml' },
  { call: 'crm_resource -r p -m -d is-managed -i p-b' },
  { call: 'crm_resource -r p -p priority -v 4' },
  { call: 'crm_resource -r p -p priority -v 4 -f' },
  { call: 'crm_resource -r p --digests -N n1 state=x CRM_meta_interval=10000' },
  { call: 'crm_resource -r p --digests -N n1 CRM_meta_timeout=1000' },
  { call: 'crm_resource -r p --class ocf --validate' },
  { call: 'crm_resource -r p --option a=b --validate', differs: '3.x has 64 for it' },
  { call: 'crm_resource --class ocf' },
  { call: 'crm_resource --validate --class ocf --provider pacemaker --agent Dummy --option op_sleep=bogus' },
  { call: 'crm_resource -r ci:0 --move -N n1' },
  { call: 'crm_resource -r ci:0 --ban -N n1' },
  { call: 'crm_resource -r ci:0 --clear' },
  { call: 'crm_resource -r p --move -N n1 --promoted' },
  { call: 'crm_resource --clear --expired' },
  { call: 'crm_resource -r p --move --expired' },
  { call: 'crm_resource -O -N none' },
  { call: 'crm_resource -r u -D -t primitive', differs: '3.x has nothing against deleting what is not there' },
  { call: 'crm_resource --list-ocf-alternatives None', differs: named },
  { call: 'crm_resource --list-agents ocf:none', differs: named },
  { call: 'crm_resource --show-metadata ocf:Dummy' },
].map((one) => ({ ...one, cib: 'held.xml' }))
