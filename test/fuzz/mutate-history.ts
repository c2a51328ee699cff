/** What operations leave behind: failures, results that are pending, stops and starts behind the cluster's back, lost histories. */
import { allNamed, childNamed, nodeStatesOf, resourcesOf, type Tree, tree } from './cib-tree.ts'
import { setTransient } from './mutate-nodes.ts'
import type { Mutation } from './mutation.ts'
import type { Random } from './random.ts'

interface Place {
  readonly state: Tree
  readonly resource: Tree
}

function pickHistory(cib: Tree, random: Random): Place | undefined {
  const state = random.pick(nodeStatesOf(cib).filter((candidate) => allNamed(candidate, 'lrm_resource').length > 0))
  const resource = state === undefined ? undefined : random.pick(allNamed(state, 'lrm_resource'))
  return state === undefined || resource === undefined ? undefined : { state, resource }
}

const uuid = 'f0f0f0f0-1111-2222-3333-444444444444'
const operations = ['monitor', 'monitor', 'monitor', 'start', 'stop', 'promote', 'demote'] as const

/** The interval of a monitor that is recorded there, or 0 for a probe. */
function intervalOf(resource: Tree, operation: string, random: Random): string {
  if (operation !== 'monitor') return '0'
  const recorded = resource.children.map(({ attributes }) => attributes.interval ?? '0').filter((text) => text !== '0')
  return random.below(3) === 0 ? '0' : (random.pick(recorded) ?? '0')
}

interface Result {
  readonly operation: string
  readonly interval: string
  readonly exitCode: number
  readonly expected: number
  readonly status: number
  readonly isFailure: boolean
}

function record(state: Tree, resource: Tree, result: Result): void {
  const name = resource.attributes.id ?? ''
  const key = `${name}_${result.operation}_${result.interval}`
  const calls = allNamed(state, 'lrm_rsc_op').map(({ attributes }) => Number(attributes['call-id'] ?? 0))
  const call = result.status === -1 ? -1 : Math.max(0, ...calls) + 1
  const isLast = result.interval === '0' ? `${name}_last_0` : key
  const id = result.isFailure ? `${name}_last_failure_0` : isLast
  const namesNode = resource.children.some(({ attributes }) => attributes.on_node !== undefined)
  resource.children = resource.children.filter((child) => child.attributes.id !== id)
  resource.children.push(
    tree('lrm_rsc_op', {
      id,
      operation_key: key,
      operation: result.operation,
      'crm-debug-origin': 'do_update_resource',
      crm_feature_set: '3.0.14',
      'transition-key': `4:9:${result.expected}:${uuid}`,
      'transition-magic': `${result.status}:${result.exitCode};4:9:${result.expected}:${uuid}`,
      'call-id': String(call),
      'rc-code': String(result.exitCode),
      'op-status': String(result.status),
      interval: result.interval,
      'last-rc-change': '1700000100',
      'exec-time': '10',
      'queue-time': '0',
      'op-digest': 'f2317cad3d54cec5d7d7aa7d0bf35cf8',
      ...(namesNode && { on_node: state.attributes.uname ?? '' }),
    }),
  )
}

export const historyMutations: readonly Mutation[] = [
  {
    name: 'operation-failed',
    weight: 12,
    apply: (cib, random) => {
      const place = pickHistory(cib, random)
      if (place === undefined) return undefined
      const operation = random.pick(operations) ?? 'monitor'
      const interval = intervalOf(place.resource, operation, random)
      const exitCode = random.pick([1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9]) ?? 1
      const expected = operation === 'monitor' && interval === '0' ? 7 : 0
      const status = exitCode === 1 ? (random.pick([4, 2]) ?? 4) : exitCode === 5 ? (random.pick([4, 0, 7]) ?? 0) : 0
      if (exitCode === expected) return undefined
      record(place.state, place.resource, { operation, interval, exitCode, expected, status, isFailure: true })
      const name = place.resource.attributes.id ?? ''
      if (operation !== 'monitor' || interval !== '0') {
        const count = operation === 'start' || operation === 'stop' ? 'INFINITY' : String(1 + random.below(3))
        setTransient(place.state, `fail-count-${name.replace(/:\d+$/, '')}#${operation}_${interval}`, count)
        setTransient(place.state, `last-failure-${name.replace(/:\d+$/, '')}#${operation}_${interval}`, '1700000100')
      }
      return `${name}_${operation}_${interval} failed with ${exitCode} (status ${status}) on ${place.state.attributes.uname}`
    },
  },
  {
    name: 'operation-done',
    weight: 3,
    apply: (cib, random) => {
      const place = pickHistory(cib, random)
      if (place === undefined) return undefined
      const operation = random.pick(['start', 'stop', 'promote', 'demote']) ?? 'stop'
      record(place.state, place.resource, {
        operation,
        interval: '0',
        exitCode: 0,
        expected: 0,
        status: 0,
        isFailure: false,
      })
      return `${place.resource.attributes.id} ${operation} done on ${place.state.attributes.uname}`
    },
  },
  {
    name: 'operation-pending',
    weight: 2,
    apply: (cib, random) => {
      const place = pickHistory(cib, random)
      if (place === undefined) return undefined
      const operation = random.pick(['start', 'stop', 'promote', 'demote', 'monitor']) ?? 'stop'
      const interval = intervalOf(place.resource, operation, random)
      record(place.state, place.resource, {
        operation,
        interval,
        exitCode: 193,
        expected: 0,
        status: -1,
        isFailure: false,
      })
      return `${place.resource.attributes.id} ${operation} ${interval} pending on ${place.state.attributes.uname}`
    },
  },
  {
    name: 'exit-code-changed',
    weight: 2,
    apply: (cib, random) => {
      const place = pickHistory(cib, random)
      const entry = place === undefined ? undefined : random.pick(allNamed(place.resource, 'lrm_rsc_op'))
      if (entry === undefined || entry.attributes['op-status'] !== '0') return undefined
      const exitCode = random.pick([0, 1, 7, 8]) ?? 0
      entry.attributes['rc-code'] = String(exitCode)
      return `${entry.attributes.id} on ${place?.state.attributes.uname} exited with ${exitCode}`
    },
  },
  {
    name: 'history-cleared',
    weight: 2,
    apply: (cib, random) => {
      const place = pickHistory(cib, random)
      const parent = place === undefined ? undefined : allNamed(place.state, 'lrm_resources')[0]
      if (parent === undefined || place === undefined) return undefined
      parent.children = parent.children.filter((child) => child !== place.resource)
      return `history of ${place.resource.attributes.id} on ${place.state.attributes.uname} cleared`
    },
  },
  {
    name: 'entry-lost',
    weight: 1,
    apply: (cib, random) => {
      const place = pickHistory(cib, random)
      const entry = place === undefined ? undefined : random.pick(place.resource.children)
      if (place === undefined || entry === undefined) return undefined
      place.resource.children = place.resource.children.filter((child) => child !== entry)
      return `${entry.attributes.id} on ${place.state.attributes.uname} forgotten`
    },
  },
  {
    name: 'active-elsewhere',
    weight: 2,
    apply: (cib, random) => {
      const place = pickHistory(cib, random)
      const other = random.pick(nodeStatesOf(cib).filter((state) => state !== place?.state))
      const target = other === undefined ? undefined : allNamed(other, 'lrm_resources')[0]
      if (place === undefined || target === undefined) return undefined
      const { id } = place.resource.attributes
      const copy = structuredClone(place.resource)
      for (const { attributes } of copy.children)
        if (attributes.on_node !== undefined) attributes.on_node = other?.attributes.uname ?? ''
      target.children = [...target.children.filter(({ attributes }) => attributes.id !== id), copy]
      return `history of ${id} on ${place.state.attributes.uname} also on ${other?.attributes.uname}`
    },
  },
  {
    name: 'fail-count',
    weight: 3,
    apply: (cib, random) => {
      const state = random.pick(nodeStatesOf(cib))
      const resource = random.pick(resourcesOf(cib, 'primitive'))
      if (state === undefined || resource === undefined) return undefined
      const operation = random.pick(['monitor_10000', 'start_0', 'monitor_0', 'promote_0']) ?? 'start_0'
      const count = random.pick(['1', '3', 'INFINITY']) ?? '1'
      setTransient(state, `fail-count-${resource.attributes.id}#${operation}`, count)
      setTransient(state, `last-failure-${resource.attributes.id}#${operation}`, '1700000100')
      return `fail count of ${resource.attributes.id} ${operation} on ${state.attributes.uname}: ${count}`
    },
  },
  {
    name: 'promotion-score',
    weight: 4,
    apply: (cib, random) => {
      const state = random.pick(nodeStatesOf(cib))
      const known = [...allNamed(cib, 'nvpair')]
        .map(({ attributes }) => attributes.name ?? '')
        .filter((name) => name.startsWith('master-'))
      const clones = resourcesOf(cib, 'clone', 'master', 'bundle').flatMap((clone) => allNamed(clone, 'primitive'))
      const name = random.pick([...known, ...clones.map(({ attributes }) => `master-${attributes.id}`)])
      if (state === undefined || name === undefined) return undefined
      const score = random.pick(['-INFINITY', '-1', '0', '1', '10', '1000', 'INFINITY']) ?? '10'
      setTransient(state, name, score)
      return `${name}=${score} on ${state.attributes.uname}`
    },
  },
  {
    name: 'ticket',
    weight: 2,
    apply: (cib, random) => {
      const constraints = allNamed(cib, 'rsc_ticket')
      const ticket = random.pick(constraints)?.attributes.ticket
      const status = childNamed(cib, 'status')
      if (ticket === undefined || status === undefined) return undefined
      const list = childNamed(status, 'tickets') ?? tree('tickets')
      if (!status.children.includes(list)) status.children.push(list)
      list.children = list.children.filter(({ attributes }) => attributes.id !== ticket)
      const granted = String(random.below(2) === 0)
      const standby = String(random.below(3) === 0)
      list.children.push(tree('ticket_state', { id: ticket, granted, standby }))
      return `ticket ${ticket}: granted=${granted}, standby=${standby}`
    },
  },
  {
    name: 'migration',
    weight: 2,
    apply: (cib, random) => {
      const place = pickHistory(cib, random)
      const other = random.pick(nodeStatesOf(cib).filter((state) => state !== place?.state))
      if (place === undefined || other === undefined) return undefined
      const half = random.pick(['migrate_to', 'migrate_from']) ?? 'migrate_to'
      const [here, there] = [place.state.attributes.uname ?? '', other.attributes.uname ?? '']
      const [status, exitCode] = random.pick([
        [0, 0],
        [4, 1],
        [2, 1],
        [-1, 193],
      ] as const) ?? [0, 0]
      const isFailure = status > 0
      record(place.state, place.resource, { operation: half, interval: '0', exitCode, expected: 0, status, isFailure })
      const ends =
        half === 'migrate_to'
          ? { migrate_source: here, migrate_target: there }
          : { migrate_source: there, migrate_target: here }
      const entry = place.resource.children.at(-1)
      if (entry !== undefined) Object.assign(entry.attributes, ends)
      return `${place.resource.attributes.id} ${half} on ${here} with ${there}: ${exitCode} (status ${status})`
    },
  },
  {
    name: 'history-of-node-cleared',
    weight: 1,
    apply: (cib, random) => {
      const state = random.pick(nodeStatesOf(cib))
      if (state === undefined) return undefined
      state.children = state.children.filter(({ name }) => name !== 'lrm')
      return `history of ${state.attributes.uname} cleared`
    },
  },
]
