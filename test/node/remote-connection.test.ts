/** What becomes of the connection to a remote node: rules as tables, and histories of three members, a store and a remote node between which everything can break. */
import { describe, expect, test } from 'vitest'
import { type MonotonicMs, monotonicMs, seededRandom } from '../../src/base/index.ts'
import {
  type ConnectionView,
  connectionStep,
  connectionTrouble,
  nextConnectionAt,
} from '../../src/node/remote-connection.ts'
import {
  type ConnectionEffect,
  type ConnectionInput,
  connectionTimes,
  type RemoteConnectionState,
  unopenedConnection,
} from '../../src/node/remote-connection-state.ts'
import { nobody, type Ownership, ownedBy } from '../../src/remote/ownership.ts'

const wanted = { isWanted: true, isConfigured: true, isRecordedUp: false }

/** One connection, with a clock of the test's. */
class Driven {
  state: RemoteConnectionState = unopenedConnection
  now = 1000
  view: Omit<ConnectionView, 'now'> = wanted

  give(input: ConnectionInput): readonly ConnectionEffect[] {
    const { state, effects } = connectionStep(this.state, input, { ...this.view, now: monotonicMs(this.now) })
    this.state = state
    return effects
  }

  /** As the daemon's timer does. */
  untilNext(): readonly ConnectionEffect[] {
    this.now = nextConnectionAt(this.state) ?? this.now
    return this.give({ kind: 'time' })
  }

  attempt(): number {
    return this.state.attempt
  }

  fails(hostAnswered: boolean, why = 'away'): readonly ConnectionEffect[] {
    return this.give({ kind: 'failed', attempt: this.attempt(), why, hostAnswered })
  }

  /** From a dial on. */
  connects(): readonly ConnectionEffect[] {
    const attempt = this.attempt()
    this.give({ kind: 'dialled', attempt })
    this.give({ kind: 'owned', attempt, accepted: true, life: {} })
    return this.give({ kind: 'recorded', attempt, applied: true })
  }
}

function up(): Driven {
  const driven = new Driven()
  driven.give({ kind: 'start', timeoutMs: 20_000 })
  driven.give({ kind: 'claimed', token: 7 })
  driven.connects()
  return driven
}

const kinds = (effects: readonly ConnectionEffect[]): readonly string[] => effects.map(({ kind }) => kind)

describe('a start', () => {
  test('claims, dials, shows its token, records, and is up then', () => {
    const driven = new Driven()
    expect(driven.give({ kind: 'start', timeoutMs: 20_000 })).toEqual([{ kind: 'claim', onlyIfOwn: false }])
    expect(driven.give({ kind: 'claimed', token: 7 })).toEqual([{ kind: 'dial', attempt: 1 }])
    expect(driven.give({ kind: 'dialled', attempt: 1 })).toEqual([{ kind: 'own', attempt: 1, token: 7 }])
    const life = { incarnation: '3' }
    expect(driven.give({ kind: 'owned', attempt: 1, accepted: true, life })).toEqual([
      { kind: 'record-up', attempt: 1, token: 7, life },
    ])
    expect(connectionTrouble(driven.state)).toBe('it is not there')
    expect(driven.give({ kind: 'recorded', attempt: 1, applied: true })).toEqual([{ kind: 'connected' }])
    expect(connectionTrouble(driven.state)).toBeUndefined()
  })

  test('is tried again until its time is over, and says then what was wrong last', () => {
    const driven = new Driven()
    driven.give({ kind: 'start', timeoutMs: 1000 })
    driven.give({ kind: 'claimed', token: 7 })
    let dials = 1
    while (driven.state.phase.kind !== 'over') {
      driven.fails(false, `no answer to ${dials}`)
      if (driven.state.phase.kind === 'pauses') {
        driven.untilNext()
        dials++
      }
    }
    expect(dials).toBe(1000 / connectionTimes.retryMs)
    expect(connectionTrouble(driven.state)).toBe(`no answer to ${dials}`)
  })

  const ends: readonly (readonly [name: string, run: (driven: Driven) => unknown, trouble: RegExp])[] = [
    ['this node is no member', (one) => one.give({ kind: 'not-claimed', why: 'no member' }), /^no member$/],
    ['the store does not answer', (one) => one.untilNext(), /store did not answer/],
    [
      'the remote node obeys a later one',
      (one) => {
        one.give({ kind: 'claimed', token: 7 })
        one.give({ kind: 'dialled', attempt: 1 })
        return one.give({ kind: 'owned', attempt: 1, accepted: false, life: {} })
      },
      /recorded later/,
    ],
    [
      'another has claimed it before it was recorded',
      (one) => {
        one.give({ kind: 'claimed', token: 7 })
        one.give({ kind: 'dialled', attempt: 1 })
        one.give({ kind: 'owned', attempt: 1, accepted: true, life: {} })
        return one.give({ kind: 'recorded', attempt: 1, applied: false })
      },
      /has claimed/,
    ],
    [
      'the cluster wants it stopped, and nobody answers',
      (one) => {
        one.give({ kind: 'claimed', token: 7 })
        one.view = { ...wanted, isWanted: false }
        return one.fails(false)
      },
      /is to stop/,
    ],
    [
      'it is taken while it is being recorded',
      (one) => {
        one.give({ kind: 'claimed', token: 7 })
        one.give({ kind: 'dialled', attempt: 1 })
        one.give({ kind: 'taken', attempt: 1, by: 'n2' })
        return one.give({ kind: 'owned', attempt: 1, accepted: true, life: {} })
      },
      /n2 has taken/,
    ],
  ]
  for (const [name, run, trouble] of ends)
    test(`ends at once where ${name}`, () => {
      const driven = new Driven()
      driven.give({ kind: 'start', timeoutMs: 20_000 })
      run(driven)
      expect(driven.state.phase.kind).toBe('over')
      expect(connectionTrouble(driven.state)).toMatch(trouble)
    })

  test('that is stopped before its claim was written dials nobody', () => {
    const driven = new Driven()
    driven.give({ kind: 'start', timeoutMs: 20_000 })
    driven.give({ kind: 'close' })
    expect(driven.give({ kind: 'claimed', token: 7 })).toEqual([])
    expect(driven.state.phase.kind).toBe('over')
  })

  test('that is stopped while it dials hangs up on who answers late', () => {
    const driven = new Driven()
    driven.give({ kind: 'start', timeoutMs: 20_000 })
    driven.give({ kind: 'claimed', token: 7 })
    expect(kinds(driven.give({ kind: 'close' }))).toEqual(['hang-up', 'record-down'])
    expect(driven.give({ kind: 'dialled', attempt: 1 })).toEqual([{ kind: 'hang-up', attempt: 1 }])
  })

  test('gives up on a remote node that says nothing, and on a store that does not, and tries again', () => {
    const driven = new Driven()
    driven.give({ kind: 'start', timeoutMs: 60_000 })
    driven.give({ kind: 'claimed', token: 7 })
    driven.give({ kind: 'dialled', attempt: 1 })
    expect(driven.untilNext()).toEqual([{ kind: 'hang-up', attempt: 1 }])
    expect(driven.now).toBe(1000 + connectionTimes.stepMs)
    expect(driven.untilNext()).toEqual([{ kind: 'dial', attempt: 2 }])
    driven.give({ kind: 'dialled', attempt: 2 })
    driven.give({ kind: 'owned', attempt: 2, accepted: true, life: {} })
    expect(driven.untilNext()).toEqual([{ kind: 'hang-up', attempt: 2 }])
    // What comes of it now is too late.
    expect(driven.give({ kind: 'recorded', attempt: 2, applied: true })).toEqual([])
    expect(driven.state.phase.kind).toBe('pauses')
  })
})

describe('what an earlier life of this daemon held', () => {
  test('is claimed only where nobody has, and only where it was connected', () => {
    const driven = new Driven()
    expect(driven.give({ kind: 'take-up' })).toEqual([])
    expect(connectionTrouble(driven.state)).toMatch(/not connected before/)
    const other = new Driven()
    other.view = { ...wanted, isRecordedUp: true }
    expect(other.give({ kind: 'take-up' })).toEqual([{ kind: 'claim', onlyIfOwn: true }])
    other.give({ kind: 'not-claimed', why: 'it is gone' })
    expect(other.state.phase.kind).toBe('over')
  })

  test('is mended where the first attempt fails', () => {
    const driven = new Driven()
    driven.view = { ...wanted, isRecordedUp: true }
    driven.give({ kind: 'take-up' })
    driven.give({ kind: 'claimed', token: 9 })
    expect(driven.fails(true).at(-1)).toEqual({ kind: 'dial', attempt: 2 })
    expect(driven.connects()).toEqual([{ kind: 'connected' }])
  })
})

describe('a connection that breaks', () => {
  const lostAfter = (hostAnswered: boolean): number => {
    const driven = up()
    driven.now += 60_000
    const since = driven.now
    expect(kinds(driven.fails(hostAnswered))).toEqual(['broke', 'dial'])
    let effects: readonly ConnectionEffect[] = []
    while (!kinds(effects).includes('lost')) {
      effects = driven.state.phase.kind === 'pauses' ? driven.untilNext() : driven.fails(hostAnswered, 'refused')
    }
    expect(effects.at(-1)).toEqual({ kind: 'lost', why: 'refused' })
    expect(connectionTrouble(driven.state)).toBe('refused')
    return driven.now - since
  }

  test('is lost once its daemon had its time to come back, and soon where the host was silent', () => {
    expect(lostAfter(true)).toBe(connectionTimes.graceMs)
    expect(lostAfter(false)).toBe(connectionTimes.retryMs)
  })

  test('what comes of an earlier attempt changes nothing', () => {
    const driven = up()
    driven.fails(true)
    const stale = [
      { kind: 'failed', attempt: 1, why: 'gone', hostAnswered: false },
      { kind: 'owned', attempt: 1, accepted: false, life: {} },
      { kind: 'recorded', attempt: 1, applied: false },
    ] as const
    const unmoved = (): void => {
      const { state } = driven
      for (const input of stale) expect(driven.give(input)).toEqual([])
      expect(driven.state).toBe(state)
    }
    unmoved()
    driven.give({ kind: 'dialled', attempt: 2 })
    unmoved()
    driven.give({ kind: 'owned', attempt: 2, accepted: true, life: {} })
    unmoved()
  })

  test('a second failure of the same attempt does not put the next one off', () => {
    const driven = up()
    driven.fails(true)
    driven.fails(true)
    const at = nextConnectionAt(driven.state)
    driven.now += 50
    expect(driven.fails(true)).toEqual([])
    expect(nextConnectionAt(driven.state)).toBe(at)
  })

  test('is up again if its daemon comes back in that time', () => {
    const driven = up()
    driven.now += 60_000
    driven.fails(true)
    driven.fails(true)
    driven.untilNext()
    expect(driven.connects()).toEqual([{ kind: 'connected' }])
  })

  test('is lost at once where another has claimed it meanwhile', () => {
    const driven = up()
    driven.fails(true)
    driven.give({ kind: 'dialled', attempt: driven.attempt() })
    const effects = driven.give({ kind: 'owned', attempt: driven.attempt(), accepted: false, life: {} })
    expect(kinds(effects)).toEqual(['hang-up', 'lost'])
  })

  /** The pauses after connections that lasted so long, one after the other. */
  function pausesAfter(...lastedMs: readonly number[]): readonly number[] {
    const driven = up()
    return lastedMs.map((ms) => {
      driven.now += ms
      driven.fails(true)
      const at = nextConnectionAt(driven.state)
      const pause = at === undefined ? 0 : at - driven.now
      if (pause > 0) driven.untilNext()
      driven.connects()
      return pause
    })
  }
  const pauses: readonly (readonly [name: string, lasted: readonly number[], pauses: readonly number[]])[] = [
    [
      'one that held a while is made again at once, and so is one that ended early once',
      [60_000, 60_000, 100],
      [0, 0, 0],
    ],
    [
      'one that ends again and again is made more and more rarely, every 10 s at most',
      [10, 10, 10, 10, 10, 10, 10, 10, 10, 10],
      [0, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000],
    ],
    ['a good one makes up for the brief ones', [10, 10, 10, 10_000, 10], [0, 200, 400, 0, 0]],
  ]
  for (const [name, lasted, expected] of pauses) test(name, () => expect(pausesAfter(...lasted)).toEqual(expected))

  test('and pauses has its time to come back after the pause', () => {
    const driven = up()
    for (let times = 0; times < 12; times++) {
      driven.fails(true)
      if (driven.state.phase.kind === 'pauses') driven.untilNext()
      expect(driven.state.phase).toMatchObject({ trial: { until: driven.now + connectionTimes.graceMs } })
      driven.connects()
    }
  })
})

describe('a connection that is up', () => {
  test('and is taken has failed, but where it was handed over', () => {
    const driven = up()
    expect(driven.give({ kind: 'taken', attempt: 1, by: 'n2' }).at(-1)).toEqual({
      kind: 'taken',
      by: 'n2',
      isLoss: true,
    })
    const given = up()
    given.give({ kind: 'hand-over' })
    expect(given.give({ kind: 'taken', attempt: 1, by: 'n2' }).at(-1)).toMatchObject({ isLoss: false })
    // What is said of a link that is no more says nothing of this one.
    const again = up()
    again.fails(true)
    again.connects()
    expect(again.give({ kind: 'taken', attempt: 1, by: 'n1' })).toEqual([])
  })

  for (const [name, isConfigured] of [
    ['with what it ran', true],
    ['with nothing, where it is configured no more', false],
  ] as const)
    test(`is stopped in order: released, hung up, recorded as down ${name}`, () => {
      const driven = up()
      driven.view = { ...wanted, isConfigured }
      expect(driven.give({ kind: 'close' })).toEqual([{ kind: 'release', attempt: 1 }])
      const effects = driven.give({ kind: 'released' })
      expect(effects).toEqual([
        { kind: 'hang-up', attempt: 1 },
        { kind: 'record-down', token: 7, forgets: !isConfigured },
      ])
      expect(driven.state.phase.kind).toBe('records-down')
      driven.give({ kind: 'recorded-down' })
      expect(driven.state.phase.kind).toBe('over')
    })

  test('is stopped all the same where the remote node does not answer, or goes', () => {
    const silent = up()
    silent.give({ kind: 'close' })
    expect(kinds(silent.untilNext())).toEqual(['hang-up', 'record-down'])
    expect(silent.now).toBe(1000 + connectionTimes.releaseMs)
    const gone = up()
    gone.give({ kind: 'close' })
    expect(kinds(gone.fails(true))).toEqual(['hang-up', 'record-down'])
  })

  test('is stopped once, however often it is asked for', () => {
    const driven = up()
    driven.give({ kind: 'close' })
    expect(driven.give({ kind: 'close' })).toEqual([])
    driven.give({ kind: 'released' })
    expect(driven.give({ kind: 'close' })).toEqual([])
    driven.give({ kind: 'recorded-down' })
    expect(driven.give({ kind: 'close' })).toEqual([])
    expect(driven.state.phase.kind).toBe('over')
  })

  test('is left as it is where the daemon ends', () => {
    const driven = up()
    expect(driven.give({ kind: 'abandon' })).toEqual([{ kind: 'hang-up', attempt: 1 }])
  })
})

// ------------------------------------------------------------------ histories

/** Three members, of which one after the other is told to start it; links break, answers are late, members pause. */
class World {
  readonly random: () => number
  now = 0
  readonly #events: { readonly at: number; readonly run: () => void }[] = []
  store = {
    revision: 1,
    owner: undefined as { node: string; token: number } | undefined,
    up: undefined as string | undefined,
  }
  ownership: Ownership = nobody
  current: { node: string; attempt: number } | undefined
  isReachable = true
  isQuorate = true
  readonly members = new Map<string, { state: RemoteConnectionState; losses: number; began: number }>()

  constructor(seed: number) {
    this.random = seededRandom(seed)
  }

  chance(share: number): boolean {
    return this.random() < share
  }

  after(ms: number, run: () => void): void {
    this.#events.push({ at: this.now + ms, run })
  }

  /** What happens soon, at a moment of its own. */
  soon(run: () => void): void {
    this.after(1 + Math.floor(this.random() * 300), run)
  }

  advance(ms: number): void {
    const end = this.now + ms
    for (;;) {
      let first = 0
      this.#events.forEach(({ at }, index) => {
        if (at < (this.#events[first]?.at ?? 0)) first = index
      })
      const next = this.#events[first]
      if (next === undefined || next.at > end) break
      this.#events.splice(first, 1)
      this.now = next.at
      next.run()
    }
    this.now = end
  }

  begin(node: string, input: ConnectionInput): void {
    const before = this.members.get(node)
    if (before !== undefined && before.state.phase.kind !== 'over') this.give(node, { kind: 'abandon' })
    this.members.set(node, { state: unopenedConnection, losses: 0, began: this.now })
    this.give(node, input)
  }

  give(node: string, input: ConnectionInput): void {
    const member = this.members.get(node)
    if (member === undefined) return
    const view = { ...wanted, isRecordedUp: this.store.up !== undefined, now: monotonicMs(this.now) }
    const { state, effects } = connectionStep(member.state, input, view)
    member.state = state
    for (const effect of effects) this.#perform(node, effect)
    const at = nextConnectionAt(state)
    if (at !== undefined && at !== this.#armed.get(node)) this.after(at - this.now, () => this.#tick(node, at))
    this.#armed.set(node, at)
  }
  readonly #armed = new Map<string, MonotonicMs | undefined>()

  #tick(node: string, at: MonotonicMs): void {
    if (this.#armed.get(node) !== at) return
    this.#armed.delete(node)
    this.give(node, { kind: 'time' })
  }

  #perform(node: string, effect: ConnectionEffect): void {
    const member = this.members.get(node)
    if (member === undefined) return
    /** For this life of the connection. */
    const answer = (input: ConnectionInput): void =>
      this.soon(() => {
        if (this.members.get(node) === member) this.give(node, input)
      })
    switch (effect.kind) {
      case 'claim':
        if (!this.isQuorate) answer({ kind: 'not-claimed', why: 'no quorum' })
        else if (effect.onlyIfOwn && this.store.owner?.node !== node) answer({ kind: 'not-claimed', why: 'another' })
        else {
          const token = ++this.store.revision
          this.store.owner = { node, token }
          answer({ kind: 'claimed', token })
        }
        return
      case 'dial':
        if (this.isReachable) answer({ kind: 'dialled', attempt: effect.attempt })
        else answer({ kind: 'failed', attempt: effect.attempt, why: 'no way', hostAnswered: this.chance(0.5) })
        return
      case 'own': {
        if (!this.isReachable) {
          if (this.chance(0.5)) answer({ kind: 'failed', attempt: effect.attempt, why: 'cut', hostAnswered: false })
          return
        }
        const next = ownedBy(this.ownership, { highestToken: effect.token, owner: node })
        if (next !== undefined) {
          const before = this.current
          this.ownership = next
          this.current = { node, attempt: effect.attempt }
          if (before !== undefined)
            this.soon(() => this.give(before.node, { kind: 'taken', attempt: before.attempt, by: node }))
        }
        answer({ kind: 'owned', attempt: effect.attempt, accepted: next !== undefined, life: {} })
        return
      }
      case 'record-up': {
        const applied = this.store.owner?.node === node && this.store.owner.token === effect.token
        if (!this.isQuorate) answer({ kind: 'failed', attempt: effect.attempt, why: 'no quorum', hostAnswered: true })
        else {
          if (applied) this.store.up = node
          answer({ kind: 'recorded', attempt: effect.attempt, applied })
        }
        return
      }
      case 'record-down':
        if (this.isQuorate && this.store.owner?.node === node && this.store.owner.token === effect.token) {
          this.store.owner = undefined
          this.store.up = undefined
        }
        answer({ kind: 'recorded-down' })
        return
      case 'release':
        if (this.isReachable) answer({ kind: 'released' })
        return
      case 'hang-up':
        if (this.current?.node === node && this.current.attempt === effect.attempt) this.current = undefined
        return
      case 'lost':
        member.losses++
        return
      case 'taken':
        if (effect.isLoss) member.losses++
        return
      case 'connected':
      case 'broke':
        return
      default:
        effect satisfies never
    }
  }

  /** The links of all of them, or the way to the remote node for a while. */
  breakLinks(): void {
    const hostAnswered = this.chance(0.5)
    this.current = undefined
    for (const [node, { state }] of this.members)
      this.give(node, { kind: 'failed', attempt: state.attempt, why: 'cut', hostAnswered })
  }

  get upOn(): readonly string[] {
    return [...this.members].flatMap(([node, { state }]) => (state.phase.kind === 'up' ? [node] : []))
  }
}

const names = ['n1', 'n2', 'n3']
const startMs = 20_000
/** Until a member that has a start or a broken link knows what has come of it. */
const longestMs = connectionTimes.longestPauseMs + connectionTimes.graceMs + 2 * connectionTimes.stepMs + 1000

function disturb(world: World): void {
  const node = names[Math.floor(world.random() * names.length)] ?? 'n1'
  const turn = world.random()
  if (turn < 0.35) world.begin(node, { kind: 'start', timeoutMs: startMs })
  else if (turn < 0.45) world.begin(node, { kind: 'take-up' })
  else if (turn < 0.6) world.breakLinks()
  else if (turn < 0.7) world.isReachable = !world.isReachable
  else if (turn < 0.75) world.isQuorate = !world.isQuorate
  else if (turn < 0.85) world.give(node, { kind: 'close' })
  else if (turn < 0.9) world.give(node, { kind: 'hand-over' })
  if (world.chance(0.1)) world.breakLinks()
}

/** More by hand: `HISTORIES=5000 FIRST_SEED=1000 npx vitest run --project quick test/node/remote-connection.test.ts`. */
const histories = Number(process.env.HISTORIES ?? 200)
const firstSeed = Number(process.env.FIRST_SEED ?? 1)

describe(`in ${histories} histories`, () => {
  const run = (seed: number): World => {
    const world = new World(seed)
    for (let turn = 0; turn < 20; turn++) {
      disturb(world)
      world.advance(Math.floor(world.random() ** 3 * 20_000))
      for (const [node, { losses }] of world.members) expect(losses, `seed ${seed}: ${node}`).toBeLessThan(2)
    }
    world.isReachable = true
    world.isQuorate = true
    return world
  }

  test('everything that was begun ends; who is up is the one that the remote node obeys; once things are quiet a start connects, and a stop leaves nothing behind', () => {
    for (let seed = firstSeed; seed < firstSeed + histories; seed++) {
      const world = run(seed)
      world.advance(startMs + longestMs)
      for (const [node, { state }] of world.members)
        expect(['over', 'up'], `seed ${seed}: ${node} ${JSON.stringify(state)}`).toContain(state.phase.kind)
      expect(world.upOn.length, `seed ${seed}`).toBeLessThan(2)
      if (world.upOn.length === 1) expect(world.ownership.owner, `seed ${seed}`).toBe(world.upOn[0])
      world.begin('n2', { kind: 'start', timeoutMs: startMs })
      world.advance(startMs)
      expect(world.upOn, `seed ${seed}`).toEqual(['n2'])
      expect(world.store.up, `seed ${seed}`).toBe('n2')
      world.give('n2', { kind: 'close' })
      world.advance(connectionTimes.releaseMs + 1000)
      expect(world.store, `seed ${seed}`).toMatchObject({ owner: undefined, up: undefined })
      expect(world.current, `seed ${seed}`).toBeUndefined()
    }
  }, 120_000)
})
