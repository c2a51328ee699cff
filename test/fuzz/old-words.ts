/** A CIB as it would have been written years ago: a schema 1.x or 2.x, with some of the names that it took. */
import { allNamed, configurationOf, ensureChild, setPair, type Tree } from './cib-tree.ts'
import type { Random } from './random.ts'

const schemas = ['pacemaker-1.2', 'pacemaker-1.3', 'pacemaker-2.3', 'pacemaker-2.10'] as const

const oldOptions = [
  'cluster-recheck-interval',
  'dc-deadtime',
  'no-quorum-policy',
  'startup-fencing',
  'stonith-action',
  'stonith-enabled',
  'stop-orphan-actions',
  'stop-orphan-resources',
  'symmetric-cluster',
] as const

const newDefaults = [
  ['default_action_timeout', ['20s', '1min']],
  ['default-resource-stickiness', ['0', '1', '100', 'INFINITY']],
  ['default_resource_failure_stickiness', ['0', '-1', '-INFINITY']],
  ['is-managed-default', ['true', 'false']],
] as const

const oldRoles: Readonly<Record<string, string>> = { Promoted: 'Master', Unpromoted: 'Slave' }

/** Most of the time something about it is old that the scheduler has to see through; where the schema knows a thing not at all, the reference refuses it. */
export function withOldWords(cib: Tree, random: Random): Tree {
  const old = structuredClone(cib)
  const sometimes = (): boolean => random.below(2) === 0
  old.attributes['validate-with'] = random.pick(schemas) ?? schemas[0]
  delete old.attributes.crm_feature_set
  const configuration = configurationOf(old)
  for (const element of allNamed(
    configuration,
    'op',
    'rsc_location',
    'rsc_order',
    'rsc_colocation',
    'rsc_ticket',
    'rule',
    'resource_set',
    'nvpair',
  ))
    withOldRoles(element)
  // The upgrade of the reference forgets old defaults where a section for them is there and empty.
  for (const defaults of ['rsc_defaults', 'op_defaults'])
    configuration.children = configuration.children.filter(
      (child) => child.name !== defaults || child.children.length > 0,
    )
  const section = ensureChild(configuration, 'crm_config')
  for (const pair of allNamed(section, 'nvpair')) {
    const name = pair.attributes.name?.replace(/^fencing-/, 'stonith-') ?? ''
    pair.attributes.name =
      oldOptions.some((option) => option === name) && sometimes() ? name.replaceAll('-', '_') : name
  }
  for (const [name, values] of newDefaults)
    if (random.below(4) === 0) setPair(section, 'cluster_property_set', name, random.pick<string>(values) ?? '0')
  for (const clone of allNamed(configuration, 'clone')) if (sometimes()) promotableAsMaster(clone)
  for (const resource of allNamed(configuration, 'primitive', 'group', 'clone', 'master'))
    if (random.below(8) === 0)
      setPair(
        resource,
        'meta_attributes',
        random.pick(['resource_failure_stickiness', 'resource-failure-stickiness']) ?? '',
        random.pick(['-INFINITY', '-10', '0']) ?? '0',
      )
  for (const op of allNamed(configuration, 'op'))
    if (/^(start|promote|stop)$/.test(op.attributes.name ?? '') && random.below(3) === 0)
      op.attributes.requires = random.pick(['nothing', 'quorum', 'fencing']) ?? 'quorum'
  for (const order of allNamed(configuration, 'rsc_order')) if (sometimes()) scored(order, random)
  return old
}

function withOldRoles({ attributes }: Tree): void {
  for (const [name, value] of Object.entries(attributes))
    if (/role$|^value$/.test(name)) attributes[name] = oldRoles[value] ?? value
}

/** A promotable clone was an element of its own, with counts of masters. */
function promotableAsMaster(clone: Tree): void {
  const pairs = clone.children.filter(({ name }) => name === 'meta_attributes').flatMap(({ children }) => children)
  const promotable = pairs.find(({ attributes }) => attributes.name === 'promotable')
  if (promotable?.attributes.value !== 'true') return
  clone.name = 'master'
  for (const set of clone.children) set.children = set.children.filter((child) => child !== promotable)
  for (const { attributes } of pairs) attributes.name = attributes.name?.replace(/^promoted-/, 'master-') ?? ''
}

/** An order had a score before it had a kind: above zero it was mandatory. */
function scored(order: Tree, random: Random): void {
  if (order.attributes.kind === 'Serialize') return
  const isOptional = order.attributes.kind === 'Optional'
  delete order.attributes.kind
  order.attributes.score = isOptional ? '0' : (random.pick(['INFINITY', '1', '500']) ?? 'INFINITY')
}
