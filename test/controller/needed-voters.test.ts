/** The fencing of a node without which the store would have no majority: when it waits, for whom, and for how long. */

import { expect, test } from 'vitest'
import { type NodeName, nodeName } from '../../src/base/index.ts'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import { handleInput } from '../../src/controller/handle-input.ts'
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
  writesOfEdits,
} from '../../src/controller/index.ts'
import { goesOnWithout } from '../../src/controller/needed-voters.ts'
import type { ClusterAction } from '../../src/transition/index.ts'

const names = ['n1', 'n2', 'n3', 'n4', 'n5'].map(nodeName)
const term = 7

/** The controller of n1, which is the DC. n2 is to be fenced, as every transition says until it is. */
class Dc {
  state: ControllerState = initialController(names[0] as NodeName, defaultControllerTimings)
  fenced: string[] = []
  published: readonly string[] = []
  now = 0
  wanted: readonly ClusterAction[] = [fencing]
  #view = emptyView
  #revision = 10

  constructor(nodes: number, voters: readonly NodeName[] = names.slice(0, nodes), otherVoter?: NodeName) {
    const all = names.slice(0, nodes)
    const options =
      '<cluster_property_set id="s"><nvpair id="f" name="fencing-enabled" value="true"/></cluster_property_set>'
    const known = all.map((name) => `<node id="${name}" uname="${name}"/>`).join('')
    const cib = parseXml(
      `<cib><configuration><crm_config>${options}</crm_config><nodes>${known}</nodes><resources/><constraints/></configuration></cib>`,
    )
    if (!cib.ok) throw new Error('malformed')
    const configuration = { version: 1, cib: cib.value, typed: readConfiguration(cib.value) }
    this.feed({
      kind: 'quorum',
      until: 10_000_000,
      lease: 'lease-n1',
      voters,
      ...(otherVoter === undefined ? {} : { otherVoter }),
    })
    this.store(
      { kind: 'put', key: keys.configuration, value: undefined, configuration, createRevision: 1 },
      ...all.map((node) => this.#member(node)),
    )
    this.store({
      kind: 'put',
      key: keys.dc,
      value: { node: 'n1' },
      createRevision: term,
      lease: 'lease-n1',
    })
    this.feed({ kind: 'campaigned' })
    this.later(6000)
  }

  #member(node: NodeName): Observation {
    const value = { node, id: node, incarnation: 1, address: node, daemonVersion: '', state: 'joining', since: 0 }
    return { kind: 'put', key: keys.member(node), value, createRevision: 5, lease: `lease-${node}` }
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

  silent(...numbers: readonly number[]): void {
    const silent = numbers.map((number) => names[number - 1] as NodeName)
    this.feed({ kind: 'silence', silent, agreed: silent })
    this.later(20)
  }

  #perform(effect: ControllerEffect): void {
    if (effect.kind === 'fence') this.fenced.push(effect.target)
    if (effect.kind === 'publish') this.published = effect.record.blockedBy
    if (effect.kind === 'compute') {
      const lost = this.#view.nodeStates.get(names[1] as NodeName)?.join === 'down'
      const actions = lost ? this.wanted : []
      this.feed({ kind: 'computed', compute: effect.compute, graph: { actions, attributes: {} } })
    }
    if (effect.kind !== 'write') return
    const observations = writesOfEdits(effect.edits).flatMap((write): readonly Observation[] =>
      write.kind === 'put'
        ? [{ kind: 'put', key: write.key, value: write.value, createRevision: 5 }]
        : write.kind === 'delete'
          ? [{ kind: 'delete', key: write.key }]
          : [],
    )
    this.store(...observations)
    this.feed({ kind: 'written', id: effect.id, outcome: 'applied', revision: this.#revision })
  }
}

const fencing: ClusterAction = {
  kind: 'cluster',
  id: 1,
  inputs: [],
  attributes: { CRM_meta_stonith_action: 'reboot' },
  priority: 0,
  operation: 'stonith',
  key: 'stonith-n2-reboot',
  node: names[1] as NodeName,
  downed: ['n2'],
}

test.each([3, 5])('a lost node is fenced at once where the rest is a majority, of %i nodes', (nodes) => {
  const dc = new Dc(nodes)
  dc.silent(2)
  expect(dc.fenced).toEqual(['n2'])
})

test('of two nodes that are to be fenced, the second waits while the first is heard and about to be off', () => {
  const dc = new Dc(3)
  // Something else is wrong with n3, which is heard.
  dc.wanted = [fencing, { ...fencing, id: 2, key: 'stonith-n3-reboot', node: names[2] as NodeName, downed: ['n3'] }]
  dc.silent(2)
  expect(dc.fenced).toEqual(['n2'])
  // Its device was told already: that it is heard once more makes no majority.
  dc.silent()
  dc.later(1000)
  expect(dc.fenced).toEqual(['n2'])
})

test('of several nodes that are to be fenced at once, only so many are that a majority is left', () => {
  const dc = new Dc(5)
  dc.wanted = [2, 3, 4].map((id) => ({ ...fencing, id, key: `stonith-n${id}-reboot`, node: names[id - 1] as NodeName }))
  // The other two are heard.
  dc.silent(2)
  expect(dc.fenced).toEqual(['n2', 'n3'])
})

test('a witness that does not answer makes no majority', () => {
  const witness = nodeName('w')
  const voters = [...names.slice(0, 3), witness]
  const waiting = new Dc(3, voters)
  waiting.feed({ kind: 'witness', useless: witness })
  waiting.silent(2)
  expect(waiting.fenced).toEqual([])
  waiting.feed({ kind: 'witness' })
  waiting.later(1000)
  expect(waiting.fenced).toEqual(['n2'])
})

test('of two nodes the other is fenced at once: the survivor goes on alone', () => {
  const dc = new Dc(2, undefined, names[1])
  dc.silent(2)
  expect(dc.fenced).toEqual(['n2'])
})

test('so it is of two voters while a third node has no vote yet', () => {
  const dc = new Dc(3, names.slice(0, 2), names[1])
  dc.silent(2)
  expect(dc.fenced).toEqual(['n2'])
})

test('two voters of which one is leaving are not two nodes: the other is waited for', () => {
  const dc = new Dc(3, names.slice(0, 2))
  dc.silent(2)
  expect(dc.fenced).toEqual([])
})

test('where the rest is none, nothing is fenced until another voter is heard again', () => {
  const dc = new Dc(3)
  dc.silent(2, 3)
  dc.later(1000)
  expect(dc.fenced).toEqual([])
  expect(dc.published).toContain(
    'n2 is to be fenced, but without it the store has no majority now: that waits for a minute',
  )
  // The node itself is heard, and has not joined yet: that changes nothing.
  dc.silent(3)
  expect(dc.fenced).toEqual([])
  dc.silent(2)
  expect(dc.fenced).toEqual(['n2'])
})

test('it waits for a minute, counted from the first transition that wanted it, and no longer', () => {
  const dc = new Dc(3)
  dc.silent(2, 3)
  for (let second = 0; second < 59; second++) {
    // Something changes all the time, so that a transition after the other is computed.
    dc.store({
      kind: 'put',
      key: keys.attribute(names[0] as NodeName, '', 'load'),
      value: { node: 'n1', name: 'load', value: String(second), set: '' },
      createRevision: 5,
    })
    dc.later(1000)
  }
  expect(dc.fenced).toEqual([])
  dc.later(2000)
  expect(dc.fenced).toEqual(['n2'])
})

test('a node that has no vote is fenced at once', () => {
  const dc = new Dc(4, [names[0], names[2], names[3]] as NodeName[])
  dc.silent(2, 3)
  expect(dc.fenced).toEqual(['n2'])
})

test('only the other one of the two voters is gone on without', () => {
  const [n1, n2, n3] = [nodeName('n1'), nodeName('n2'), nodeName('n3')]
  const state = { ...initialController(n1, defaultControllerTimings), voters: [n1, n2], otherVoter: n2 }
  expect(goesOnWithout(state, n2)).toBe(true)
  expect(goesOnWithout(state, n3)).toBe(false)
})

test('a lease that is prolonged without a word about votes changes none', () => {
  const [n1, n2] = [nodeName('n1'), nodeName('n2')]
  const quorum = { kind: 'quorum', until: 10, lease: 'l' } as const
  const known = handleInput(
    initialController(n1, defaultControllerTimings),
    { ...quorum, voters: [n1, n2], otherVoter: n2 },
    0,
  ).state
  const prolonged = handleInput(known, quorum, 1).state
  expect([prolonged.voters, prolonged.otherVoter]).toEqual([[n1, n2], n2])
  // Where votes are named, the other voter is what is said with them.
  const alone = handleInput(prolonged, { ...quorum, voters: [n1] }, 2).state
  expect([alone.voters, alone.otherVoter]).toEqual([[n1], undefined])
})
