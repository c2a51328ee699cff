/** What an administrator changes about resources. */
import { allNamed, configurationOf, ensureChild, removeFrom, resourcesOf, setPair, tree } from './cib-tree.ts'
import type { Mutation } from './mutation.ts'

const yesNo = ['true', 'false'] as const

const meta: readonly (readonly [string, readonly string[]])[] = [
  ['target-role', ['Stopped', 'Started', 'Unpromoted', 'Promoted']],
  ['is-managed', yesNo],
  ['maintenance', ['true']],
  ['priority', ['-5', '1', '10', '100']],
  ['resource-stickiness', ['0', '1', '10', '100', 'INFINITY', '-5']],
  ['migration-threshold', ['0', '1', '2', '3', 'INFINITY']],
  ['failure-timeout', ['10s', '0']],
  ['multiple-active', ['stop_start', 'stop_only', 'block', 'stop_unexpected']],
  ['critical', yesNo],
  ['allow-unhealthy-nodes', yesNo],
  ['allow-migrate', yesNo],
  ['requires', ['nothing', 'quorum', 'fencing', 'unfencing']],
]

const cloneMeta: readonly (readonly [string, readonly string[]])[] = [
  ['clone-max', ['0', '1', '2', '3', '5']],
  ['clone-node-max', ['1', '2']],
  ['clone-min', ['1', '2']],
  ['interleave', yesNo],
  ['ordered', yesNo],
  ['notify', yesNo],
  ['globally-unique', yesNo],
  ['promoted-max', ['0', '1', '2', '3']],
  ['promoted-node-max', ['1', '2']],
  ['promotable', yesNo],
]

export const resourceMutations: readonly Mutation[] = [
  {
    name: 'meta',
    weight: 12,
    apply: (cib, random) => {
      const resource = random.pick(resourcesOf(cib))
      const [name, values] = random.pick(meta) ?? ['priority', ['1']]
      if (resource === undefined) return undefined
      const value = random.pick(values) ?? '1'
      setPair(resource, 'meta_attributes', name, value)
      return `${resource.attributes.id}: ${name}=${value}`
    },
  },
  {
    name: 'clone-meta',
    weight: 5,
    apply: (cib, random) => {
      const clone = random.pick(resourcesOf(cib, 'clone', 'master'))
      const [name, values] = random.pick(cloneMeta) ?? ['clone-max', ['1']]
      if (clone === undefined || (clone.name === 'master' && name === 'promotable')) return undefined
      const value = random.pick(values) ?? '1'
      // Since 3.0 several instances on a node make a clone unique by themselves.
      if (name === 'clone-node-max' && value !== '1') setPair(clone, 'meta_attributes', 'globally-unique', 'true')
      setPair(clone, 'meta_attributes', name, value)
      return `${clone.attributes.id}: ${name}=${value}`
    },
  },
  {
    name: 'default-meta',
    weight: 2,
    apply: (cib, random) => {
      const [name, values] = random.pick(meta) ?? ['priority', ['1']]
      const value = random.pick(values) ?? '1'
      const section = ensureChild(configurationOf(cib), 'rsc_defaults')
      setPair(section, 'meta_attributes', name, value)
      return `rsc_defaults: ${name}=${value}`
    },
  },
  {
    name: 'parameter',
    weight: 2,
    apply: (cib, random) => {
      const resource = random.pick(resourcesOf(cib, 'primitive'))
      if (resource === undefined) return undefined
      setPair(resource, 'instance_attributes', 'fuzz', String(random.below(3)))
      return `${resource.attributes.id}: a parameter changed`
    },
  },
  {
    name: 'utilization',
    weight: 2,
    apply: (cib, random) => {
      const resource = random.pick(resourcesOf(cib, 'primitive'))
      if (resource === undefined) return undefined
      const value = String(1 + random.below(6))
      setPair(resource, 'utilization', 'cpu', value)
      return `${resource.attributes.id}: cpu=${value}`
    },
  },
  {
    name: 'operation-option',
    weight: 3,
    apply: (cib, random) => {
      const operation = random.pick(resourcesOf(cib, 'primitive').flatMap((resource) => allNamed(resource, 'op')))
      if (operation === undefined) return undefined
      const [name, values] = random.pick([
        ['on-fail', ['ignore', 'block', 'demote', 'stop', 'restart', 'standby', 'fence']],
        ['on-fail', ['ignore', 'block', 'demote', 'stop', 'restart', 'standby', 'fence']],
        ['enabled', ['false']],
        ['interval', ['7s', '0']],
        ['timeout', ['33s']],
        ['record-pending', ['true']],
      ] as const) ?? ['enabled', ['false']]
      const value = random.pick<string>(values) ?? 'false'
      operation.attributes[name] = value
      return `${operation.attributes.id}: ${name}=${value}`
    },
  },
  {
    name: 'new-operation',
    weight: 2,
    apply: (cib, random) => {
      const resource = random.pick(resourcesOf(cib, 'primitive'))
      if (resource === undefined) return undefined
      const name = random.pick(['start', 'stop', 'promote', 'demote', 'monitor']) ?? 'stop'
      const onFail = random.pick(['ignore', 'block', 'demote', 'stop', 'restart', 'standby', 'fence']) ?? 'block'
      const interval = name === 'monitor' ? '11s' : '0'
      const list = ensureChild(resource, 'operations')
      list.children = list.children.filter(({ attributes }) => attributes.name !== name)
      const id = `${resource.attributes.id}-fuzz-${name}`
      list.children.push(tree('op', { id, name, interval, 'on-fail': onFail }))
      return `${resource.attributes.id}: ${name} on-fail=${onFail}`
    },
  },
  {
    name: 'resource-removed',
    weight: 2,
    apply: (cib, random) => {
      const resource = random.pick(resourcesOf(cib).filter(({ children }) => children.length >= 0))
      if (resource === undefined) return undefined
      removeResource(cib, resource)
      return `${resource.attributes.id} removed`
    },
  },
  {
    name: 'resource-added',
    weight: 2,
    apply: (cib, random) => {
      const section = ensureChild(configurationOf(cib), 'resources')
      const into = random.pick([section, section, ...resourcesOf(cib, 'group')])
      let number = allNamed(section, 'primitive').length
      while (allNamed(section, 'primitive').some(({ attributes }) => attributes.id === `fuzz-rsc-${number}`)) number++
      const id = `fuzz-rsc-${number}`
      const added = tree('primitive', { id, class: 'ocf', provider: 'pacemaker', type: 'Dummy' })
      if (into === undefined) return undefined
      // Members come before the meta-attributes of their group nowhere but at its end or its beginning.
      const last = into.children.findLastIndex(({ name }) => ['primitive', 'group', 'clone'].includes(name))
      into.children.splice(last + 1, 0, added)
      return `${id} added to ${into.attributes.id ?? 'the resources'}`
    },
  },
  {
    name: 'cloned',
    weight: 1,
    apply: (cib, random) => {
      const section = ensureChild(configurationOf(cib), 'resources')
      const original = random.pick(section.children.filter(({ name }) => name === 'primitive' || name === 'group'))
      if (original === undefined || allNamed(cib, 'obj_ref').length > 0) return undefined
      const id = `${original.attributes.id}-fuzz-clone`
      section.children = section.children.map((child) =>
        child === original ? tree('clone', { id }, [original]) : child,
      )
      if (random.below(3) === 0)
        setPair(
          section.children.find((child) => child.attributes.id === id) ?? section,
          'meta_attributes',
          'promotable',
          'true',
        )
      return `${original.attributes.id} cloned`
    },
  },
]

/** With everything that names it, so that what is left is a CIB that could be loaded. */
export function removeResource(cib: Parameters<Mutation['apply']>[0], resource: ReturnType<typeof tree>): void {
  const gone = new Set([resource, ...allNamed(resource, 'primitive', 'group')].map(({ attributes }) => attributes.id))
  const configuration = configurationOf(cib)
  removeFrom(configuration, resource)
  for (const element of allNamed(configuration, 'resource_ref', 'obj_ref'))
    if (gone.has(element.attributes.id)) removeFrom(configuration, element)
  for (const element of allNamed(configuration, 'rsc_location', 'rsc_order', 'rsc_colocation', 'rsc_ticket')) {
    const { rsc, 'with-rsc': withRsc, first, then } = element.attributes
    if ([rsc, withRsc, first, then].some((id) => id !== undefined && gone.has(id))) removeFrom(configuration, element)
  }
  for (const element of allNamed(configuration, 'resource_set', 'tag'))
    if (element.children.length === 0) removeFrom(configuration, element)
  for (const element of allNamed(configuration, 'rsc_order', 'rsc_colocation', 'rsc_ticket', 'rsc_location')) {
    const { rsc, 'rsc-pattern': pattern, first } = element.attributes
    if (rsc === undefined && pattern === undefined && first === undefined && element.children.length === 0)
      removeFrom(configuration, element)
  }
  for (const name of ['group', 'clone', 'master'])
    for (const element of allNamed(configuration, name))
      if (allNamed(element, 'primitive').length === 0) removeFrom(configuration, element)
}
