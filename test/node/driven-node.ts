/** A node's core with a driver that notes what is asked for, and a clock that a test sets. */
import { type MonotonicMs, monotonicMs, nodeName, resourceId } from '../../src/base/index.ts'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import {
  type Change,
  type ClusterView,
  defaultControllerTimings,
  emptyView,
  keys,
  type Observation,
  observe,
} from '../../src/controller/index.ts'
import {
  initialNode,
  type NodeEffect,
  type NodeFencingEffect,
  type NodeFencingInput,
  type NodeInput,
  NodeLoop,
  type NodeState,
  type OwnPlan,
} from '../../src/node/index.ts'
import type { ResourceAction } from '../../src/transition/index.ts'

export const self = nodeName('n1')
export const incarnation = 7
export const web = resourceId('web')

export class DrivenNode {
  readonly loop: NodeLoop
  readonly asked: NodeEffect[] = []
  /** Called before each effect counts as performed: what the world does meanwhile. */
  meanwhile: (effect: NodeEffect) => void = () => undefined
  now = 1000
  /** When the core wants to be woken. */
  wakeAt: MonotonicMs | undefined
  #view = emptyView
  #revision = 10

  constructor(
    options: Partial<Pick<NodeState, 'met' | 'list' | 'bootId' | 'isolated' | 'wasGoingAlone' | 'slotsOfBoot'>> = {},
  ) {
    const timings = { leaseTtlMs: 5000, leaseMarginMs: 500, controller: defaultControllerTimings }
    const list = options.list ?? { nodes: [{ name: self, votes: true }], store: { kind: 'etcd' } }
    const setup = { met: false, ...options, self, incarnation, list, timings }
    this.loop = new NodeLoop(initialNode(setup, monotonicMs(this.now)), {
      now: () => monotonicMs(this.now),
      perform: (effect) => {
        this.asked.push(effect)
        this.meanwhile(effect)
      },
      random: () => 0.5,
      wakeAt: (at) => {
        this.wakeAt = at
      },
    })
  }

  feed(input: NodeInput): void {
    this.loop.feed(input)
  }

  /** Until then everything that the core wants to be woken for happens. */
  later(ms: number): void {
    const until = this.now + ms
    for (let turn = 0; this.wakeAt !== undefined && this.wakeAt <= until; turn++) {
      if (turn > ms + 1000) throw new Error('The core is woken again and again.')
      this.now = Math.max(this.now, this.wakeAt)
      this.wakeAt = undefined
      this.loop.tick()
    }
    this.now = until
  }

  store(...observations: readonly Observation[]): void {
    const observed: { readonly view: ClusterView; readonly changes: readonly Change[] } = observe(
      this.#view,
      observations,
      ++this.#revision,
    )
    this.#view = observed.view
    this.feed({ kind: 'store', view: observed.view, changes: observed.changes })
  }

  configured(options: Readonly<Record<string, string>> = {}, resources = ''): void {
    const pairs = Object.entries(options).map(
      ([name, value]) => `<nvpair id="o-${name}" name="${name}" value="${value}"/>`,
    )
    const cib = parseXml(
      `<cib><configuration><crm_config><cluster_property_set id="o">${pairs.join('')}</cluster_property_set></crm_config><nodes><node id="1" uname="n1"/></nodes><resources>${resources}</resources><constraints/></configuration></cib>`,
    )
    if (!cib.ok) throw new Error('malformed')
    const configuration = { version: 1, cib: cib.value, typed: readConfiguration(cib.value) }
    this.store({ kind: 'put', key: keys.configuration, value: undefined, configuration, createRevision: 1 })
  }

  member(state: 'joining' | 'member' | 'leaving' = 'member', lease = 'L1'): void {
    const value = { node: self, id: '1', incarnation, address: 'a', daemonVersion: '', state, since: 0 }
    this.store({ kind: 'put', key: keys.member(self), value, createRevision: 5, lease })
  }

  nodeState(more: Readonly<Record<string, unknown>> = {}): void {
    const value = {
      node: self,
      id: '1',
      inCcm: true,
      crmd: 'online',
      join: 'member',
      expected: 'member',
      attributes: { incarnation: String(incarnation) },
      ...more,
    }
    this.store({ kind: 'put', key: keys.nodeState(self), value, createRevision: 6 })
  }

  quorum(forMs = 4000, lease = 'L1'): void {
    this.feed({ kind: 'quorum', lease, until: monotonicMs(this.now + forMs) })
  }

  /** The other of two voters, n2, is heard or not; this node has a whole copy of the store. */
  ofTwo(state: 'heard' | 'restarting' | 'silent'): void {
    const node = nodeName('n2')
    const nodes = [
      { name: self, votes: true },
      { name: node, votes: true },
    ]
    this.feed({ kind: 'list', list: { nodes, store: { kind: 'etcd' } } })
    this.feed({ kind: 'copy', isWhole: true })
    this.feed({ kind: 'heartbeats', peers: [{ node, state }], agreed: [] })
  }

  /** A member with quorum. */
  runs(options: Readonly<Record<string, string>> = {}): void {
    this.configured(options)
    this.feed({ kind: 'began' })
    this.quorum()
    this.member()
    this.nodeState()
    this.asked.length = 0
  }

  of<Kind extends NodeEffect['kind']>(kind: Kind): readonly Extract<NodeEffect, { kind: Kind }>[] {
    return this.asked.filter((effect): effect is Extract<NodeEffect, { kind: Kind }> => effect.kind === kind)
  }

  fencing(input: NodeFencingInput): void {
    this.feed({ kind: 'fencing', input })
  }

  ofFencing<Kind extends NodeFencingEffect['kind']>(kind: Kind): readonly Extract<NodeFencingEffect, { kind: Kind }>[] {
    const effects = this.of('fencing').map(({ effect }) => effect)
    return effects.filter((effect): effect is Extract<NodeFencingEffect, { kind: Kind }> => effect.kind === kind)
  }

  /** The store was read, and what earlier lives have left there is put right. */
  viewIsThere(): void {
    this.starts()
    this.feed({ kind: 'store-copy', input: { kind: 'listed', revision: 11 } })
    this.feed({ kind: 'start-up', input: { kind: 'prepared' } })
  }

  starts(): void {
    this.feed({ kind: 'start-up', input: { kind: 'start' } })
  }

  ofStartUp(): readonly string[] {
    return this.asked.flatMap((effect) =>
      effect.kind === 'start-up' || effect.kind === 'store-copy' ? [effect.effect.kind] : [],
    )
  }

  /** What was asked for, but what is for people. */
  get kinds(): readonly string[] {
    return this.asked.flatMap((effect) => {
      if (effect.kind === 'log' || effect.kind.startsWith('two-node-')) return []
      const isOfPart = effect.kind === 'controller' || effect.kind === 'presence' || effect.kind === 'fencing'
      return [isOfPart ? effect.effect.kind : effect.kind]
    })
  }
}

export const stopOfWeb: ResourceAction = {
  kind: 'resource',
  id: 1,
  inputs: [],
  attributes: {},
  priority: 0,
  resource: web,
  operation: 'stop',
  intervalMs: 0,
  key: 'web_stop_0',
  agent: { class: 'ocf', provider: 'heartbeat', type: 'Dummy' },
  node: self,
  nodeId: '1',
  downed: [],
}

export const planOf = (...actions: readonly ResourceAction[]): OwnPlan => ({
  graph: { actions, attributes: {} },
  noQuorumPolicy: 'stop',
  unmanaged: [],
})
