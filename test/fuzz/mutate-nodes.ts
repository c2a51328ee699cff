/** What happens to nodes: they leave, are lost, join, are held back, lose their health. */
import {
  allNamed,
  configurationOf,
  ensureChild,
  nodeStatesOf,
  nodesOf,
  setPair,
  statusOf,
  type Tree,
  tree,
} from './cib-tree.ts'
import type { Mutation } from './mutation.ts'
import type { Random } from './random.ts'

const scoreWords = ['red', 'yellow', 'green', '-20', '5'] as const

/** Sets a transient attribute in a node's state. */
export function setTransient(state: Tree, name: string, value: string): void {
  const attributes = ensureChild(state, 'transient_attributes', { id: state.attributes.id ?? '' })
  setPair(attributes, 'instance_attributes', name, value)
}

const onState =
  (change: (state: Tree, random: Random) => string | undefined) =>
  (cib: Tree, random: Random): string | undefined => {
    const state = random.pick(nodeStatesOf(cib))
    const said = state === undefined ? undefined : change(state, random)
    return said === undefined ? undefined : `${state?.attributes.uname}: ${said}`
  }

const membership =
  (said: string, attributes: Readonly<Record<string, string>>) =>
  (state: Tree): string | undefined => {
    if (state.attributes.remote_node === 'true') return undefined
    Object.assign(state.attributes, attributes)
    return said
  }

const up = { in_ccm: 'true', crmd: 'online', join: 'member', expected: 'member' }
const down = { in_ccm: 'false', crmd: 'offline', join: 'down', expected: 'down' }

export const nodeMutations: readonly Mutation[] = [
  { name: 'node-offline', weight: 6, apply: onState(membership('left cleanly', down)) },
  { name: 'node-lost', weight: 6, apply: onState(membership('is lost', { in_ccm: 'false', crmd: 'offline' })) },
  { name: 'node-online', weight: 3, apply: onState(membership('is online', up)) },
  {
    name: 'node-pending',
    weight: 1,
    apply: onState(membership('is pending', { in_ccm: 'true', crmd: 'online', join: 'down', expected: 'down' })),
  },
  {
    name: 'node-shutdown',
    weight: 2,
    apply: onState((state) => {
      setTransient(state, 'shutdown', '1700000000')
      return 'is shutting down'
    }),
  },
  {
    name: 'node-standby',
    weight: 3,
    apply: onState((state) => {
      setTransient(state, 'standby', 'on')
      return 'standby'
    }),
  },
  {
    name: 'node-maintenance',
    weight: 2,
    apply: onState((state) => {
      setTransient(state, 'maintenance', 'true')
      return 'maintenance'
    }),
  },
  {
    name: 'node-terminate',
    weight: 1,
    apply: onState((state) => {
      setTransient(state, 'terminate', 'true')
      return 'fencing requested'
    }),
  },
  {
    name: 'node-unseen',
    weight: 1,
    apply: (cib, random) => {
      const state = random.pick(nodeStatesOf(cib))
      const section = ensureChild(cib, 'status')
      section.children = section.children.filter((child) => child !== state)
      return state === undefined ? undefined : `${state.attributes.uname}: never seen`
    },
  },
  {
    name: 'node-health',
    weight: 1,
    apply: (cib, random) => {
      const state = random.pick(nodeStatesOf(cib))
      const value = random.pick(scoreWords) ?? 'red'
      if (state === undefined) return undefined
      setTransient(state, '#health-disk', value)
      return `${state.attributes.uname}: #health-disk=${value}`
    },
  },
  {
    name: 'node-utilization',
    weight: 1,
    apply: (cib, random) => {
      const node = random.pick(nodesOf(cib))
      if (node === undefined) return undefined
      const value = String(random.below(4) * 4)
      setPair(node, 'utilization', 'cpu', value)
      return `${node.attributes.uname}: cpu=${value}`
    },
  },
  {
    name: 'node-added',
    weight: 3,
    apply: (cib, random) => {
      const nodes = ensureChild(configurationOf(cib), 'nodes')
      const uname = random.pick(['aa-fuzz', 'zz-fuzz']) ?? 'zz-fuzz'
      if (nodes.children.some(({ attributes }) => attributes.uname === uname)) return undefined
      nodes.children.push(tree('node', { id: `id-${uname}`, uname }))
      const seen = random.below(3) > 0
      if (seen) statusOf(cib).children.push(tree('node_state', { id: `id-${uname}`, uname, ...up }))
      return `${uname} added, ${seen ? 'online' : 'never seen'}`
    },
  },
  {
    name: 'node-attribute',
    weight: 2,
    apply: (cib, random) => {
      const node = random.pick(nodesOf(cib))
      const used = allNamed(cib, 'expression').map(({ attributes }) => attributes.attribute ?? '')
      const [name, value] = random.pick([
        ['standby', 'on'],
        ['standby', 'off'],
        ['maintenance', 'true'],
        ['#health-net', 'yellow'],
        ...used
          .filter((each) => each !== '' && each !== '#uname')
          .map((each) => [each, random.pick(['0', '1', '100', 'true']) ?? '1'] as const),
      ] as const) ?? ['standby', 'on']
      if (node === undefined) return undefined
      setPair(node, 'instance_attributes', name, value)
      return `${node.attributes.uname}: ${name}=${value} permanently`
    },
  },
]
