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
  isSettled,
  keys,
  type Observation,
  observe,
  transitionKeyOf,
  writesOfEdits,
} from '../../src/controller/index.ts'
import type { ClusterAction, GraphAction, ResourceAction, TransitionGraph } from '../../src/transition/index.ts'

const [alpha, beta, gamma] = ['alpha', 'beta', 'gamma'].map(nodeName) as [NodeName, NodeName, NodeName]
const web = resourceId('web')
const agent = { class: 'ocf', provider: 'test', type: 'Dummy' }

function resourceAction(id: number, operation: string, node: NodeName, inputs: readonly number[] = []): ResourceAction {
  return {
    kind: 'resource',
    id,
    inputs,
    attributes: { CRM_meta_timeout: '20000' },
    priority: 0,
    resource: web,
    operation,
    intervalMs: 0,
    key: `web_${operation}_0`,
    agent,
    node,
    nodeId: '1',
    downed: [],
  }
}

function clusterAction(id: number, operation: string, node: NodeName, inputs: readonly number[] = []): ClusterAction {
  const attributes: Readonly<Record<string, string>> =
    operation === 'stonith' ? { CRM_meta_stonith_action: 'reboot' } : {}
  return {
    kind: 'cluster',
    id,
    inputs,
    attributes,
    priority: 0,
    operation,
    key: `${operation}-${node}`,
    node,
    downed: [],
  }
}

const graphOf = (...actions: readonly GraphAction[]): TransitionGraph => ({ actions, attributes: {} })

/** The controller of alpha in a cluster of three whose store answers at once. */
class Dc {
  state: ControllerState = initialController(alpha, { ...defaultControllerTimings, lossWaitMs: 10_000 })
  now = 0
  #view = emptyView
  #revision = 10
  /** Effects that are not writes, in order, since they were last taken. */
  #effects: ControllerEffect[] = []
  readonly fencing: boolean

  constructor(
    options: {
      readonly fencing?: boolean
      readonly present?: readonly NodeName[]
      /** What an earlier life of the cluster has left. */
      readonly left?: readonly Observation[]
    } = {},
  ) {
    this.fencing = options.fencing ?? true
    const present = options.present ?? [alpha, beta, gamma]
    this.feed({ kind: 'quorum', until: 1_000_000, lease: 'lease-alpha' })
    this.store(configuration(this.fencing), ...(options.left ?? []), ...present.map((node) => memberOf(node)))
    expect(this.take('campaign')).toEqual([{ kind: 'campaign', lease: 'lease-alpha' }])
    this.store(put(keys.dc, { node: alpha }, 'lease-alpha', 7))
    this.feed({ kind: 'campaigned' })
  }

  feed(input: ControllerInput): void {
    const { state, effects } = controllerStep(this.state, input, this.now)
    this.state = state
    for (const effect of effects) this.#perform(effect)
  }

  store(...observations: readonly Observation[]): void {
    this.#revision++
    const { view, changes } = observe(this.#view, observations, this.#revision)
    this.#view = view
    this.feed({ kind: 'store', view, changes })
  }

  later(ms: number): void {
    this.now += ms
    this.feed({ kind: 'tick' })
  }

  /** The next computation gives this graph. */
  computes(...actions: readonly GraphAction[]): void {
    this.later(50)
    const [compute] = this.take('compute')
    if (compute?.kind !== 'compute') throw new Error('nothing was computed')
    this.feed({ kind: 'computed', compute: compute.compute, graph: graphOf(...actions) })
  }

  /** The next computation clears what web has failed on beta. Answers with the id of the write. */
  clears(): number {
    this.computes({ ...clusterAction(1, 'clear_failcount', beta), resource: web })
    const [clear] = this.take('clear-failures')
    if (clear?.kind !== 'clear-failures') throw new Error('nothing is cleared')
    return clear.id
  }

  take(...kinds: readonly ControllerEffect['kind'][]): readonly ControllerEffect[] {
    const taken = this.#effects.filter(({ kind }) => kinds.includes(kind))
    this.#effects = this.#effects.filter(({ kind }) => !kinds.includes(kind))
    return taken
  }

  get executed(): readonly string[] {
    return this.take('execute').flatMap((effect) =>
      effect.kind === 'execute' ? [`${effect.action.key}@${effect.node}`] : [],
    )
  }

  stateOf(node: NodeName): unknown {
    return this.#view.nodeStates.get(node)
  }

  get revision(): number {
    return this.#revision
  }

  get hasHistory(): boolean {
    return this.#view.operations.size > 0
  }

  result(action: ResourceAction, exitCode = 0, transition = this.state.lastTransition): void {
    this.#record(action, { status: '0', exitCode, transition })
  }

  pending(action: ResourceAction): void {
    this.#record(action, { status: '-1', exitCode: 193, transition: this.state.lastTransition })
  }

  #record(
    action: ResourceAction,
    of: { readonly status: string; readonly exitCode: number; readonly transition: number },
  ): void {
    const key = transitionKeyOf(action, of.transition, 7)
    const attributes = {
      operation: action.operation,
      'transition-key': key,
      'transition-magic': `${of.status}:${of.exitCode};${key}`,
      'op-status': of.status,
      'rc-code': String(of.exitCode),
      'call-id': String(this.#revision),
      interval: '0',
      'last-rc-change': '1700000000',
    }
    const { node, resource } = action
    const recordId = `${resource}_${action.operation.startsWith('migrate_') ? `${action.operation}_0` : 'last_0'}`
    this.store(put(keys.history(node, resource, recordId), { node, resource, agent, recordId, attributes }))
  }

  #perform(effect: ControllerEffect): void {
    if (effect.kind !== 'write') {
      this.#effects.push(effect)
      return
    }
    this.store(
      ...writesOfEdits(effect.edits).flatMap((write): readonly Observation[] => {
        if (write.kind === 'put') return [put(write.key, write.value)]
        if (write.kind === 'delete') return [{ kind: 'delete', key: write.key }]
        const under = [...this.#view.operations.keys(), ...this.#view.attributes.keys()]
        return under.filter((key) => key.startsWith(write.prefix)).map((key) => ({ kind: 'delete', key }))
      }),
    )
    this.feed({ kind: 'written', id: effect.id, outcome: 'applied', revision: this.#revision })
  }
}

function put(key: string, value: unknown, lease?: string, createRevision = 5): Observation {
  return { kind: 'put', key, value, createRevision, ...(lease === undefined ? {} : { lease }) }
}

function failCount(resource: string): Observation {
  const name = `fail-count-${resource}#start_0`
  return put(keys.attribute(beta, '', name), { node: beta, set: '', name, value: 'INFINITY' })
}

function memberOf(node: NodeName, incarnation = 1, state = 'joining'): Observation {
  const value = { node, id: node, incarnation, address: node, daemonVersion: '', state, since: 0 }
  return put(keys.member(node), value, `lease-${node}`)
}

function configuration(fencing: boolean, more = '', resources = '', constraints = '', tags = ''): Observation {
  const nodes = ['alpha', 'beta', 'gamma'].map((name) => `<node id="${name}" uname="${name}"/>`).join('')
  const option = `<cluster_property_set id="cib-bootstrap-options"><nvpair id="o" name="fencing-enabled" value="${fencing}"/>${more}</cluster_property_set>`
  const parsed = parseXml(
    `<cib><configuration><crm_config>${option}</crm_config><nodes>${nodes}</nodes><resources>${resources}</resources><constraints>${constraints}</constraints><tags>${tags}</tags></configuration><status/></cib>`,
  )
  if (!parsed.ok) throw new Error('malformed')
  const cib = parsed.value
  const stored = { version: 1, cib, typed: readConfiguration(cib) }
  return { kind: 'put', key: keys.configuration, value: undefined, configuration: stored, createRevision: 1 }
}

const gone = (node: NodeName): Observation => ({ kind: 'delete', key: keys.member(node) })

describe('the election', () => {
  test('a node campaigns once where there is no DC, and integrates the members when it has won', () => {
    const dc = new Dc()
    for (const node of [alpha, beta, gamma])
      expect(dc.stateOf(node)).toMatchObject({
        inCcm: true,
        crmd: 'online',
        join: 'member',
        expected: 'member',
        term: 7,
      })
  })

  test('a node that is not quorate does nothing', () => {
    const dc = new Dc()
    dc.take('compute')
    dc.now = 2_000_000
    dc.store(gone(gamma))
    expect(dc.take('compute', 'revoke-lease', 'execute')).toEqual([])
    expect(dc.state.dcState).toBeUndefined()
  })

  test('a DC whose silence is agreed upon loses its lease', () => {
    const dc = new Dc()
    dc.store(put(keys.dc, { node: beta }, 'lease-beta', 12))
    dc.take('revoke-lease')
    dc.feed({ kind: 'silence', silent: [beta], agreed: [] })
    expect(dc.take('revoke-lease')).toEqual([])
    dc.feed({ kind: 'silence', silent: [beta], agreed: [beta] })
    expect(dc.take('revoke-lease')).toEqual([{ kind: 'revoke-lease', node: beta, lease: 'lease-beta' }])
  })

  test('a node is not the DC by a key that its earlier lease holds: that lease is revoked', () => {
    const dc = new Dc()
    dc.feed({ kind: 'quorum', until: 2_000_000, lease: 'lease-of-now' })
    expect(dc.state.dcState).toBeUndefined()
    expect(dc.take('revoke-lease')).toEqual([{ kind: 'revoke-lease', node: alpha, lease: 'lease-alpha' }])
  })

  test('a write that is refused ends the dcState, before the view tells who rules now', () => {
    const dc = new Dc()
    dc.feed({ kind: 'tick' })
    const { lastId } = dc.state
    const dcState = dc.state.dcState
    if (dcState === undefined) throw new Error('alpha is not DC')
    dc.state = { ...dc.state, dcState: { ...dcState, writes: new Map([[lastId, { kind: 'state' }]]) } }
    dc.feed({ kind: 'written', id: lastId, outcome: 'refused', revision: 99 })
    expect(dc.state.dcState).toBeUndefined()
    dc.later(1000)
    expect(dc.state.dcState).toBeUndefined()
  })

  test('a DC that was without quorum for a moment goes on under another term only', () => {
    const dc = new Dc()
    dc.later(1000)
    dc.feed({ kind: 'quorum', until: 0, lease: 'lease-alpha' })
    dc.feed({ kind: 'quorum', until: 1_000_000, lease: 'lease-alpha' })
    expect(dc.take('resign')).toEqual([{ kind: 'resign', term: 7 }])
    dc.store({ kind: 'delete', key: keys.dc })
    dc.feed({ kind: 'campaigned' })
    dc.later(600)
    expect(dc.take('campaign')).toHaveLength(1)
  })

  test('a write that nobody answered does not stop the cluster for ever', () => {
    const dc = new Dc()
    dc.take('compute')
    dc.later(29_000)
    expect(dc.take('compute')).toEqual([])
    dc.later(2000)
    expect(dc.take('resign')).toEqual([{ kind: 'resign', term: 7 }])
  })
})

/** Of a recurring monitor that an earlier transition has started. */
function failedMonitor(): Observation {
  const key = '5:1:0:00000000-0000-4000-8000-000000000001'
  const attributes = {
    operation: 'monitor',
    'transition-key': key,
    'transition-magic': `0:7;${key}`,
    'op-status': '0',
    'rc-code': '7',
    'call-id': '9',
    interval: '10000',
    'last-rc-change': '1700000000',
  }
  const record = { node: beta, resource: web, agent, recordId: 'web_monitor_10000', attributes }
  return put(keys.history(beta, web, 'web_monitor_10000'), record)
}

describe('a transition', () => {
  test('goes on with each expected result, in the order of the graph', () => {
    const dc = new Dc()
    const stop = resourceAction(1, 'stop', alpha)
    const start = resourceAction(2, 'start', beta, [1])
    dc.computes(stop, start)
    expect(dc.executed).toEqual(['web_stop_0@alpha'])
    dc.result(stop)
    expect(dc.executed).toEqual(['web_start_0@beta'])
    dc.result(start)
    dc.later(1000)
    expect(dc.take('compute')).toEqual([])
  })

  test('is computed alone, whatever changes meanwhile', () => {
    const dc = new Dc()
    dc.later(50)
    expect(dc.take('compute')).toHaveLength(1)
    dc.store(configuration(true, '<nvpair id="p" name="placement-strategy" value="utilization"/>'))
    dc.later(1000)
    expect(dc.take('compute')).toEqual([])
  })

  test('is computed from a view that shows what this DC has written', () => {
    const dc = new Dc()
    dc.computes()
    dc.store(failCount('web'))
    const id = dc.clears()
    dc.feed({ kind: 'written', id, outcome: 'applied', revision: dc.revision + 1 })
    dc.later(1000)
    expect(dc.take('compute')).toEqual([])
    dc.store({ kind: 'delete', key: keys.attribute(beta, '', 'fail-count-web#start_0') })
    dc.later(50)
    expect(dc.take('compute')).toHaveLength(1)
  })

  test('ends where a node refuses a command, and another is computed', () => {
    const dc = new Dc()
    dc.computes(resourceAction(1, 'start', beta))
    const [sent] = dc.take('execute')
    if (sent?.kind !== 'execute') throw new Error('nothing was sent')
    dc.feed({ kind: 'not-taken', transitionKey: sent.transitionKey, why: 'refused', message: 'no' })
    dc.later(defaultControllerTimings.retryMs)
    expect(dc.take('compute')).toHaveLength(1)
  })

  test('a failed start is counted, and the next transition computed', () => {
    const dc = new Dc()
    const start = resourceAction(1, 'start', beta)
    dc.computes(start, resourceAction(2, 'monitor', beta, [1]))
    dc.result(start, 1)
    const [failures] = dc.take('record-failures')
    expect(failures).toMatchObject({ failures: [{ node: beta, resource: 'web', operation: 'start', by: 'infinity' }] })
    expect(dc.executed).toEqual(['web_start_0@beta'])
    dc.feed({
      kind: 'written',
      id: failures?.kind === 'record-failures' ? failures.id : 0,
      outcome: 'applied',
      revision: 11,
    })
    dc.later(50)
    expect(dc.take('compute')).toMatchObject([{ reason: 'start of web on beta failed with exit code 1' }])
  })

  test('a success that something waits for is followed by another, and any other is not', () => {
    const dc = new Dc()
    const start = resourceAction(1, 'start', beta)
    const other = { ...resourceAction(2, 'start', beta), resource: resourceId('db') }
    dc.later(50)
    const [compute] = dc.take('compute')
    if (compute?.kind !== 'compute') throw new Error('nothing was computed')
    dc.feed({ kind: 'computed', compute: compute.compute, graph: graphOf(start, other), awaited: ['web'] })
    dc.result(other)
    dc.later(50)
    expect(dc.take('compute')).toEqual([])
    dc.result(start)
    dc.later(50)
    expect(dc.take('compute')).toHaveLength(1)
  })

  test('what clears a failure is followed by another, which places what the failure had banned', () => {
    const dc = new Dc()
    dc.computes()
    dc.store(failCount('web'))
    const clear = dc.clears()
    dc.later(50)
    expect(dc.take('compute')).toEqual([])
    dc.feed({ kind: 'written', id: clear, outcome: 'applied', revision: 11 })
    dc.computes()
    dc.later(1000)
    expect(dc.take('compute')).toEqual([])
  })

  test('a count that is under another name than the one that is cleared is not cleared again and again', () => {
    const dc = new Dc()
    dc.computes()
    dc.store(failCount('web:1'))
    const clear = dc.clears()
    dc.feed({ kind: 'written', id: clear, outcome: 'applied', revision: 11 })
    dc.later(1000)
    expect(dc.take('compute')).toEqual([])
  })

  test('a failure that its node has counted with the result is not counted again', () => {
    const dc = new Dc()
    dc.computes()
    const result = failedMonitor()
    const count = { node: beta, set: '', name: 'fail-count-web#monitor_10000', value: '1' }
    dc.store(result, put(keys.attribute(beta, '', count.name), count))
    dc.later(50)
    expect(dc.take('record-failures')).toEqual([])
    expect(dc.take('compute')).toMatchObject([
      { reason: 'monitor of web every 10000 ms on beta failed with exit code 7' },
    ])
  })

  test('a failure that nobody has counted is, whatever changes with it', () => {
    const dc = new Dc()
    const other = { node: alpha, set: '', name: 'fail-count-web#monitor_10000', value: '1' }
    dc.store(failedMonitor(), put(keys.attribute(alpha, '', other.name), other))
    expect(dc.take('record-failures')).toMatchObject([{ failures: [{ node: beta, operation: 'monitor', by: 'one' }] }])
  })

  test('a live migration there, back and there again ends the arrivals before it, and is one transition each time', () => {
    const dc = new Dc()
    for (const [source, target] of [
      [alpha, beta],
      [beta, alpha],
      [alpha, beta],
    ] as const) {
      const attributes = { CRM_meta_migrate_source: source, CRM_meta_migrate_target: target }
      const leave = { ...resourceAction(1, 'migrate_to', source), attributes }
      const arrive = { ...resourceAction(2, 'migrate_from', target, [1]), attributes }
      dc.computes(leave, arrive)
      dc.store({ kind: 'delete', key: keys.arrival(target, web) })
      dc.result(leave)
      expect(dc.executed).toEqual([`web_migrate_to_0@${source}`, `web_migrate_from_0@${target}`])
      dc.result(arrive)
      dc.later(1000)
      expect(dc.take('compute')).toEqual([])
      dc.store(configuration(true))
    }
  })

  test('a change of the configuration aborts it: what is under way ends first', () => {
    const dc = new Dc()
    const stop = resourceAction(1, 'stop', alpha)
    dc.computes(stop, resourceAction(2, 'start', beta, [1]))
    dc.store(configuration(true))
    dc.later(50)
    expect(dc.take('compute')).toEqual([])
    dc.result(stop)
    dc.later(50)
    expect(dc.take('compute')).toHaveLength(1)
    expect(dc.executed).toEqual(['web_stop_0@alpha'])
  })

  describe('with a slow operation, when something else happens', () => {
    const resources = ['web', 'db'].map((id) => `<primitive id="${id}" class="ocf" provider="test" type="Dummy"/>`)
    const apart = configuration(true, '', resources.join(''))
    const grouped = configuration(true, '', `<group id="both">${resources.join('')}</group>`)
    const ordered = (constraint: string, tags = ''): Observation =>
      configuration(true, '', resources.join(''), constraint, tags)
    const pair = (kind: string): Observation => ordered(`<rsc_order id="o" first="db" then="web" kind="${kind}"/>`)
    const refs = ['db', 'web'].map((id) => `<resource_ref id="${id}"/>`)
    const bundle = configuration(true, '', '<bundle id="box"><podman image="i"/></bundle>')
    const start = resourceAction(1, 'start', beta)
    const otherStart = { ...resourceAction(2, 'start', gamma), resource: resourceId('db'), key: 'db_start_0' }

    function afterAChange(first: ResourceAction, configured: Observation): Dc {
      const dc = new Dc({ left: [configured] })
      dc.computes(first)
      dc.pending(first)
      dc.store(configured)
      return dc
    }

    test('the next transition is computed beside it, and leaves its resource alone until it has ended', () => {
      const dc = afterAChange(start, apart)
      expect(dc.executed).toEqual(['web_start_0@beta'])
      dc.later(1900)
      expect(dc.take('compute'), 'it may end soon').toEqual([])
      dc.later(50)
      const again = { ...resourceAction(3, 'start', beta), inputs: [2] }
      dc.computes(otherStart, again)
      expect(dc.executed).toEqual(['db_start_0@gamma'])
      dc.result(otherStart)
      expect(dc.executed, 'it is started already').toEqual([])
      expect(dc.take('publish').at(-1)).toMatchObject({ record: { state: 'running', pending: ['web start on beta'] } })
      dc.result(start, 0, 1)
      dc.computes()
      expect(dc.executed).toEqual([])
    })

    test('a failure of it is counted', () => {
      const dc = afterAChange(start, apart)
      dc.later(2000)
      dc.computes(otherStart)
      dc.result(start, 1, 1)
      expect(dc.take('record-failures')).toMatchObject([{ failures: [{ resource: 'web', operation: 'start' }] }])
    })

    test('it is waited for until it is recorded that it has begun', () => {
      const dc = new Dc({ left: [apart] })
      dc.computes(start)
      dc.store(apart)
      dc.later(4000)
      expect(dc.take('compute')).toEqual([])
      dc.pending(start)
      dc.later(50)
      expect(dc.take('compute')).toHaveLength(1)
    })

    const named = (action: ResourceAction, name: string): ResourceAction => ({ ...action, resource: resourceId(name) })
    const alone: readonly {
      readonly what: string
      readonly configured: Observation
      readonly slow: ResourceAction
      readonly other: ResourceAction
    }[] = [
      { what: 'the other members of its group', configured: grouped, slow: start, other: otherStart },
      {
        what: 'the other instances of its clone',
        configured: apart,
        slow: named(start, 'web:0'),
        other: named(start, 'web:1'),
      },
      {
        what: 'the other parts of its bundle',
        configured: bundle,
        slow: named(start, 'box-podman-0'),
        other: named(otherStart, 'box-podman-1'),
      },
      {
        what: 'what comes after it, when it was deleted',
        configured: bundle,
        slow: start,
        other: resourceAction(3, 'stop', beta),
      },
      { what: 'what is serialized with it', configured: pair('Serialize'), slow: start, other: otherStart },
      { what: 'what it is serialized with', configured: pair('Serialize'), slow: otherStart, other: start },
      {
        what: 'a live migration that is serialized with it',
        configured: pair('Serialize'),
        slow: start,
        other: { ...otherStart, operation: 'migrate_to', key: 'db_migrate_to_0' },
      },
      {
        what: 'the rest of a serialized set',
        configured: ordered(
          `<rsc_order id="o"><resource_set id="s" kind="Serialize">${refs.join('')}</resource_set></rsc_order>`,
        ),
        slow: start,
        other: otherStart,
      },
      {
        what: 'the other sets of a serialized order',
        configured: ordered(
          `<rsc_order id="o" kind="Serialize">${refs.map((ref, at) => `<resource_set id="s${at}">${ref}</resource_set>`).join('')}</rsc_order>`,
        ),
        slow: start,
        other: otherStart,
      },
      {
        what: 'what is serialized with its tag',
        configured: ordered(
          '<rsc_order id="o" first="db" then="sites" kind="Serialize"/>',
          '<tag id="sites"><obj_ref id="web"/></tag>',
        ),
        slow: start,
        other: otherStart,
      },
    ]
    for (const { what, configured, slow, other } of alone)
      test(`${what} must wait for its end`, () => {
        const dc = afterAChange(slow, configured)
        expect(dc.executed).toHaveLength(1)
        dc.later(2000)
        dc.computes(other)
        expect(dc.executed).toEqual([])
      })

    const free: readonly { readonly what: string; readonly configured: Observation; readonly other: ResourceAction }[] =
      [
        {
          what: 'the stop of what has its start serialized',
          configured: pair('Serialize'),
          other: { ...otherStart, operation: 'stop', key: 'db_stop_0' },
        },
        { what: 'the start of what only comes before it', configured: pair('Optional'), other: otherStart },
      ]
    for (const { what, configured, other } of free)
      test(`${what} does not wait for its end`, () => {
        const dc = afterAChange(start, configured)
        dc.later(2000)
        dc.computes(other)
        expect(dc.executed).toEqual(['web_start_0@beta', `${other.key}@gamma`])
      })

    test('it counts among the actions that its node takes', () => {
      const dc = afterAChange(start, apart)
      dc.feed({ kind: 'load', node: beta, load: { processors: 1, load: 1 } })
      dc.later(2000)
      dc.computes({ ...otherStart, node: beta }, { ...otherStart, id: 3, node: beta })
      expect(dc.executed).toEqual(['web_start_0@beta', 'db_start_0@beta'])
    })

    test('its node does not leave', () => {
      const dc = afterAChange(start, apart)
      dc.later(2000)
      dc.computes(clusterAction(3, 'do_shutdown', beta), clusterAction(4, 'stonith', gamma))
      expect(dc.take('fence')).toHaveLength(1)
      expect(dc.executed).toEqual(['web_start_0@beta'])
    })

    test('another node leaves, though more was planned there before the change', () => {
      const dc = new Dc({ left: [apart] })
      dc.computes(start, otherStart, named(resourceAction(3, 'monitor', gamma, [2]), 'db'))
      dc.pending(start)
      dc.store(apart)
      dc.result(otherStart)
      dc.later(2000)
      dc.computes(clusterAction(4, 'do_shutdown', gamma))
      expect(dc.executed.at(-1)).toBe('do_shutdown-gamma@gamma')
    })

    const waitedFor: readonly { readonly what: string; readonly action: ResourceAction }[] = [
      { what: 'a stop', action: { ...start, operation: 'stop', key: 'web_stop_0' } },
      { what: 'a promotion', action: { ...start, operation: 'promote', key: 'web_promote_0' } },
      { what: 'a start in a remote node', action: { ...start, routerNode: gamma } },
    ]
    for (const { what, action } of waitedFor)
      test(`${what} is waited for`, () => {
        const dc = afterAChange(action, apart)
        dc.later(10_000)
        expect(dc.take('compute')).toEqual([])
      })
  })

  test('a command whose arrival is unknown is sent again, under the same key', () => {
    const dc = new Dc()
    const start = resourceAction(1, 'start', beta)
    dc.computes(start)
    const [first] = dc.take('execute')
    if (first?.kind !== 'execute') throw new Error('nothing was executed')
    dc.feed({ kind: 'not-taken', transitionKey: first.transitionKey, why: 'unknown', message: '' })
    dc.later(600)
    expect(dc.take('execute')).toEqual([first])
  })

  test('a command says from which revision it was planned, and is sent again to a node that reports nothing', () => {
    const dc = new Dc()
    const known = dc.revision
    dc.computes(resourceAction(1, 'start', beta))
    const [first] = dc.take('execute')
    expect(first).toMatchObject({ plannedFrom: known })
    dc.later(4999)
    expect(dc.take('execute')).toEqual([])
    dc.later(1)
    expect(dc.take('execute')).toEqual([first])
  })

  test('what a node was told before it lost quorum is not over: it is told again, and waited for', () => {
    const dc = new Dc()
    const start = resourceAction(1, 'start', beta)
    dc.computes(start)
    const [first] = dc.take('execute')
    // It has decided by itself to stop the resource, and its result comes late.
    const local = '0:-1:0:00000000-0000-4000-8000-000000000000'
    const attributes = {
      operation: 'stop',
      'transition-key': local,
      'transition-magic': `0:0;${local}`,
      'call-id': '9',
    }
    const record = { node: beta, resource: web, agent, recordId: 'web_last_0', attributes }
    dc.store(put(keys.history(beta, web, 'web_last_0'), record))
    expect(dc.take('execute')).toEqual([first])
    dc.later(50)
    expect(dc.take('compute')).toEqual([])
    dc.result(start)
    dc.later(50)
    expect(dc.take('compute')).toHaveLength(1)
  })

  test('a loaded node gets no more actions than it can take, and more when its load is gone', () => {
    const dc = new Dc()
    dc.feed({ kind: 'load', node: beta, load: { processors: 2, load: 10 } })
    dc.computes(
      ...[1, 2, 3].map((id) => resourceAction(id, 'start', beta)),
      ...[4, 5, 6].map((id) => resourceAction(id, 'start', gamma)),
    )
    expect(dc.executed).toEqual([...Array(2).fill('web_start_0@beta'), ...Array(3).fill('web_start_0@gamma')])
    dc.feed({ kind: 'load', node: beta, load: { processors: 2, load: 0.5 } })
    expect(dc.executed).toEqual(['web_start_0@beta'])
  })

  test('a graph that was computed from what is no longer true is not walked', () => {
    const dc = new Dc()
    dc.later(50)
    const [compute] = dc.take('compute')
    if (compute?.kind !== 'compute') throw new Error('nothing was computed')
    dc.store(configuration(true))
    dc.feed({ kind: 'computed', compute: compute.compute, graph: graphOf(resourceAction(1, 'start', beta)) })
    dc.later(50)
    expect(dc.executed).toEqual([])
    expect(dc.take('compute')).toHaveLength(1)
  })

  describe('a resource is not stopped for a neighbour that is still probed', () => {
    const primitive = (id: string, template = ''): string =>
      `<primitive id="${id}" ${template === '' ? 'class="ocf" provider="test" type="Dummy"' : `template="${template}"`}/>`
    const apart = `${primitive('vip')}${primitive('web')}`
    const group = `<group id="g">${apart}</group>`
    const colocation = (dependent: string, primary: string): string =>
      `<rsc_colocation id="c-${dependent}-${primary}" rsc="${dependent}" with-rsc="${primary}" score="INFINITY"/>`
    const order = (first: string, then: string, more = ''): string =>
      `<rsc_order id="o-${first}-${then}" first="${first}" then="${then}" ${more}/>`
    const set = (element: string): string =>
      `<${element} id="s"><resource_set id="s1"><resource_ref id="vip"/><resource_ref id="web"/></resource_set></${element}>`
    const cases: readonly {
      readonly name: string
      readonly resources: string
      readonly constraints?: string
      readonly tags?: string
      /** Where vip is probed; web is stopped on beta. */
      readonly on?: NodeName
      readonly waits: boolean
    }[] = [
      { name: 'in its group', resources: group, waits: true },
      { name: 'in its group, on another node', resources: group, on: gamma, waits: false },
      { name: 'by a colocation', resources: apart, constraints: colocation('web', 'vip'), waits: true },
      {
        name: 'by a colocation, on another node',
        resources: apart,
        constraints: colocation('web', 'vip'),
        on: gamma,
        waits: false,
      },
      {
        name: 'by two colocations',
        resources: `${apart}${primitive('db')}`,
        constraints: colocation('web', 'db') + colocation('vip', 'db'),
        waits: true,
      },
      { name: 'by a colocation of a set', resources: apart, constraints: set('rsc_colocation'), waits: true },
      {
        name: 'by a tag',
        resources: apart,
        constraints: colocation('web', 'addresses'),
        tags: '<tag id="addresses"><obj_ref id="vip"/></tag>',
        waits: true,
      },
      {
        name: 'by a template',
        resources: `<template id="address" class="ocf" provider="test" type="Dummy"/>${primitive('vip', 'address')}${primitive('web')}`,
        constraints: colocation('web', 'address'),
        waits: true,
      },
      { name: 'by an order', resources: apart, constraints: order('vip', 'web'), waits: true },
      {
        name: 'by an order, on another node',
        resources: apart,
        constraints: order('vip', 'web'),
        on: gamma,
        waits: true,
      },
      {
        name: 'by two orders',
        resources: `${apart}${primitive('db')}`,
        constraints: order('vip', 'db') + order('db', 'web'),
        on: gamma,
        waits: true,
      },
      { name: 'by an order of a set', resources: apart, constraints: set('rsc_order'), on: gamma, waits: true },
      { name: 'that comes after it', resources: apart, constraints: order('web', 'vip'), waits: false },
      {
        name: 'that is only kept apart in time',
        resources: apart,
        constraints: order('vip', 'web', 'kind="Serialize"'),
        waits: false,
      },
      {
        name: 'that is a clone, on its node',
        resources: `<clone id="vips">${primitive('vip')}</clone>${primitive('web')}`,
        constraints: order('vips', 'web'),
        waits: true,
      },
      {
        name: 'that is a clone, on another node',
        resources: `<clone id="vips">${primitive('vip')}</clone>${primitive('web')}`,
        constraints: order('vips', 'web'),
        on: gamma,
        waits: false,
      },
      { name: 'that nothing joins with it', resources: apart, waits: false },
    ]
    const vip = (action: ResourceAction): ResourceAction => ({
      ...action,
      resource: resourceId('vip'),
      key: `vip_${action.operation}_0`,
    })
    const begin = (resources: string, constraints = '', tags = ''): Dc => {
      const dc = new Dc()
      dc.computes()
      dc.store(configuration(true, '', resources, constraints, tags))
      return dc
    }

    for (const { name, resources, constraints, tags, on = beta, waits } of cases)
      for (const operation of ['stop', 'demote'])
        test(`${operation}: ${name}`, () => {
          const dc = begin(resources, constraints, tags)
          const probe = vip(resourceAction(1, 'monitor', on))
          dc.computes(probe, resourceAction(2, operation, beta), vip(resourceAction(3, 'start', gamma, [1])))
          const [sent, left, started] = [`vip_monitor_0@${on}`, `web_${operation}_0@beta`, 'vip_start_0@gamma']
          expect(dc.executed).toEqual(waits ? [sent] : [sent, left])
          dc.result(probe)
          expect(dc.executed).toEqual(waits ? [left, started] : [started])
        })

    test('what the plan does not start holds nothing up', () => {
      const dc = begin(group)
      dc.computes(vip(resourceAction(1, 'monitor', beta)), resourceAction(2, 'stop', beta))
      expect(dc.executed).toEqual(['vip_monitor_0@beta', 'web_stop_0@beta'])
    })

    test('a start does not wait: its graph has the probes that it needs', () => {
      const dc = begin(group)
      dc.computes(
        vip(resourceAction(1, 'monitor', beta)),
        resourceAction(2, 'start', beta),
        vip(resourceAction(3, 'start', beta, [1])),
      )
      expect(dc.executed).toEqual(['vip_monitor_0@beta', 'web_start_0@beta'])
    })
  })

  test('a node is not told to shut down while a probe on it may find something', () => {
    const dc = new Dc()
    const probe = resourceAction(1, 'monitor', gamma)
    dc.computes(probe, clusterAction(2, 'do_shutdown', gamma))
    expect(dc.executed).toEqual(['web_monitor_0@gamma'])
    dc.result(probe)
    expect(dc.executed).toEqual(['do_shutdown-gamma@gamma'])
  })

  test('a node that is told to shut down is expected to be down before it learns of it', () => {
    const dc = new Dc()
    dc.store(memberOf(gamma, 1, 'leaving'))
    dc.computes(clusterAction(1, 'do_shutdown', gamma))
    expect(dc.stateOf(gamma)).toMatchObject({ expected: 'down', join: 'member' })
    expect(dc.executed).toEqual(['do_shutdown-gamma@gamma'])
    dc.store(gone(gamma))
    expect(dc.stateOf(gamma)).toMatchObject({ inCcm: false, expected: 'down', join: 'down' })
  })
})

test('what people are shown is repeated until it stands there', () => {
  const dc = new Dc()
  dc.computes()
  dc.later(600)
  const [published] = dc.take('publish').slice(-1)
  if (published?.kind !== 'publish') throw new Error('nothing was published')
  expect(published.record.state).toBe('idle')
  dc.later(600)
  expect(dc.take('publish')).toEqual([published])
  dc.store(put(keys.transition, { ...published.record }))
  dc.later(600)
  expect(dc.take('publish')).toEqual([])
  dc.store(put(keys.transition, { ...published.record, state: 'running' }))
  dc.later(600)
  expect(dc.take('publish').length).toBeGreaterThan(0)
})

describe('a node that is lost', () => {
  test('is unclean; its resources start elsewhere when its fencing is confirmed and recorded', () => {
    const dc = new Dc()
    dc.computes()
    dc.feed({ kind: 'silence', silent: [gamma], agreed: [] })
    dc.store(gone(gamma))
    expect(dc.stateOf(gamma)).toMatchObject({
      inCcm: false,
      crmd: 'offline',
      expected: 'member',
      reason: 'its lease is gone',
    })
    dc.computes(clusterAction(1, 'stonith', gamma), resourceAction(2, 'start', beta, [1]))
    const [fence] = dc.take('fence')
    if (fence?.kind !== 'fence') throw new Error('nobody was fenced')
    expect(fence).toMatchObject({ target: gamma, action: 'reboot', term: 7, reason: 'its lease is gone' })
    expect(dc.executed).toEqual([])
    dc.feed({
      kind: 'fenced',
      id: fence.id,
      target: gamma,
      action: 'reboot',
      at: 1,
      outcome: 'succeeded',
      message: 'ok',
    })
    expect(dc.stateOf(gamma)).toMatchObject({ expected: 'down', join: 'down' })
    expect(dc.executed).toEqual(['web_start_0@beta'])
  })

  test('that is heard without a lease is given the time to register, and is then unclean', () => {
    const dc = new Dc()
    dc.computes()
    dc.store(gone(gamma))
    expect(dc.stateOf(gamma)).toMatchObject({ inCcm: true })
    dc.later(4900)
    expect(dc.stateOf(gamma)).toMatchObject({ inCcm: true })
    dc.later(200)
    expect(dc.stateOf(gamma)).toMatchObject({ inCcm: false, reason: 'its lease is gone' })
  })

  test('whose fencing fails blocks what waits for it, and is tried again later', () => {
    const dc = new Dc()
    dc.computes()
    dc.feed({ kind: 'silence', silent: [gamma], agreed: [] })
    dc.store(gone(gamma))
    const actions = [clusterAction(1, 'stonith', gamma), resourceAction(2, 'start', beta, [1])]
    dc.computes(...actions)
    const [fence] = dc.take('fence')
    if (fence?.kind !== 'fence') throw new Error('nobody was fenced')
    dc.feed({
      kind: 'fenced',
      id: fence.id,
      target: gamma,
      action: 'reboot',
      at: 1,
      outcome: 'failed',
      message: 'no power',
    })
    dc.computes(...actions)
    expect(dc.take('fence')).toEqual([])
    const published = dc.take('publish').at(-1)
    expect(published).toMatchObject({
      record: { state: 'blocked', blockedBy: ['fencing of gamma failed once: no power'] },
    })
    dc.later(1100)
    expect(dc.take('fence')).toHaveLength(1)
    expect(dc.executed).toEqual([])
  })

  test('whose fence device is repaired, after many failures, is fenced at once', () => {
    const dc = new Dc()
    dc.computes()
    dc.feed({ kind: 'silence', silent: [gamma], agreed: [] })
    dc.store(gone(gamma))
    const fencing = clusterAction(1, 'stonith', gamma)
    dc.computes(fencing)
    for (let attempt = 0; attempt < 12; attempt++) {
      const [fence] = dc.take('fence')
      if (fence?.kind !== 'fence') throw new Error('nobody was fenced')
      const { id } = fence
      dc.feed({ kind: 'fenced', id, target: gamma, action: 'reboot', at: 1, outcome: 'failed', message: 'no power' })
      dc.computes(fencing)
      if (attempt < 11) dc.later(61_000)
    }
    expect(dc.take('fence')).toEqual([])
    dc.store(configuration(true, '<nvpair id="m" name="maintenance-mode" value="false"/>'))
    dc.computes(fencing)
    expect(dc.take('fence')).toHaveLength(1)
  })

  test('is fenced again every second or ten, until fencing-max-attempts have failed', () => {
    const attempts = (max: string): number => {
      const left = [configuration(true, `<nvpair id="a" name="stonith-max-attempts" value="${max}"/>`)]
      const dc = new Dc({ left })
      dc.computes()
      dc.feed({ kind: 'silence', silent: [gamma], agreed: [] })
      dc.store(gone(gamma))
      const fencing = clusterAction(1, 'stonith', gamma)
      for (let count = 0; count < 9; count++) {
        dc.computes(fencing)
        const [fence] = dc.take('fence')
        if (fence?.kind !== 'fence') return count
        const { id } = fence
        dc.feed({ kind: 'fenced', id, target: gamma, action: 'reboot', at: 1, outcome: 'failed', message: 'no power' })
        dc.later(10_000)
      }
      return 9
    }
    expect(attempts('3')).toBe(3)
    expect(attempts('5')).toBe(5)
  })

  test('is not taken for fenced by a fencing that was meant for an earlier life of it', () => {
    const dc = new Dc()
    dc.computes()
    dc.store(memberOf(gamma, 2))
    const late = { kind: 'fenced', id: 'of an earlier dcState', target: gamma, action: 'reboot', at: 1 } as const
    const before = dc.revision
    dc.feed({ ...late, outcome: 'succeeded', message: '', incarnation: 1 })
    dc.feed({ ...late, outcome: 'succeeded', message: '' })
    expect(dc.revision, 'it is not even recorded and taken back').toBe(before)
    expect(dc.stateOf(gamma)).toMatchObject({ expected: 'member', join: 'member' })
    dc.feed({ ...late, outcome: 'succeeded', message: '', incarnation: 2 })
    expect(dc.stateOf(gamma)).toMatchObject({ expected: 'down', attributes: { incarnation: '2' } })
  })

  test('counts as off by the word of an administrator', () => {
    const dc = new Dc()
    dc.computes()
    dc.store(gone(gamma))
    dc.store(put(keys.fencingConfirmed(gamma), { node: gamma }))
    expect(dc.stateOf(gamma)).toMatchObject({ expected: 'down' })
    expect(dc.state.view.confirmedDown.size).toBe(0)
  })

  test('keeps its place and its lease where the word of an administrator is wrong', () => {
    const dc = new Dc()
    dc.computes()
    dc.store(put(keys.fencingConfirmed(gamma), { node: gamma }))
    expect(dc.take('revoke-lease')).toEqual([])
    expect(dc.stateOf(gamma)).toMatchObject({ expected: 'member', join: 'member' })
    expect(dc.state.view.confirmedDown.size).toBe(0)
  })

  test('and that the DC alone misses is given up, after a while', () => {
    const dc = new Dc()
    dc.computes()
    dc.feed({ kind: 'silence', silent: [gamma], agreed: [] })
    dc.later(defaultControllerTimings.linkPatienceMs - 1)
    expect(dc.stateOf(gamma)).toMatchObject({ inCcm: true })
    dc.later(1)
    expect(dc.stateOf(gamma)).toMatchObject({ inCcm: false, reason: 'its heartbeats do not reach the DC' })
  })

  test('is fenced in the life in which it was lost', () => {
    const dc = new Dc()
    dc.computes()
    dc.feed({ kind: 'silence', silent: [gamma], agreed: [] })
    dc.store(gone(gamma))
    dc.computes(clusterAction(1, 'stonith', gamma))
    expect(dc.take('fence')).toMatchObject([{ target: gamma, incarnation: 1 }])
  })

  test('by silence that is agreed upon loses its lease as well', () => {
    const dc = new Dc()
    dc.computes()
    dc.feed({ kind: 'silence', silent: [gamma], agreed: [gamma] })
    expect(dc.stateOf(gamma)).toMatchObject({ inCcm: false, reason: 'a majority misses its heartbeats' })
    expect(dc.take('revoke-lease')).toEqual([{ kind: 'revoke-lease', node: gamma, lease: 'lease-gamma' }])
  })

  test('comes back under the same incarnation with its history, as a new one without', () => {
    const dc = new Dc()
    const start = resourceAction(1, 'start', gamma)
    dc.computes(start)
    dc.result(start)
    dc.store(gone(gamma))
    dc.store(memberOf(gamma))
    expect(dc.stateOf(gamma)).toMatchObject({ join: 'member' })
    expect(dc.hasHistory).toBe(true)
    dc.store(memberOf(gamma, 2))
    expect(dc.stateOf(gamma)).toMatchObject({ join: 'member', attributes: { incarnation: '2' } })
    expect(dc.hasHistory).toBe(false)
  })

  test('and was declared down comes back as a new incarnation only', () => {
    const dc = new Dc()
    dc.computes()
    dc.store(gone(gamma))
    dc.store(put(keys.fencingConfirmed(gamma), { node: gamma }))
    dc.store(memberOf(gamma, 1))
    expect(dc.stateOf(gamma)).toMatchObject({ expected: 'down' })
    dc.store(memberOf(gamma, 2))
    expect(dc.stateOf(gamma)).toMatchObject({ expected: 'member', join: 'member' })
  })

  test('without fencing is waited for, until it has surely stopped', () => {
    const dc = new Dc({ fencing: false })
    dc.computes()
    dc.store(gone(gamma))
    dc.later(9000)
    expect(dc.stateOf(gamma)).toMatchObject({ inCcm: true })
    expect(dc.take('compute')).toEqual([])
    dc.later(1100)
    expect(dc.stateOf(gamma)).toMatchObject({ inCcm: false, expected: 'down' })
    dc.later(50)
    expect(dc.take('compute')).toHaveLength(1)
  })
})

describe('a remote node', () => {
  const east = nodeName('east')
  const routed = { ...resourceAction(1, 'start', east), routerNode: gamma }

  test('that was never seen and cannot be fenced is told as what blocks the cluster', () => {
    const dc = new Dc()
    const fencing = clusterAction(1, 'stonith', east)
    dc.computes(fencing)
    const [fence] = dc.take('fence')
    if (fence?.kind !== 'fence') throw new Error('nobody was fenced')
    const { id } = fence
    dc.feed({ kind: 'fenced', id, target: east, action: 'reboot', at: 1, outcome: 'failed', message: 'no device' })
    dc.computes(fencing)
    expect(dc.take('publish').at(-1)).toMatchObject({
      record: { state: 'blocked', blockedBy: ['fencing of east failed once: no device'] },
    })
  })

  test('is told through the node that holds its connection, and its silence is not that node’s fault', () => {
    const dc = new Dc()
    dc.computes(routed)
    expect(dc.executed).toEqual(['web_start_0@gamma'])
    dc.later(200_000)
    expect(dc.stateOf(gamma)).toMatchObject({ inCcm: true, expected: 'member' })
    expect(dc.take('log')).toContainEqual(expect.objectContaining({ message: 'action given up' }))
  })

  test('that is down and configured no more is forgotten', () => {
    const left = { node: east, id: east, inCcm: false, crmd: 'offline', join: 'down', expected: 'down' }
    const dc = new Dc({ left: [put(keys.nodeState(east), { ...left, attributes: { remote_node: 'true' } })] })
    expect(dc.stateOf(east)).toBeUndefined()
  })

  test('is not forgotten while its connection is in the history: that it is down would be forgotten, and it would be fenced', () => {
    const left = { node: east, id: east, inCcm: false, crmd: 'offline', join: 'down', expected: 'down' }
    const [resource, recordId] = [resourceId('east'), 'east_last_0']
    const remote = { class: 'ocf', provider: 'pacemaker', type: 'remote' }
    const connection = (operation: string, exitCode: string): Observation => {
      const attributes = { operation, 'rc-code': exitCode }
      return put(keys.history(gamma, resource, recordId), {
        node: gamma,
        resource,
        agent: remote,
        recordId,
        attributes,
      })
    }
    const dc = new Dc()
    dc.store(
      connection('start', '1'),
      put(keys.nodeState(east), { ...left, attributes: { remote_node: 'true', node_fenced: '5' } }),
    )
    expect(dc.stateOf(east)).toMatchObject({ attributes: { node_fenced: '5' } })
    dc.store(connection('stop', '0'))
    expect(dc.stateOf(east)).toMatchObject({ attributes: { node_fenced: '5' } })
    dc.store({ kind: 'delete', key: keys.history(gamma, resource, recordId) })
    expect(dc.stateOf(east)).toBeUndefined()
  })

  test('that was fenced is recorded as a remote one, and what was under way there has failed', () => {
    const connection = '<primitive id="east" class="ocf" provider="pacemaker" type="remote"/>'
    const dc = new Dc({ left: [configuration(true, '', connection)] })
    dc.computes(routed, clusterAction(2, 'stonith', east), resourceAction(3, 'start', beta, [2]))
    const [fence] = dc.take('fence')
    if (fence?.kind !== 'fence') throw new Error('nobody was fenced')
    expect(dc.executed).toEqual(['web_start_0@gamma'])
    dc.feed({ kind: 'fenced', id: fence.id, target: east, action: 'reboot', at: 5, outcome: 'succeeded', message: '' })
    expect(dc.stateOf(east)).toMatchObject({ inCcm: false, attributes: { remote_node: 'true', node_fenced: '5' } })
    expect(dc.executed).toEqual(['web_start_0@beta'])
    expect(dc.state.dcState?.walks[0]?.failed).toEqual(new Set([1]))
  })
})

describe('a guest node', () => {
  const guest = nodeName('guest')
  const routed = { ...resourceAction(1, 'start', guest), routerNode: gamma }
  const fencing: GraphAction = {
    kind: 'pseudo',
    id: 2,
    inputs: [],
    attributes: {},
    priority: 0,
    operation: 'stonith',
    key: 'stonith-guest-reboot',
    node: guest,
    nodeId: guest,
    downed: [],
  }

  const online = { inCcm: true, crmd: 'online', join: 'member', expected: 'member' }
  const left = [
    put(keys.nodeState(guest), { node: guest, id: guest, ...online, attributes: { remote_node: 'true' } }),
    configuration(
      true,
      '',
      '<primitive id="vm" class="ocf" provider="heartbeat" type="Dummy"><meta_attributes id="m"><nvpair id="n" name="remote-node" value="guest"/></meta_attributes></primitive>',
    ),
  ]

  test('is fenced by the recovery of its container: that it is down is recorded before anything waits no more', () => {
    const dc = new Dc({ left })
    dc.computes(routed, fencing, resourceAction(3, 'start', beta, [2]))
    expect(dc.take('fence')).toEqual([])
    expect(dc.stateOf(guest)).toMatchObject({
      inCcm: false,
      expected: 'down',
      attributes: { remote_node: 'true' },
      reason: 'its container, or the host of it, was stopped',
    })
    expect(dc.executed).toEqual(['web_start_0@gamma', 'web_start_0@beta'])
    expect(dc.state.dcState?.walks[0]?.failed).toEqual(new Set([1]))
  })

  test('counts as lost with its container only when no probe finds that', () => {
    const probe = {
      ...resourceAction(1, 'monitor', gamma),
      expectedExitCode: 7,
      attributes: { CRM_meta_op_target_rc: '7' },
    }
    const dc = new Dc({ left })
    dc.computes(probe, fencing, resourceAction(3, 'start', beta, [2]))
    expect(dc.executed).toEqual(['web_monitor_0@gamma'])
    expect(dc.stateOf(guest)).toMatchObject({ inCcm: true })
    dc.result(probe, 0)
    expect(dc.executed, 'it runs there: everything is decided anew').toEqual([])
    expect(dc.stateOf(guest)).toMatchObject({ inCcm: true })
    dc.computes(probe, fencing, resourceAction(3, 'start', beta, [2]))
    dc.result(probe, 7)
    expect(dc.executed).toEqual(['web_monitor_0@gamma', 'web_start_0@beta'])
    expect(dc.stateOf(guest)).toMatchObject({ inCcm: false })
  })

  test('is not given up, by the stop of its container, while a probe there may find its connection', () => {
    const [stop, fenced] = [resourceAction(4, 'stop', gamma), { ...fencing, inputs: [4] }]
    const expected = { expectedExitCode: 7, attributes: { CRM_meta_op_target_rc: '7' } }
    const probe = { ...resourceAction(1, 'monitor', gamma), ...expected }
    const elsewhere = { ...resourceAction(5, 'monitor', beta), ...expected }
    const dc = new Dc({ left })
    dc.computes(probe, elsewhere, fenced, stop)
    expect(dc.executed).toEqual(['web_monitor_0@gamma', 'web_monitor_0@beta'])
    dc.result(probe, 7)
    expect(dc.executed, 'a probe on another node finds no connection of this one').toEqual(['web_stop_0@gamma'])
    expect(dc.stateOf(guest)).toMatchObject({ inCcm: true })
  })
})

describe('a cluster that starts', () => {
  const before = [alpha, beta, gamma].map((node) =>
    put(keys.nodeState(node), {
      node,
      id: node,
      inCcm: true,
      crmd: 'online',
      join: 'member',
      expected: 'member',
      term: 3,
      attributes: { incarnation: '0' },
    }),
  )

  test('waits for nodes that are missing, before it has them fenced', () => {
    const dc = new Dc({ present: [alpha, beta], left: before })
    dc.feed({ kind: 'silence', silent: [gamma], agreed: [] })
    expect(dc.stateOf(beta)).toMatchObject({ join: 'member', term: 7 })
    expect(dc.take('publish').at(-1)).toMatchObject({
      record: { state: 'computing', blockedBy: ['gamma has not been seen since the start'] },
    })
    dc.later(4900)
    expect(dc.take('compute')).toEqual([])
    expect(dc.stateOf(gamma)).toMatchObject({ inCcm: true })
    dc.later(200)
    expect(dc.stateOf(gamma)).toMatchObject({ inCcm: false, expected: 'member' })
    dc.later(50)
    expect(dc.take('compute')).toHaveLength(1)
  })

  test('without fencing gives the missing ones the time to stop as well', () => {
    const dc = new Dc({ present: [alpha, beta], left: before, fencing: false })
    dc.later(5100)
    dc.later(9000)
    expect(dc.stateOf(gamma)).toMatchObject({ inCcm: true })
    dc.later(1100)
    expect(dc.stateOf(gamma)).toMatchObject({ inCcm: false, expected: 'down' })
  })

  test('waits as long as dc-deadtime says', () => {
    const option = '<nvpair id="d" name="dc-deadtime" value="20s"/>'
    const dc = new Dc({ present: [alpha, beta], left: [...before, configuration(true, option)] })
    dc.feed({ kind: 'silence', silent: [gamma], agreed: [] })
    dc.later(19_900)
    expect(dc.stateOf(gamma)).toMatchObject({ inCcm: true })
    dc.later(200)
    expect(dc.stateOf(gamma)).toMatchObject({ inCcm: false, expected: 'member' })
  })

  test('waits no longer once all are there', () => {
    const dc = new Dc({ present: [alpha, beta], left: before })
    dc.later(300)
    dc.store(memberOf(gamma))
    dc.later(50)
    expect(dc.take('compute')).toHaveLength(1)
  })
})

test('a cluster that has nothing to do is told to wait for an administrator where a resource is blocked', () => {
  const dc = new Dc()
  dc.later(50)
  const compute = dc.take('compute').at(-1)
  if (compute?.kind !== 'compute') throw new Error('nothing was computed')
  const blocked = [{ resource: web, why: 'web is blocked' }]
  dc.feed({ kind: 'computed', compute: compute.compute, graph: graphOf(), blocked })
  expect(dc.take('publish').at(-1)).toMatchObject({
    record: { state: 'blocked', blockedBy: ['web is blocked'], blockedResources: ['web'] },
  })
})

test('the cluster has settled once all that is stored was computed, and nothing but a blocked resource is left', () => {
  const dc = new Dc()
  expect(isSettled(dc.state)).toBe(false)
  dc.later(50)
  const compute = dc.take('compute').at(-1)
  if (compute?.kind !== 'compute') throw new Error('nothing was computed')
  const blocked = [{ resource: web, why: 'web is blocked' }]
  dc.feed({ kind: 'computed', compute: compute.compute, graph: graphOf(), blocked })
  const { state } = dc
  const { view, dcState } = state
  if (dcState === undefined || view.configuration === undefined) throw new Error('alpha is the DC')
  expect(isSettled(state)).toBe(true)
  expect(isSettled({ ...state, view: { ...view, holdsRevision: dcState.computedHolds + 1 } })).toBe(false)
  const newer = { ...view.configuration, version: dcState.computedVersion + 1 }
  expect(isSettled({ ...state, view: { ...view, configuration: newer } })).toBe(false)
  expect(isSettled({ ...state, dcState: { ...dcState, schedulerFailure: 'a bug' } })).toBe(false)
})

describe('time alone makes the DC look again', () => {
  function computed(dc: Dc, recheckInMs?: number): void {
    dc.later(50)
    const [compute] = dc.take('compute')
    if (compute?.kind !== 'compute') throw new Error('nothing was computed')
    const more = recheckInMs === undefined ? {} : { recheckInMs }
    dc.feed({ kind: 'computed', compute: compute.compute, graph: graphOf(), ...more })
  }

  test('when a rule or an expiry changes the answer, and not before', () => {
    const dc = new Dc()
    computed(dc, 30_000)
    dc.later(29_900)
    expect(dc.take('compute')).toEqual([])
    dc.later(100)
    expect(dc.take('compute')).toHaveLength(1)
  })

  test('after cluster-recheck-interval, if nothing is due before', () => {
    const dc = new Dc()
    computed(dc)
    dc.later(899_000)
    expect(dc.take('compute')).toEqual([])
    dc.later(1000)
    expect(dc.take('compute')).toHaveLength(1)
  })

  test('a cluster-recheck-interval of 0 leaves rules and expiries', () => {
    const dc = new Dc({
      left: [configuration(true, '<nvpair id="c" name="cluster-recheck-interval" value="0"/>')],
    })
    computed(dc)
    dc.later(950_000)
    expect(dc.take('compute')).toEqual([])
    dc.store(configuration(true, '<nvpair id="c" name="cluster-recheck-interval" value="0"/>'))
    computed(dc, 5000)
    dc.later(5000)
    expect(dc.take('compute')).toHaveLength(1)
  })
})

test('with transition-delay more events are waited for before a new transition is computed', () => {
  const computedAfter = (option: string): number => {
    const dc = new Dc({ left: [configuration(true, option)] })
    dc.computes()
    dc.later(10_000)
    dc.take('compute')
    dc.store(put(keys.attribute(beta, '', 'colour'), { node: beta, set: '', name: 'colour', value: 'red' }))
    for (let ms = 0; ms < 10_000; ms += 100) {
      if (dc.take('compute').length > 0) return ms
      dc.later(100)
    }
    return Number.POSITIVE_INFINITY
  }
  expect(computedAfter('')).toBeLessThanOrEqual(100)
  expect(computedAfter('<nvpair id="t" name="crmd-transition-delay" value="3s"/>')).toBe(3000)
})
