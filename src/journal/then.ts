/**
 * The cluster as it was at a moment: folded from the events of the journals up to it, and composed with the configuration of then into a CIB, which is read as
 * that of now is. What no journal has stays as if it were not: fail counts, node attributes, and probes that found nothing.
 */
import { nodeName, resourceId } from '../base/index.ts'
import {
  type Agent,
  composeCib,
  configuredPrimitives,
  type NodeStateRecord,
  type OperationRecord,
  type OperationStatus,
  operationStatuses,
  readConfiguration,
  recordsOfResult,
  type XmlElement,
} from '../cib/index.ts'
import { type Happening, isActiveAfter, type JournalEvent } from './event.ts'

type Operation = Extract<Happening, { kind: 'operation' }>
type Fencing = Extract<Happening, { kind: 'fencing' }>
type Decision = Extract<Happening, { kind: 'decision' }>

export interface Then {
  /** The last event that counts. */
  readonly event: JournalEvent
  readonly nodes: ReadonlyMap<string, 'member' | 'left' | 'lost'>
  readonly dc: string | undefined
  /** As the nodes said of themselves. */
  readonly withoutQuorum: readonly string[]
  /** Of the configuration; undefined: no journal has a change before. */
  readonly version: number | undefined
  readonly fencing: readonly Fencing[]
  readonly decision: Decision | undefined
  /** By resource and node: what shows what it is like there. */
  readonly results: readonly SeenResult[]
}

interface SeenResult {
  readonly what: Operation
  readonly order: number
  readonly at: number
}

interface Pair {
  readonly last: SeenResult | undefined
  readonly failure: SeenResult | undefined
}

/** `events`: merged. The last one that is meant is the last one given. */
export function stateThen(events: readonly JournalEvent[]): Then | undefined {
  const event = events.at(-1)
  if (event === undefined) return undefined
  const fold = new Fold()
  for (const [order, one] of events.entries()) fold.take(one, order)
  return { event, ...fold.result() }
}

class Fold {
  readonly #nodes = new Map<string, 'member' | 'left' | 'lost'>()
  readonly #pairs = new Map<string, Map<string, Pair>>()
  readonly #fencing = new Map<string, Fencing>()
  readonly #withoutQuorum = new Set<string>()
  #dc: string | undefined
  #version: number | undefined
  #decision: Decision | undefined

  result(): Omit<Then, 'event'> {
    const pairs = [...this.#pairs.values()].flatMap((nodes) => [...nodes.values()])
    return {
      nodes: this.#nodes,
      dc: this.#dc,
      withoutQuorum: [...this.#withoutQuorum],
      version: this.#version,
      fencing: [...this.#fencing.values()],
      decision: this.#decision,
      results: pairs.flatMap(({ last, failure }) => [...(last ? [last] : []), ...(failure ? [failure] : [])]),
    }
  }

  take({ what, at }: JournalEvent, order: number): void {
    switch (what.kind) {
      case 'begun':
        this.#begin(what, { at, order })
        break
      case 'node':
        this.#nodes.set(what.node, what.became)
        if (what.became === 'left') this.#forget(what.node)
        if (what.became !== 'member' && this.#dc === what.node) this.#dc = undefined
        break
      case 'dc':
        this.#dc = what.node
        break
      case 'quorum':
        if (what.quorate) this.#withoutQuorum.delete(what.node)
        else this.#withoutQuorum.add(what.node)
        break
      case 'configuration':
        this.#version = what.version
        break
      case 'fencing':
        this.#fence(what)
        break
      case 'operation':
        this.#operated({ what, at, order })
        break
      case 'decision':
        this.#decision = what
        break
      case 'call':
      case 'transition':
        break
    }
  }

  #fence(what: Fencing): void {
    if (what.outcome === 'pending') {
      this.#fencing.set(what.id, what)
      return
    }
    this.#fencing.delete(what.id)
    if (what.outcome !== 'succeeded' || what.action === 'on') return
    if (this.#nodes.get(what.target) === 'lost') this.#nodes.set(what.target, 'left')
    this.#forget(what.target)
  }

  #forget(node: string): void {
    for (const nodes of this.#pairs.values()) nodes.delete(node)
  }

  #operated(seen: SeenResult): void {
    const { resource, node, intervalMs } = seen.what
    const nodes = this.#pairs.get(resource) ?? new Map<string, Pair>()
    this.#pairs.set(resource, nodes)
    const before = nodes.get(node)
    if (hasFailed(seen.what)) nodes.set(node, { last: before?.last, failure: seen })
    // That a recurring monitor is well again ends a failure, and says nothing else.
    else nodes.set(node, { last: intervalMs > 0 ? (before?.last ?? seen) : seen, failure: undefined })
  }

  /** A node began to write: what it saw then holds, and what is known better where both agree stays. */
  #begin({ active, nodes }: Extract<Happening, { kind: 'begun' }>, { at, order }: Omit<SeenResult, 'what'>): void {
    for (const [node, state] of this.#nodes)
      if (state === 'member' && !nodes.includes(node)) this.#nodes.set(node, 'left')
    for (const node of nodes) this.#nodes.set(node, 'member')
    for (const [resource, pairs] of this.#pairs)
      for (const [node, { last }] of pairs)
        if (last && isThere(last.what) && active[resource]?.includes(node) !== true) pairs.delete(node)
    for (const [resource, places] of Object.entries(active))
      for (const node of places) {
        const known = this.#pairs.get(resource)?.get(node)
        if (known?.last === undefined || !isThere(known.last.what))
          this.#operated({ what: found(resource, node), at, order })
      }
  }
}

const hasFailed = ({ operation, intervalMs, rc, expected, status }: Operation): boolean =>
  !(operation === 'monitor' && intervalMs === 0) && (status !== 0 || rc !== expected)

const isThere = ({ operation, rc, status }: Operation): boolean => status === 0 && isActiveAfter(operation, rc)

const found = (resource: string, node: string): Operation => ({
  kind: 'operation',
  node,
  resource,
  operation: 'monitor',
  intervalMs: 0,
  rc: 0,
  expected: 7,
  status: 0,
  execMs: 0,
  result: 'ok',
})

/** `configuration`: a `cib` or `configuration` element, of the version of then. Results of resources that it does not name are left out. */
export function cibThen(then: Then, configuration: XmlElement): XmlElement {
  const typed = readConfiguration(configuration)
  const agents = new Map<string, Agent>(configuredPrimitives(typed).map(({ id, agent }) => [id, agent]))
  const states = [...then.nodes].map(([node, state]) => stateOf(node, state, configuration))
  const remote = new Set(then.results.map(({ what }) => what.node).filter((node) => !then.nodes.has(node)))
  return composeCib({
    configuration,
    haveQuorum: then.withoutQuorum.length === 0,
    ...(then.dc === undefined ? {} : { dcId: idOf(then.dc, configuration) }),
    nodeStates: [...states, ...[...remote].map(remoteState)],
    operations: then.results.flatMap((seen) => {
      const agent = agents.get(seen.what.resource) ?? agents.get(seen.what.resource.replace(/:\d+$/, ''))
      return agent === undefined ? [] : recordsOf(seen, agent)
    }),
  })
}

function recordsOf({ what, order, at }: SeenResult, agent: Agent): readonly OperationRecord[] {
  const { resource, node, operation, intervalMs, rc, expected, status, execMs, reason } = what
  return recordsOfResult({
    node: nodeName(node),
    resource: resourceId(resource),
    agent,
    operation,
    intervalMs,
    key: { action: order, transition: 0, expectedExitCode: expected, uuid: '00000000-0000-0000-0000-000000000000' },
    callId: order + 1,
    status: statusOf(status),
    exitCode: rc,
    lastChange: Math.floor(at / 1000),
    execTimeMs: execMs,
    queueTimeMs: 0,
    ...(reason !== undefined && { exitReason: reason }),
  })
}

function statusOf(number: number): OperationStatus {
  const found = Object.entries(operationStatuses).find(([, value]) => value === number)
  return (found?.[0] as OperationStatus | undefined) ?? 'error'
}

function stateOf(node: string, state: 'member' | 'left' | 'lost', configuration: XmlElement): NodeStateRecord {
  const isHere = state === 'member'
  return {
    node: nodeName(node),
    id: idOf(node, configuration),
    inCcm: isHere,
    crmd: isHere ? 'online' : 'offline',
    join: isHere ? 'member' : 'down',
    // One that is lost should be there, and is unclean until it is fenced.
    expected: state === 'left' ? 'down' : 'member',
  }
}

const remoteState = (node: string): NodeStateRecord => ({
  node: nodeName(node),
  id: node,
  inCcm: true,
  crmd: 'online',
  join: 'member',
  expected: 'member',
  attributes: { remote_node: 'true' },
})

function idOf(node: string, configuration: XmlElement): string {
  const id = elementsNamed(configuration, 'node').find(({ attributes }) => attributes.uname === node)?.attributes.id
  return id ?? node
}

function elementsNamed(from: XmlElement, name: string): readonly XmlElement[] {
  return from.children.flatMap((child) =>
    child.kind !== 'element' ? [] : child.name === name ? [child] : elementsNamed(child, name),
  )
}
