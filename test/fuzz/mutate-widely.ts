/**
 * Several changes of one kind at once, as an afternoon's work or a bad night makes them: half the nodes go, every operation of a
 * resource fails, all scores turn negative, everything gets a capacity.
 */
import {
  allNamed,
  childNamed,
  configurationOf,
  ensureChild,
  nodeStatesOf,
  nodesOf,
  removeFrom,
  resourcesOf,
  setPair,
  type Tree,
  tree,
} from './cib-tree.ts'
import { constraintMutations } from './mutate-constraints.ts'
import { historyMutations } from './mutate-history.ts'
import { nodeMutations } from './mutate-nodes.ts'
import { optionMutations } from './mutate-options.ts'
import { resourceMutations } from './mutate-resources.ts'
import type { Mutation } from './mutation.ts'
import type { Random } from './random.ts'

const single = [...nodeMutations, ...historyMutations, ...resourceMutations, ...constraintMutations, ...optionMutations]

/** A change made of two to five draws from some of the single ones. */
function several(name: string, ...kinds: readonly string[]): Mutation {
  return {
    name,
    weight: 1,
    apply: (cib, random) => {
      const pool = single.filter((mutation) => kinds.includes(mutation.name))
      const said = Array.from({ length: 2 + random.below(4) }, () => random.pick(pool)?.apply(cib, random))
      return sentence(said.filter((text) => text !== undefined))
    },
  }
}

const sentence = (said: readonly string[]): string | undefined => (said.length === 0 ? undefined : said.join(', '))

/** What is said of each that was changed. */
const each = <T>(items: readonly T[], change: (item: T) => string | undefined): string | undefined =>
  sentence(items.flatMap((item) => change(item) ?? []))

function setOption(cib: Tree, name: string, value: string): string {
  const section = ensureChild(configurationOf(cib), 'crm_config')
  const old = name.replace(/^fencing-/, 'stonith-')
  for (const pair of allNamed(section, 'nvpair'))
    if (pair.attributes.name === name || pair.attributes.name === old) removeFrom(section, pair)
  setPair(section, 'cluster_property_set', name, value)
  return `${name}=${value}`
}

const some = <T>(items: readonly T[], random: Random): readonly T[] => items.filter(() => random.below(2) === 0)

function setMeta(resource: Tree, name: string, value: string): string {
  setPair(resource, 'meta_attributes', name, value)
  return `${resource.attributes.id} ${name}=${value}`
}

/** Metas drawn for about half of the resources of some kinds. */
function metas(
  name: string,
  kinds: readonly string[],
  drawn: readonly (readonly [string, readonly string[]])[],
): Mutation {
  return {
    name,
    weight: 1,
    apply: (cib, random) =>
      each(some(resourcesOf(cib, ...kinds), random), (resource) => {
        const [meta, values] = random.pick(drawn) ?? ['priority', []]
        // Several instances on a node make a clone unique by themselves since 3.0, and a group in it has no place for that.
        if (meta === 'clone-node-max') setPair(resource, 'meta_attributes', 'globally-unique', 'true')
        if (meta === 'promotable' && resource.name === 'master') return undefined
        return setMeta(resource, meta, random.pick(values) ?? '1')
      }),
  }
}

const anyResource = ['primitive', 'group', 'clone', 'master', 'bundle']
const cloneKinds = ['clone', 'master']
const rolesOf = ({ name }: Tree): readonly string[] =>
  ['clone', 'master', 'bundle'].includes(name) ? ['Promoted', 'Unpromoted', 'Started', 'Stopped'] : ['Started']

export const wideMutations: readonly Mutation[] = [
  several('wide-nodes', 'node-offline', 'node-lost', 'node-online', 'node-standby', 'node-shutdown'),
  several('wide-node-attributes', 'node-attribute', 'node-health', 'node-maintenance', 'node-standby'),
  several('wide-failures', 'operation-failed', 'fail-count', 'operation-pending', 'operation-done'),
  several('wide-histories', 'active-elsewhere', 'history-cleared', 'entry-lost', 'migration', 'exit-code-changed'),
  several('wide-locations', 'location', 'score'),
  several('wide-colocations', 'colocation', 'colocation', 'score'),
  several('wide-orders', 'order', 'order-of-roles', 'order-changed'),
  several('wide-sets', 'set', 'set', 'order', 'colocation'),
  several('wide-tickets', 'ticket-constraint', 'ticket'),
  several('wide-promotion', 'promotion-score', 'promotion-score', 'location', 'colocation'),
  several('wide-options', 'option', 'option', 'option', 'quorum', 'date'),
  several('wide-resources', 'resource-added', 'resource-removed', 'cloned', 'parameter'),
  several('wide-on-fail', 'new-operation', 'operation-option', 'operation-failed', 'operation-failed'),
  several('wide-failure-timeout', 'operation-failed', 'operation-failed', 'default-meta', 'date'),
  several('wide-defaults', 'default-meta', 'meta'),
  metas('wide-clone-meta', cloneKinds, [
    ['clone-max', ['0', '1', '2', '7']],
    ['clone-node-max', ['2', '3']],
    ['clone-min', ['1', '2', '3']],
    ['promoted-max', ['0', '1', '2', '3']],
    ['interleave', ['true', 'false']],
    ['ordered', ['true', 'false']],
    ['notify', ['true', 'false']],
    ['promotable', ['true', 'false']],
  ]),
  metas('wide-target-role', anyResource, [
    ['target-role', ['Stopped', 'Started', 'Unpromoted', 'Promoted']],
    ['target-role', ['Stopped']],
    ['is-managed', ['true', 'false']],
    ['maintenance', ['true', 'false']],
  ]),
  metas('wide-stickiness', anyResource, [['resource-stickiness', ['-1', '0', '1', '100', '1000', 'INFINITY']]]),
  metas('wide-priority', anyResource, [['priority', ['-1', '0', '1', '5', '100']]]),
  metas('wide-failure-meta', anyResource, [
    ['migration-threshold', ['1', '2', '3']],
    ['failure-timeout', ['10s', '300s', '5min', '1h', '0']],
    ['multiple-active', ['stop_start', 'stop_only', 'block', 'stop_unexpected']],
    ['critical', ['false']],
    ['requires', ['nothing', 'quorum', 'fencing']],
  ]),
  {
    name: 'wide-operations-failed',
    weight: 2,
    apply: (cib, random) => {
      const operation = single.find(({ name }) => name === 'operation-failed')
      return sentence(
        Array.from({ length: 8 }, () => operation?.apply(cib, random)).filter((text) => text !== undefined),
      )
    },
  },
  {
    name: 'wide-scores',
    weight: 2,
    apply: (cib, random) => {
      const constraints = childNamed(configurationOf(cib), 'constraints') ?? tree('constraints')
      const scored = allNamed(constraints, 'rsc_location', 'rsc_colocation', 'rule').filter(
        ({ attributes }) => attributes.score !== undefined,
      )
      const way = random.pick(['negated', 'halved', 'INFINITY', '-INFINITY', '-1', '1']) ?? '1'
      for (const { attributes } of scored) attributes.score = otherScore(attributes.score ?? '0', way)
      return scored.length === 0 ? undefined : `all scores ${way}`
    },
  },
  {
    name: 'wide-utilization',
    weight: 2,
    apply: (cib, random) => {
      const strategy = random.pick(['utilization', 'minimal', 'balanced']) ?? 'balanced'
      setOption(cib, 'placement-strategy', strategy)
      const kinds = random.below(2) === 0 ? ['cpu'] : ['cpu', 'ram']
      const give = (owner: Tree, most: number): void => {
        for (const kind of kinds) setPair(owner, 'utilization', kind, String(random.below(most)))
      }
      for (const node of nodesOf(cib)) give(node, 12)
      for (const resource of some(resourcesOf(cib, 'primitive'), random)) give(resource, 4)
      return `${kinds.join(' and ')} everywhere, ${strategy}`
    },
  },
  {
    name: 'wide-migration',
    weight: 2,
    apply: (cib, random) => {
      const movable = some(resourcesOf(cib, ...anyResource), random)
      const standby = single.find(({ name }) => name === 'node-standby')
      const order = single.find(({ name }) => name === 'order')
      const said = each(movable, (resource) => setMeta(resource, 'allow-migrate', 'true'))
      const rest = [standby?.apply(cib, random), order?.apply(cib, random), order?.apply(cib, random)]
      return sentence([said, ...rest].filter((text) => text !== undefined))
    },
  },
  {
    name: 'wide-health',
    weight: 2,
    apply: (cib, random) => {
      const strategy = random.pick(['migrate-on-red', 'only-green', 'progressive', 'custom', 'none']) ?? 'none'
      const said = [setOption(cib, 'node-health-strategy', strategy)]
      if (random.below(3) === 0)
        said.push(setOption(cib, 'node-health-base', random.pick(['10', '-10', 'INFINITY']) ?? '0'))
      for (const node of nodesOf(cib)) {
        const value = random.pick(['red', 'yellow', 'green', '-20', '30', 'INFINITY', '-INFINITY']) ?? 'red'
        setPair(node, 'instance_attributes', '#health-fuzz', value)
        said.push(`${node.attributes.uname} ${value}`)
      }
      for (const resource of some(resourcesOf(cib), random))
        if (random.below(4) === 0) said.push(setMeta(resource, 'allow-unhealthy-nodes', 'true'))
      return sentence(said)
    },
  },
  {
    name: 'wide-delay',
    weight: 1,
    apply: (cib, random) => {
      const lost = single.filter(({ name }) => name === 'node-lost')
      const said = [setOption(cib, 'priority-fencing-delay', random.pick(['15s', '1min']) ?? '15s')]
      for (const resource of some(resourcesOf(cib), random))
        said.push(setMeta(resource, 'priority', random.pick(['0', '1', '10', '-3']) ?? '1'))
      for (let left = 1 + random.below(3); left > 0; left--) said.push(random.pick(lost)?.apply(cib, random) ?? '')
      return sentence(said)
    },
  },
  {
    name: 'wide-ranking',
    weight: 2,
    apply: (cib, random) => {
      const constraints = ensureChild(configurationOf(cib), 'constraints')
      const top = childNamed(configurationOf(cib), 'resources')?.children ?? []
      return each(some(top, random), (resource) => {
        const rsc = resource.attributes.id ?? ''
        if (resource.name === 'template') return undefined
        for (const node of some(nodesOf(cib), random)) {
          const uname = node.attributes.uname ?? ''
          const score = random.pick(['-INFINITY', '-100', '0', '10', '100', '200', 'INFINITY']) ?? '0'
          const more: Record<string, string> =
            random.below(6) === 0 ? { 'resource-discovery': random.pick(['never', 'exclusive', 'always']) ?? '' } : {}
          const role: Record<string, string> =
            random.below(5) === 0 ? { role: random.pick(rolesOf(resource)) ?? '' } : {}
          const id = `fuzz-rank-${rsc}-${uname}`
          if (constraints.children.some(({ attributes }) => attributes.id === id)) continue
          constraints.children.push(tree('rsc_location', { id, rsc, node: uname, score, ...role, ...more }))
        }
        return `${rsc} ranked`
      })
    },
  },
  {
    name: 'wide-rule',
    weight: 2,
    apply: (cib, random) => {
      const constraints = ensureChild(configurationOf(cib), 'constraints')
      const top = (childNamed(configurationOf(cib), 'resources')?.children ?? []).filter(
        ({ name }) => name !== 'template',
      )
      for (const state of nodeStatesOf(cib)) {
        const set = ensureChild(state, 'transient_attributes', { id: state.attributes.id ?? '' })
        setPair(set, 'instance_attributes', 'fuzz-ping', random.pick(['0', '100', '200', '1000']) ?? '0')
      }
      return each(some(top, random), (resource) => {
        const rsc = resource.attributes.id ?? ''
        const id = `fuzz-rule-${rsc}`
        if (constraints.children.some(({ attributes }) => attributes.id === id)) return undefined
        const [score, operation, value] = random.pick([
          [{ score: '-INFINITY' }, 'lt', '200'],
          [{ score: '-INFINITY' }, 'not_defined', undefined],
          [{ 'score-attribute': 'fuzz-ping' }, 'defined', undefined],
          [{ score: '100' }, 'gte', '100'],
          [{ score: '-100' }, 'eq', '0'],
        ] as const) ?? [{ score: '1' }, 'defined', undefined]
        const role: Record<string, string> = random.below(5) === 0 ? { role: 'Promoted' } : {}
        const test: Record<string, string> = value === undefined ? {} : { value, type: 'number' }
        const rule = tree('rule', { id: `${id}-rule`, ...score, ...role }, [
          tree('expression', { id: `${id}-expression`, attribute: 'fuzz-ping', operation, ...test }),
        ])
        constraints.children.push(tree('rsc_location', { id, rsc }, [rule]))
        return `${rsc} by ping`
      })
    },
  },
  {
    name: 'wide-chain',
    weight: 2,
    apply: (cib, random) => {
      const constraints = ensureChild(configurationOf(cib), 'constraints')
      const resources = (childNamed(configurationOf(cib), 'resources')?.children ?? []).filter(
        ({ name }) => name !== 'template',
      )
      const chain = [...new Set(Array.from({ length: 4 }, () => random.pick(resources)))].filter(
        (resource) => resource !== undefined,
      )
      return each(chain.slice(1), (next) => {
        const before = chain[chain.indexOf(next) - 1]
        if (before === undefined) return undefined
        const [a, b] = [before.attributes.id ?? '', next.attributes.id ?? '']
        const id = `fuzz-chain-${a}-${b}`
        if (constraints.children.some(({ attributes }) => attributes.id === `${id}-order`)) return undefined
        const promoted = rolesOf(before).includes('Promoted') && random.below(3) === 0
        const order: [string, string][] = [
          ['id', `${id}-order`],
          ['first', a],
          ['then', b],
          ...(promoted
            ? ([
                ['first-action', 'promote'],
                ['then-action', 'start'],
              ] satisfies [string, string][])
            : []),
        ]
        constraints.children.push(tree('rsc_order', Object.fromEntries(order)))
        const score = random.pick(['INFINITY', 'INFINITY', '100', '-INFINITY']) ?? 'INFINITY'
        const role: Record<string, string> = promoted ? { 'with-rsc-role': 'Promoted' } : {}
        constraints.children.push(
          tree('rsc_colocation', { id: `${id}-colocation`, rsc: b, 'with-rsc': a, score, ...role }),
        )
        return `${promoted ? 'promoted ' : ''}${a} then and with ${b} (${score})`
      })
    },
  },
]

function otherScore(score: string, way: string): string {
  if (way === 'negated')
    return score.startsWith('-') ? score.slice(1) : score === '0' ? '0' : `-${score.replace('+', '')}`
  if (way === 'halved') return /^-?\d+$/.test(score) ? String(Math.trunc(Number(score) / 2)) : score
  return way
}
