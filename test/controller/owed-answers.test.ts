/** Nodes that are heard and owe a result: who is fenced for it, when, and what is told where nobody is. */
import { describe, expect, test } from 'vitest'
import { type NodeName, nodeName, resourceId } from '../../src/base/index.ts'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import {
  type ControllerEffect,
  type ControllerInput,
  type ControllerState,
  controllerStep,
  defaultControllerTimings,
  emptyView,
  initialController,
  keys,
  type Observation,
  observe,
  transitionKeyOf,
  writesOfEdits,
} from '../../src/controller/index.ts'
import { isUnclean } from '../../src/controller/node-states.ts'
import type { ResourceAction } from '../../src/transition/index.ts'

const agent = { class: 'ocf', provider: 'test', type: 'Dummy' }
const names = ['n1', 'n2', 'n3', 'n4', 'n5'].map(nodeName)
const term = 7

function put(key: string, value: unknown, lease?: string): Observation {
  const createRevision = key === keys.dc ? term : 5
  return { kind: 'put', key, value, createRevision, ...(lease === undefined ? {} : { lease }) }
}

function memberOf(node: NodeName, incarnation = 1): Observation {
  const record = { node, id: node, incarnation, address: node, daemonVersion: '', state: 'joining', since: 0 }
  return put(keys.member(node), record, `lease-${node}`)
}

function configuration(nodes: readonly NodeName[], version: number, fencing: boolean): Observation {
  const options = `<cluster_property_set id="s"><nvpair id="f" name="fencing-enabled" value="${fencing}"/></cluster_property_set>`
  const known = nodes.map((name) => `<node id="${name}" uname="${name}"/>`).join('')
  const parsed = parseXml(
    `<cib><configuration><crm_config>${options}</crm_config><nodes>${known}</nodes><resources/><constraints/></configuration></cib>`,
  )
  if (!parsed.ok) throw new Error('malformed')
  const stored = { version, cib: parsed.value, typed: readConfiguration(parsed.value) }
  return { kind: 'put', key: keys.configuration, value: undefined, configuration: stored, createRevision: 1 }
}

/** The controller of n1, which is the DC, in a cluster whose store answers at once. */
class Dc {
  readonly nodes: readonly NodeName[]
  state: ControllerState = initialController(names[0] as NodeName, defaultControllerTimings)
  now = 0
  /** What is done there may take a minute longer. */
  longerOn: NodeName | undefined
  #view = emptyView
  #revision = 10
  readonly #fencing: boolean
  #actions = 0
  #transition = 0
  #effects: ControllerEffect[] = []
  #planned: readonly ResourceAction[] = []

  constructor(nodes: number, options: { readonly fencing?: boolean; readonly voters?: readonly NodeName[] } = {}) {
    this.nodes = names.slice(0, nodes)
    const { voters, fencing = true } = options
    this.#fencing = fencing
    this.feed({ kind: 'quorum', until: 10_000_000, lease: 'lease-n1', ...(voters === undefined ? {} : { voters }) })
    this.store(configuration(this.nodes, 1, fencing), ...this.nodes.map((node) => memberOf(node)))
    this.store(put(keys.dc, { node: this.nodes[0] }, 'lease-n1'))
    this.feed({ kind: 'campaigned' })
    this.later(6000)
  }

  feed(input: ControllerInput): void {
    const { state, effects } = controllerStep(this.state, input, this.now)
    this.state = state
    for (const effect of effects) this.#perform(effect)
  }

  store(...observations: readonly Observation[]): void {
    const { view, changes } = observe(this.#view, observations, ++this.#revision)
    this.#view = view
    this.feed({ kind: 'store', view, changes })
  }

  later(ms: number): void {
    this.now += ms
    this.feed({ kind: 'tick' })
  }

  configure(): void {
    this.store(configuration(this.nodes, this.#revision, this.#fencing))
  }

  /** The next transition probes web on these nodes; those after it do nothing. */
  probes(...on: readonly number[]): readonly ResourceAction[] {
    const actions = on.map((number) => this.#probe(names[number - 1] as NodeName))
    this.#planned = actions
    this.configure()
    this.later(50)
    this.#transition = this.state.lastTransition
    if (this.#planned.length > 0) throw new Error('nothing was computed')
    return actions
  }

  /** The same again, without a change of the configuration. */
  probesAgain(on: number): void {
    const node = names[on - 1] as NodeName
    this.#planned = [this.#probe(node)]
    const value = { node, name: 'load', value: String(this.now), set: '' }
    this.store(put(keys.attribute(node, '', 'load'), value))
    this.later(50)
    this.#transition = this.state.lastTransition
    if (this.#planned.length > 0) throw new Error('nothing was computed')
  }

  #probe(node: NodeName): ResourceAction {
    return {
      kind: 'resource',
      id: ++this.#actions,
      inputs: [],
      attributes: { CRM_meta_timeout: node === this.longerOn ? '80000' : '20000' },
      priority: 0,
      resource: resourceId('web'),
      operation: 'monitor',
      intervalMs: 0,
      key: 'web_monitor_0',
      agent,
      node,
      nodeId: node,
      downed: [],
    }
  }

  reported(action: ResourceAction): void {
    const key = transitionKeyOf(action, this.#transition, term)
    const attributes = {
      operation: 'monitor',
      'transition-key': key,
      'transition-magic': `0:0;${key}`,
      'op-status': '0',
      'rc-code': '0',
      'call-id': '1',
      interval: '0',
      'last-rc-change': '1700000000',
    }
    const { node, resource } = action
    this.store(
      put(keys.history(node, resource, 'web_last_0'), { node, resource, agent, recordId: 'web_last_0', attributes }),
    )
  }

  /** The time for an answer, and for it to arrive, is over. */
  overdue(): void {
    this.later(80_001)
    this.later(1)
    this.later(1)
  }

  get lost(): readonly string[] {
    return this.nodes.filter((node) => isUnclean(this.#view.nodeStates.get(node)))
  }

  reasonOf(node: number): unknown {
    return this.#view.nodeStates.get(names[node - 1] as NodeName)?.reason
  }

  get blockedBy(): readonly string[] {
    this.later(1000)
    const published = this.#effects.findLast(({ kind }) => kind === 'publish')
    return published?.kind === 'publish' ? published.record.blockedBy : []
  }

  /** It was fenced, and is here again. */
  fencedAndBack(number: number): void {
    const node = names[number - 1] as NodeName
    this.feed({
      kind: 'fenced',
      id: 'x',
      target: node,
      action: 'reboot',
      incarnation: 1,
      at: 1,
      outcome: 'succeeded',
      message: '',
    })
    this.store({ kind: 'delete', key: keys.member(node) })
    this.later(1000)
    this.store(memberOf(node, 2))
    this.later(1000)
  }

  #perform(effect: ControllerEffect): void {
    if (effect.kind === 'compute') {
      const actions = this.#planned
      this.#planned = []
      this.feed({ kind: 'computed', compute: effect.compute, graph: { actions, attributes: {} } })
      return
    }
    if (effect.kind !== 'write') {
      this.#effects.push(effect)
      return
    }
    const observations = writesOfEdits(effect.edits).flatMap((write): readonly Observation[] => {
      if (write.kind === 'put') return [put(write.key, write.value)]
      if (write.kind === 'delete') return [{ kind: 'delete', key: write.key }]
      const under = [...this.#view.operations.keys(), ...this.#view.attributes.keys()]
      return under.filter((key) => key.startsWith(write.prefix)).map((key) => ({ kind: 'delete', key }))
    })
    this.store(...observations)
    this.feed({ kind: 'written', id: effect.id, outcome: 'applied', revision: this.#revision })
  }
}

describe('a node that took a command and never told the result', () => {
  test.each([2, 3, 5])('is fenced for it, of %i nodes', (nodes) => {
    const dc = new Dc(nodes)
    dc.probes(2)
    dc.later(79_000)
    expect(dc.lost).toEqual([])
    dc.overdue()
    expect(dc.lost).toEqual(['n2'])
    expect(dc.reasonOf(2)).toBe('it accepted a command and never reported the result')
  })

  test('is not fenced where the DC owes the same: the fault is not the node’s', () => {
    const dc = new Dc(3)
    dc.probes(1, 2, 3)
    dc.overdue()
    expect(dc.lost).toEqual([])
    expect(dc.blockedBy).toEqual([
      'n1 never reported the result of web monitor; it is not fenced for that: it is the DC itself',
      'n2 never reported the result of web monitor; it is not fenced for that: the DC has not reported it either',
      'n3 never reported the result of web monitor; it is not fenced for that: the DC has not reported it either',
    ])
  })

  test('waits for the DC, which may still be about to tell the same', () => {
    const dc = new Dc(3)
    dc.longerOn = names[0]
    const [own] = dc.probes(1, 2)
    dc.overdue()
    expect(dc.lost).toEqual([])
    if (own !== undefined) dc.reported(own)
    dc.later(1)
    expect(dc.lost).toEqual(['n2'])
  })

  test('is fenced alone: others that owe as well wait until it is back', () => {
    const dc = new Dc(5)
    dc.probes(2, 3, 4)
    dc.overdue()
    expect(dc.lost).toEqual(['n2'])
    expect(dc.blockedBy.map((sentence) => sentence.replace(/^.*: /, ''))).toEqual([
      'n2 is to be fenced first',
      'n2 is to be fenced first',
    ])
    dc.fencedAndBack(2)
    dc.later(1)
    expect(dc.lost).toEqual(['n3'])
  })

  test('of three, the second waits until the first is back, so that a majority is always there', () => {
    const dc = new Dc(3)
    dc.probes(2, 3)
    dc.overdue()
    expect(dc.lost).toEqual(['n2'])
    dc.later(1_000_000)
    expect(dc.lost).toEqual(['n2'])
    dc.fencedAndBack(2)
    expect(dc.lost).toEqual(['n3'])
  })

  test('is not fenced while the rest would have no quorum, and that is told', () => {
    const dc = new Dc(3)
    dc.feed({ kind: 'silence', silent: [names[2] as NodeName], agreed: [] })
    const dcState = dc.state.dcState
    if (dcState === undefined) throw new Error('n1 is the DC')
    dc.state = { ...dc.state, timings: { ...dc.state.timings, linkPatienceMs: 10_000_000 } }
    dc.probes(2)
    dc.overdue()
    expect(dc.lost).toEqual([])
    expect(dc.blockedBy).toEqual([
      'n2 never reported the result of web monitor; it is not fenced for that: the rest would have no quorum',
    ])
    dc.feed({ kind: 'silence', silent: [], agreed: [] })
    dc.later(1)
    expect(dc.lost).toEqual(['n2'])
  })

  test('counts by its vote: a node without one takes nothing from the quorum', () => {
    const voters = ['n1', 'n2', 'n3'].map(nodeName)
    const dc = new Dc(5, { voters })
    dc.feed({ kind: 'silence', silent: [nodeName('n3')], agreed: [] })
    dc.state = { ...dc.state, timings: { ...dc.state.timings, linkPatienceMs: 10_000_000 } }
    dc.probes(2, 4)
    dc.overdue()
    expect(dc.lost).toEqual(['n4'])
  })

  test('owes nothing any more when it has told, or when the configuration has changed', () => {
    const dc = new Dc(3)
    dc.feed({ kind: 'silence', silent: [names[2] as NodeName], agreed: [] })
    dc.state = { ...dc.state, timings: { ...dc.state.timings, linkPatienceMs: 10_000_000 } }
    const [probe] = dc.probes(2)
    dc.overdue()
    expect(dc.state.dcState?.owing.size).toBe(1)
    if (probe !== undefined) dc.reported(probe)
    expect(dc.state.dcState?.owing.size).toBe(0)
    dc.probes(2)
    dc.overdue()
    expect(dc.state.dcState?.owing.size).toBe(1)
    dc.configure()
    dc.later(1)
    expect(dc.state.dcState?.owing.size).toBe(0)
  })

  test('is not fenced again for the same where that has not helped, until the configuration changes', () => {
    const dc = new Dc(3)
    dc.probes(2)
    dc.overdue()
    dc.fencedAndBack(2)
    expect(dc.lost).toEqual([])
    dc.probesAgain(2)
    dc.overdue()
    expect(dc.lost).toEqual([])
    expect(dc.blockedBy).toEqual([
      'n2 never reported the result of web monitor; it is not fenced for that: it was fenced for that before, and that has not helped',
    ])
    dc.probes(2)
    dc.overdue()
    expect(dc.lost).toEqual(['n2'])
  })

  test('is not lost for it without fencing, and that is told', () => {
    const dc = new Dc(3, { fencing: false })
    dc.probes(2)
    dc.overdue()
    expect(dc.lost).toEqual([])
    expect(dc.blockedBy).toEqual([
      'n2 never reported the result of web monitor; it is not fenced for that: fencing is disabled',
    ])
  })

  test('that could not even be reached is told apart', () => {
    const dc = new Dc(3)
    const [probe] = dc.probes(2)
    if (probe === undefined) throw new Error('there is a probe')
    for (let i = 0; i < 17; i++) {
      dc.later(5000)
      const transitionKey = transitionKeyOf(probe, dc.state.lastTransition, term)
      dc.feed({ kind: 'not-taken', transitionKey, why: 'unknown', message: 'no connection' })
    }
    dc.later(1)
    expect(dc.reasonOf(2)).toBe('it could not receive its command: no connection')
  })
})
