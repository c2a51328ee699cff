import { describe, expect, test } from 'vitest'
import { nodeName, seededRandom } from '../../src/base/index.ts'
import {
  type FleetAnswer,
  type FleetAsk,
  type FleetPart,
  type FleetRolloutRecord,
  fleetStep,
  fleetWord,
  hasFleetEnded,
  newFleetRecord,
  type PartAnswer,
  partKey,
  whyClustersWait,
} from '../../src/rollout/index.ts'

const waves = [['west'], ['east', 'north']]
const all = new Set(waves.flat())
const made = (more: { readonly confirmWithinMs?: number } = {}): FleetRolloutRecord =>
  newFleetRecord(
    {
      id: 'f1',
      name: 'shop',
      version: '2',
      key: 'home/f1/x',
      file: '{}',
      waves,
      user: 'root',
      from: nodeName('n1'),
      ...more,
    },
    0,
  )
const phases = ({ parts }: FleetRolloutRecord): readonly string[] => parts.map(({ phase }) => phase)
const part = (state: string, id = 'r1'): PartAnswer => ({ kind: 'part', id, state, done: 0, nodes: 1 })

interface Given {
  readonly answers?: Readonly<Record<string, PartAnswer>>
  readonly members?: ReadonlySet<string>
  readonly reached?: ReadonlySet<string>
  readonly now?: number
}
/** One step, in which each cluster answers what it was asked last. */
function step(record: FleetRolloutRecord, { answers = {}, members = all, reached = all, now = 1 }: Given = {}) {
  const asks = fleetStep(record, { answers: [], members, reached }, now).effects
  const given = Object.entries(answers).map(([cluster, answer]): FleetAnswer => {
    const ask = asks.find((one) => one.cluster === cluster)
    if (ask === undefined) throw new Error(`${cluster} was asked nothing`)
    return { ask, answer }
  })
  return fleetStep(record, { answers: given, members, reached }, now)
}
function said(record: FleetRolloutRecord, word: 'pause' | 'resume' | 'abort' | 'confirm', now = 1): FleetRolloutRecord {
  const heard = fleetWord(record, { word, by: 'root on n1' }, now)
  if ('refused' in heard) throw new Error(heard.refused)
  return heard.record
}
/** The first wave is under way, or done. */
const begun = (state = 'running'): FleetRolloutRecord =>
  step(step(made()).state, { answers: { west: part(state) } }).state
const shortly = (asks: readonly FleetAsk[]): readonly string[] =>
  asks.map((ask) => `${ask.cluster} ${ask.kind === 'word' ? ask.word : ask.kind}`)

describe('waves', () => {
  test('the first is asked to start, and the second only when the first is done', () => {
    const first = step(made())
    expect([phases(first.state), shortly(first.effects)]).toEqual([['starting', 'waiting', 'waiting'], ['west start']])
    expect(shortly(step(begun()).effects)).toEqual(['west watch'])
    const second = step(begun('unconfirmed'))
    expect(shortly(second.effects)).toEqual(['west watch', 'east start', 'north start'])
  })

  test.each([
    ['of the wave', new Set(['west', 'east']), /^north does not answer/],
    ['of a wave before', new Set(['east', 'north']), /^west does not answer/],
  ])('a cluster %s that cannot be reached keeps all of the next wave waiting', (_, reached, why) => {
    const done = step(step(made()).state, { answers: { west: part('unconfirmed') }, reached }).state
    expect(phases(step(done, { reached }).state)).toEqual(['done', 'waiting', 'waiting'])
    expect(whyClustersWait(done, { reached }).get('east')).toMatch(why)
    expect(phases(step(done).state)).toEqual(['done', 'starting', 'starting'])
  })

  test('one that has just not answered keeps it waiting too, until it answers', () => {
    const reached = new Set(['west'])
    const away = step(step(step(made()).state, { answers: { west: part('unconfirmed') }, reached }).state, {
      answers: { west: { kind: 'away', why: 'no answer' } },
    }).state
    expect(phases(step(away).state)).toEqual(['done', 'waiting', 'waiting'])
    const back = step(away, { answers: { west: part('unconfirmed') } }).state
    expect(phases(back)).toEqual(['done', 'starting', 'starting'])
  })

  test('a start whose answer was lost is repeated with its key, and another attempt has another one', () => {
    const asked = step(made()).state
    const lost = step(asked, { answers: { west: { kind: 'away', why: 'no answer' } } })
    expect(lost.effects).toEqual([{ cluster: 'west', attempt: 1, kind: 'start' }])
    const refused = step(asked, { answers: { west: { kind: 'refused', why: 'no quorum' } } }).state
    expect([refused.state, refused.why]).toEqual(['halted', 'west has not started it: no quorum'])
    const again = step(said(refused, 'resume'))
    expect(again.effects).toEqual([{ cluster: 'west', attempt: 2, kind: 'start' }])
    expect(partKey(made(), { attempt: 2 })).not.toBe(partKey(made(), { attempt: 1 }))
    // What the first attempt has heard late is no answer to the second.
    const late = { ask: { cluster: 'west', attempt: 1, kind: 'start' } as const, answer: part('running') }
    expect(
      fleetStep(again.state, { answers: [late], members: all, reached: all }, 1).state.parts[0]?.id,
    ).toBeUndefined()
  })
})

describe('a cluster that halts', () => {
  const both = step(step(begun('unconfirmed')).state, {
    answers: { east: part('running'), north: part('running') },
  }).state

  test('halts all: the others of its wave are paused, and resume reaches all of them', () => {
    const halted = step(both, { answers: { east: part('halted') } })
    expect([halted.state.state, shortly(halted.effects)]).toEqual([
      'halted',
      ['west watch', 'east watch', 'north pause'],
    ])
    const paused = step(halted.state, { answers: { north: part('paused') } }).state
    const resumed = said(paused, 'resume')
    expect(shortly(step(resumed).effects)).toEqual(['west watch', 'east resume', 'north resume'])
    // It is halted until it has heard that.
    expect(step(resumed, { answers: { east: { kind: 'away', why: 'x' } } }).state.state).toBe('running')
    expect(
      step(step(resumed, { answers: { east: part('running') } }).state, { answers: { east: part('halted') } }).state
        .state,
    ).toBe('halted')
  })

  test('abort reaches all, those that are done too, and ends when all are as they were', () => {
    const aborting = step(said(both, 'abort'))
    expect(shortly(aborting.effects)).toEqual(['west abort', 'east abort', 'north abort'])
    const heard = step(aborting.state, {
      answers: { west: part('aborting'), east: part('aborted'), north: part('aborted') },
    })
    expect([heard.state.state, shortly(heard.effects)]).toEqual(['aborting', ['west watch']])
    const ended = step(heard.state, { answers: { west: part('aborted') } }).state
    expect([ended.state, ended.why]).toEqual(['aborted', 'it was aborted'])
  })

  test('one that cannot be put back halts it again, and one that was confirmed there is named', () => {
    const aborting = step(step(said(both, 'abort')).state, {
      answers: { west: part('complete'), east: part('aborting'), north: part('aborted') },
    }).state
    const halted = step(aborting, { answers: { east: part('halted') } }).state
    expect(halted.state).toBe('halted')
    const again = step(said(halted, 'abort'))
    expect(shortly(again.effects)).toEqual(['east abort'])
    const ended = step(again.state, { answers: { east: part('aborted') } }).state
    expect(ended.why).toBe('it was aborted, but for west, where it was confirmed')
  })

  test('whoever puts it back there halts it here, and resume begins there again', () => {
    const halted = step(both, { answers: { east: part('aborted') } }).state
    expect([halted.state, phases(halted)]).toEqual(['halted', ['done', 'back', 'running']])
    expect(phases(step(said(halted, 'resume')).state)).toEqual(['done', 'starting', 'running'])
  })
})

test('an abort begins nothing: a start that nobody has confirmed is looked for, as long as it may arrive late', () => {
  const aborting = step(said(step(made()).state, 'abort', 1000), { now: 1000 })
  expect(shortly(aborting.effects)).toEqual(['west find'])
  const soon = step(aborting.state, { answers: { west: { kind: 'none' } }, now: 2000 })
  expect([soon.state.state, shortly(soon.effects)]).toEqual(['aborting', ['west find']])
  const found = step(soon.state, { answers: { west: part('running') }, now: 3000 })
  expect(shortly(found.effects)).toEqual(['west abort'])
  expect(step(soon.state, { answers: { west: { kind: 'none' } }, now: 70_000 }).state.state).toBe('aborted')
})

test('the end: all are told to keep it, or asked first where the file says so; nobody confirms: all put it back', () => {
  const done = (record: FleetRolloutRecord) =>
    step(step(step(step(record).state, { answers: { west: part('unconfirmed') } }).state).state, {
      answers: { east: part('unconfirmed'), north: { kind: 'already' } },
    })
  const confirming = done(made())
  expect([confirming.state.state, shortly(confirming.effects)]).toEqual([
    'confirming',
    ['west confirm', 'east confirm'],
  ])
  const ended = step(confirming.state, { answers: { west: part('complete'), east: part('complete') } }).state
  expect(ended.state).toBe('complete')
  const open = done(made({ confirmWithinMs: 1000 })).state
  expect(open).toMatchObject({ state: 'unconfirmed', confirmBy: 1001 })
  expect(said(open, 'confirm').state).toBe('confirming')
  expect(shortly(step(open, { now: 1002 }).effects)).toEqual(['west abort', 'east abort'])
})

test('a cluster that was removed from the fleet is left out, and no longer waited for', () => {
  const members = new Set(['west'])
  const { state } = step(begun('unconfirmed'), { members, reached: members })
  expect([state.state, phases(state)]).toEqual(['confirming', ['done', 'left-out', 'left-out']])
})

test.each([
  ['pause', 'halted', /cannot be paused/],
  ['confirm', 'running', /cannot be confirmed/],
  ['resume', 'aborting', /being put back/],
  ['resume', 'unconfirmed', /rollout confirm f1/],
  ['abort', 'confirming', /cannot be aborted/],
  ['abort', 'complete', /has ended/],
] as const)('%s is refused while it is %s', (word, state, why) => {
  expect(fleetWord({ ...made(), state }, { word, by: 'x' }, 1)).toEqual({
    refused: expect.stringMatching(why) as unknown,
  })
})

/** A cluster with what is true there, whoever hears of it. */
class World {
  readonly rollouts = new Map<string, { id: string; state: string }>()
  readonly random: () => number
  constructor(random: () => number) {
    this.random = random
  }

  live(): void {
    for (const one of this.rollouts.values()) {
      if (this.random() < 0.5) continue
      if (one.state === 'running') one.state = this.random() < 0.15 ? 'halted' : 'unconfirmed'
      if (one.state === 'aborting') one.state = this.random() < 0.1 ? 'halted' : 'aborted'
    }
  }

  answer(ask: FleetAsk, key: string): PartAnswer {
    const one = this.rollouts.get(key)
    const shown = (): PartAnswer => (one === undefined ? { kind: 'none' } : part(one.state, one.id))
    if (ask.kind === 'find' || ask.kind === 'watch') return shown()
    if (ask.kind === 'start') {
      if (one !== undefined) return shown()
      if (this.random() < 0.1) return { kind: 'refused', why: 'not now' }
      this.rollouts.set(key, { id: `r${this.rollouts.size + 1}`, state: 'running' })
      return part('running', `r${this.rollouts.size}`)
    }
    if (one === undefined || one.state === 'complete' || one.state === 'aborted')
      return { kind: 'refused', why: 'it has ended' }
    if (ask.word === 'abort') one.state = 'aborting'
    else if (ask.word === 'pause' && one.state === 'running') one.state = 'paused'
    else if (ask.word === 'resume' && (one.state === 'paused' || one.state === 'halted')) one.state = 'running'
    else if (ask.word === 'confirm' && one.state === 'unconfirmed') one.state = 'complete'
    else return { kind: 'refused', why: `it is ${one.state}` }
    return part(one.state, one.id)
  }
}

/** Requests and answers are lost, DCs forget what they have heard, people say words: once it is quiet, everything is kept or everything is put back. */
test.each(Array.from({ length: 300 }, (_, seed) => seed))('seed %i', (seed) => {
  const random = seededRandom(seed)
  const worlds = new Map([...all].map((name) => [name, new World(random)]))
  let record = made(random() < 0.3 ? { confirmWithinMs: 40_000 } : {})
  let answers: FleetAnswer[] = []
  for (let round = 0; round < 400 && !hasFleetEnded(record); round++) {
    const now = round * 2000
    const isQuiet = round > 60
    if (!isQuiet && random() < 0.05) {
      const words = ['pause', 'resume', 'abort', 'confirm'] as const
      const heard = fleetWord(record, { word: words[Math.floor(random() * 4)] ?? 'pause', by: 'x' }, now)
      if ('record' in heard) record = heard.record
    }
    // When it is quiet, whoever finds it waiting goes on with it, or gives it up.
    if (isQuiet && (record.state === 'paused' || record.state === 'halted'))
      record = said(record, random() < 0.5 && !record.parts.some(isReturning) ? 'resume' : 'abort', now)
    const { state, effects } = fleetStep(record, { answers, members: all, reached: all }, now)
    answers = []
    expectInOrder(record, state)
    // Another DC wrote first, or this one ended before it asked.
    if (!isQuiet && random() < 0.1) continue
    record = state
    for (const ask of effects) {
      if (!isQuiet && random() < 0.15) continue
      const answer = worlds.get(ask.cluster)?.answer(ask, partKey(record, ask)) ?? { kind: 'none' }
      answers.push({ ask, answer: !isQuiet && random() < 0.15 ? { kind: 'away', why: 'lost' } : answer })
    }
    for (const world of worlds.values()) world.live()
  }
  const states = [...worlds.values()].flatMap(({ rollouts }) => [...rollouts.values()].map((one) => one.state))
  expect(hasFleetEnded(record)).toBe(true)
  if (record.state === 'aborted' && !record.why?.includes('but for'))
    expect(new Set([...states, 'aborted'])).toEqual(new Set(['aborted']))
  if (record.state === 'complete') {
    expect(new Set([...states, 'complete'])).toEqual(
      new Set(states.includes('aborted') ? ['aborted', 'complete'] : ['complete']),
    )
    expect(states.filter((state) => state === 'complete')).toHaveLength(all.size)
  }
})

const isReturning = ({ phase, seen }: FleetPart): boolean => phase === 'running' && seen?.state === 'aborting'

function expectInOrder(before: FleetRolloutRecord, after: FleetRolloutRecord): void {
  for (const one of after.parts) {
    const was = before.parts.find(({ cluster }) => cluster === one.cluster)
    if (one.phase !== 'starting' || was?.phase === 'starting') continue
    expect(after.state).toBe('running')
    for (const earlier of after.parts)
      if (earlier.wave < one.wave) expect(['done', 'confirmed', 'left-out']).toContain(earlier.phase)
  }
}
