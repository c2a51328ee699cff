import { describe, expect, test } from 'vitest'
import { nodeName, seededRandom } from '../../src/base/index.ts'
import { isFinished, isTaskId, parseTask, type TaskRecord, type TaskTrace, taskStep } from '../../src/jobs/index.ts'

const now = '2026-11-23T18:00:00.000Z'
const later = '2026-11-23T18:01:00.000Z'
const self = { node: nodeName('n1'), incarnation: 7, bootId: 'b1' }
const ready: TaskRecord = {
  id: 'j1-n1',
  node: nodeName('n1'),
  argv: ['true'],
  timeoutMs: 60_000,
  owner: { kind: 'job', name: 'j1', user: 'root' },
  state: 'ready',
}
const running: TaskRecord = { ...ready, state: 'running', incarnation: 7, bootId: 'b1', started: now }
const nothing: TaskTrace = { kind: 'nothing' }
const step = (task: TaskRecord, trace: TaskTrace, more: object = {}) =>
  taskStep(task, { self: { ...self, ...more }, trace }, later)

describe('a task that is assigned to a life of its node', () => {
  const assigned: TaskRecord = { ...running, assigned: true }

  test('starts without a further claim, and goes on as others do', () => {
    expect(step(assigned, nothing)).toEqual({ kind: 'start' })
    expect(step(assigned, { kind: 'alive' }, { incarnation: 8 })).toEqual({ kind: 'none' })
    const result = { started: now, ended: later, exitCode: 0 }
    expect(step(assigned, { kind: 'ended', result }, { incarnation: 8 })).toMatchObject({ record: { state: 'done' } })
  })

  test('is not begun by a later life, however late that comes, nor once it is cancelled', () => {
    const reason = 'the daemon of the node ended before it had begun'
    expect(step(assigned, nothing, { incarnation: 8 })).toMatchObject({ record: { state: 'cancelled', reason } })
    expect(step({ ...assigned, cancel: true }, nothing)).toMatchObject({
      record: { state: 'cancelled', reason: 'it had not begun' },
    })
    expect(step(assigned, nothing, { bootId: 'b2' })).toMatchObject({ record: { state: 'lost' } })
  })
})

describe('a task', () => {
  test('is claimed before it starts', () => {
    expect(step(ready, nothing)).toEqual({ kind: 'record', record: { ...running, started: later } })
    expect(step(running, nothing)).toEqual({ kind: 'start' })
    expect(step(running, { kind: 'alive' })).toEqual({ kind: 'none' })
  })

  test('of another node, or one that has ended, is left alone', () => {
    expect(step({ ...ready, node: nodeName('n2') }, nothing)).toEqual({ kind: 'none' })
    for (const state of ['done', 'lost', 'cancelled'] as const)
      expect(step({ ...running, state }, { kind: 'ended', result: { started: now, ended: later } })).toEqual({
        kind: 'none',
      })
  })

  test('goes on under the next daemon of the same boot, and its result is recorded', () => {
    expect(step(running, { kind: 'alive' }, { incarnation: 8 })).toEqual({ kind: 'none' })
    expect(step(running, nothing, { incarnation: 8 })).toEqual({ kind: 'start' })
    const result = { started: now, ended: later, exitCode: 3, tail: 'no\n' }
    expect(step(running, { kind: 'ended', result }, { incarnation: 8 })).toEqual({
      kind: 'record',
      record: { ...running, ...result, state: 'done' },
    })
  })

  test('is lost after another boot, unless its result was written before', () => {
    const after = { incarnation: 8, bootId: 'b2' }
    expect(step(running, nothing, after)).toMatchObject({ record: { state: 'lost', ended: later } })
    expect(step(running, { kind: 'gone' }, after)).toMatchObject({ record: { state: 'lost' } })
    const result = { started: now, ended: later, exitCode: 0 }
    expect(step(running, { kind: 'ended', result }, after)).toMatchObject({ record: { state: 'done', exitCode: 0 } })
  })

  test('is lost where its runner was killed, or where nobody knows the boot', () => {
    expect(step(running, { kind: 'gone' })).toMatchObject({ record: { state: 'lost' } })
    const { bootId: _, ...unknown } = running
    expect(step(unknown, nothing, { incarnation: 8 })).toMatchObject({ record: { state: 'lost' } })
    expect(step(unknown, nothing)).toEqual({ kind: 'start' })
  })

  test('whose id was used before on the node is not begun', () => {
    expect(step(ready, { kind: 'gone' })).toMatchObject({ record: { state: 'lost' } })
  })

  test('that somebody cancels is not begun, or ended', () => {
    expect(step({ ...ready, cancel: true }, nothing)).toMatchObject({ record: { state: 'cancelled' } })
    expect(step({ ...running, cancel: true }, { kind: 'alive' })).toEqual({ kind: 'stop' })
    // By the runner, which finds that it is not wanted: another may be on its way.
    expect(step({ ...running, cancel: true }, nothing)).toEqual({ kind: 'start' })
    const result = { started: now, ended: later, signal: 'SIGTERM', cancelled: true } as const
    expect(step({ ...running, cancel: true }, { kind: 'ended', result })).toMatchObject({
      record: { state: 'cancelled', signal: 'SIGTERM' },
    })
  })
})

test('a record is read as it was written; what is no task is none', () => {
  const whole: TaskRecord = {
    ...running,
    env: { A: 'b' },
    stdin: 'x',
    maxOutput: 5,
    cancel: true,
    ended: later,
    exitCode: 1,
    signal: 'SIGKILL',
    timedOut: true,
    reason: 'why',
    tail: 'end',
    assigned: true,
  }
  expect(parseTask(JSON.parse(JSON.stringify(whole)))).toEqual(whole)
  const wrong: readonly object[] = [
    { id: '../x' },
    { id: '.x' },
    { argv: [] },
    { argv: 'true' },
    { timeoutMs: 0 },
    { state: 'new' },
    { owner: { kind: 'user', name: 'x', user: 'root' } },
  ]
  for (const more of wrong) expect(parseTask({ ...ready, ...more })).toBeUndefined()
  expect(isTaskId('a'.repeat(129))).toBe(false)
})

/** Everything that can die does, at every write: daemon, runner, power, and the answer of the store. */
class World {
  readonly random: () => number
  task: TaskRecord = ready
  revision = 1
  executions = 0
  results = 0
  faults = true
  boot = 1
  isOn = true
  daemon: { readonly incarnation: number; view: { readonly task: TaskRecord; readonly revision: number } } | undefined
  begunBy: Runner | undefined
  wasBegun = false
  result: { readonly cancelled?: true } | undefined
  cancelFile = false
  runners: Runner[] = []

  lives = 0

  /** `assigned`: to the first life of the node. */
  constructor(seed: number, assigned: boolean) {
    this.random = seededRandom(seed)
    if (assigned) this.task = { ...running, incarnation: 1, assigned: true }
  }

  chance(share: number): boolean {
    return this.random() < share
  }

  swap(revision: number, task: TaskRecord): void {
    if (revision !== this.revision) return
    if (isFinished(task)) this.results++
    this.task = task
    this.revision++
  }

  turn(): void {
    const { random } = this
    const events = [this.look, this.look, this.follow, this.advance, this.advance, this.advance, this.beginDaemon]
    const faults = [this.killDaemon, this.killRunner, this.powerOff, this.powerOn, this.fence, this.cancel]
    const all = this.faults ? [...events, ...events, ...events, ...faults] : [...events, this.powerOn]
    all[Math.floor(random() * all.length)]?.call(this)
  }

  beginDaemon(): void {
    if (!this.isOn || this.daemon) return
    this.daemon = { incarnation: ++this.lives, view: { task: this.task, revision: this.revision } }
  }

  follow(): void {
    if (this.daemon) this.daemon.view = { task: this.task, revision: this.revision }
  }

  trace(): TaskTrace {
    if (this.result) return { kind: 'ended', result: { started: now, ended: later, ...this.result } }
    if (this.begunBy && this.runners.includes(this.begunBy)) return { kind: 'alive' }
    if (this.daemon && this.runners.some(({ parent }) => parent === this.daemon?.incarnation)) return { kind: 'alive' }
    return { kind: this.wasBegun ? 'gone' : 'nothing' }
  }

  look(): void {
    if (!this.daemon) return
    const { incarnation, view } = this.daemon
    const here = { node: nodeName('n1'), incarnation, bootId: `b${this.boot}` }
    const action = taskStep(view.task, { self: here, trace: this.trace() }, now)
    if (action.kind === 'record') this.swap(view.revision, action.record)
    if (action.kind === 'start') {
      if (view.task.cancel) this.cancelFile = true
      this.runners.push({ parent: incarnation, at: 'starting' })
    }
    if (action.kind === 'stop') this.cancelFile = true
  }

  advance(): void {
    const runner = this.runners[Math.floor(this.random() * this.runners.length)]
    if (!runner) return
    if (runner.at === 'starting') {
      if (this.wasBegun) this.end(runner)
      else {
        this.wasBegun = true
        this.begunBy = runner
        runner.at = 'begun'
      }
    } else if (runner.at === 'begun' && this.cancelFile) this.finish(runner, { cancelled: true })
    else if (runner.at === 'begun') {
      this.executions++
      runner.at = 'executed'
    } else this.finish(runner, this.cancelFile && this.chance(0.5) ? { cancelled: true } : {})
  }

  finish(runner: Runner, result: { readonly cancelled?: true }): void {
    this.result = result
    this.end(runner)
  }

  end(runner: Runner): void {
    this.runners = this.runners.filter((one) => one !== runner)
  }

  killDaemon(): void {
    this.daemon = undefined
  }

  killRunner(): void {
    const runner = this.runners[0]
    if (runner) this.end(runner)
  }

  powerOff(): void {
    if (!this.isOn || this.chance(0.5)) return
    this.isOn = false
    this.daemon = undefined
    this.runners = []
    // Only the result is flushed.
    if (this.chance(0.5)) this.wasBegun = false
  }

  powerOn(): void {
    if (this.isOn) return
    this.isOn = true
    this.boot++
  }

  fence(): void {
    if (!this.isOn && this.task.state === 'running') this.swap(this.revision, { ...this.task, state: 'lost' })
  }

  cancel(): void {
    if (!isFinished(this.task) && this.chance(0.2)) this.swap(this.revision, { ...this.task, cancel: true })
  }
}

interface Runner {
  readonly parent: number
  at: 'starting' | 'begun' | 'executed'
}

test.each([
  ['claimed by its node', false],
  ['assigned to a life of its node', true],
])(
  'a task that is %s runs at most once, and one result is recorded, whatever dies at whichever write',
  (_, assigned) => {
    const seen = new Set<string>()
    for (let seed = 1; seed <= 3000; seed++) {
      const world = new World(seed, assigned)
      for (let turn = 0; turn < 40; turn++) world.turn()
      world.faults = false
      for (let turn = 0; turn < 1000 && !isFinished(world.task); turn++) world.turn()
      const { executions, results, task } = world
      expect({ seed, executions: Math.min(executions, 1), results, isFinished: isFinished(task) }).toEqual({
        seed,
        executions,
        results: 1,
        isFinished: true,
      })
      if (task.state === 'done') expect({ seed, executions }).toEqual({ seed, executions: 1 })
      seen.add(`${task.state} ${executions}`)
    }
    expect([...seen].sort()).toEqual(['cancelled 0', 'cancelled 1', 'done 1', 'lost 0', 'lost 1'])
  },
)
