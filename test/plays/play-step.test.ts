import { describe, expect, test } from 'vitest'
import { nodeName, seededRandom } from '../../src/base/index.ts'
import type { TaskRecord } from '../../src/jobs/index.ts'
import {
  checkPlay,
  isDone,
  isOver,
  newPlay,
  type PlayRecord,
  type PlayWorld,
  parsePlay,
  playStep,
  playWord,
} from '../../src/plays/index.ts'

const now = '2026-11-27T08:00:00.000Z'
const later = '2026-11-27T09:00:00.000Z'

interface Wanted {
  readonly id: string
  readonly requires?: readonly string[]
  readonly nodes?: readonly string[]
  readonly once?: true
  readonly reboots?: true
}

const fresh = (steps: readonly Wanted[], more: { readonly queue?: true } = {}): PlayRecord =>
  newPlay({
    id: 'p1',
    user: 'root',
    node: nodeName('n1'),
    name: 'site.yaml',
    created: now,
    ...more,
    steps: steps.map(({ requires = [], nodes = ['n1', 'n2'], ...step }) => ({
      ...step,
      requires,
      nodes,
      timeoutMs: 60_000,
    })),
  })

/** A store and nodes that do what the tests say. */
class Stage {
  play: PlayRecord
  readonly tasks = new Map<string, TaskRecord>()
  readonly up = new Set(['n1', 'n2', 'n3'])
  readonly listed = new Set(['n1', 'n2', 'n3'])
  readonly coming = new Set<string>()
  readonly boots = new Map<string, string>()
  time = now

  constructor(play: PlayRecord) {
    this.play = play
  }

  get world(): PlayWorld {
    return {
      tasks: this.tasks,
      life: (node) => (this.up.has(node) ? { incarnation: 1, bootId: this.boots.get(node) ?? 'b1' } : undefined),
      isComing: (node) => this.coming.has(node),
      isListed: (node) => this.listed.has(node),
    }
  }

  step(): void {
    const { state, effects } = playStep(this.play, this.world, this.time)
    this.play = state
    for (const { task } of effects) this.tasks.set(task.id, task)
  }

  /** The tasks that were begun and not ended, as `step on node`. */
  get running(): readonly string[] {
    return [...this.tasks.values()].filter(({ state }) => state === 'ready' || state === 'running').map(nameOf)
  }

  end(name: string, more: Partial<TaskRecord> = { exitCode: 0 }): void {
    const task = [...this.tasks.values()].find(
      (one) => nameOf(one) === name && ['ready', 'running'].includes(one.state),
    )
    if (task === undefined) throw new Error(`no task ${name}: ${this.running.join()}`)
    this.tasks.set(task.id, { ...task, state: 'done', bootId: 'b1', started: now, ended: now, ...more })
    this.step()
  }

  say(word: 'resume' | 'cancel'): void {
    const changed = playWord(this.play, word)
    if (typeof changed === 'string') throw new Error(changed)
    this.play = changed
    this.step()
  }
}

const nameOf = ({ part = '', node }: TaskRecord): string => `${part.split('/')[1]} on ${node}`
const states = ({ steps }: PlayRecord): readonly string[] =>
  steps.map(({ hosts }) => hosts.map(({ state }) => state).join(' '))

const begun = (steps: readonly Wanted[], more: { readonly queue?: true } = {}): Stage => {
  const stage = new Stage(fresh(steps, more))
  stage.step()
  return stage
}

describe('a play', () => {
  test('begins a step when all that it requires is done on all its nodes', () => {
    const stage = begun([{ id: 'c', requires: ['a', 'b'], nodes: ['n3'] }, { id: 'a' }, { id: 'b', nodes: ['n3'] }])
    expect(stage.running).toEqual(['1 on n1', '1 on n2', '2 on n3'])
    stage.end('1 on n1')
    stage.end('2 on n3')
    expect(stage.running).toEqual(['1 on n2'])
    stage.end('1 on n2')
    expect(stage.running).toEqual(['0 on n3'])
    stage.end('0 on n3')
    expect(stage.play).toMatchObject({ state: 'done', ended: now })
  })

  test('halts after a failure, once what is under way has ended; resume does only what was not done', () => {
    const stage = begun([
      { id: 'a' },
      { id: 'b', requires: ['a'] },
      { id: 'x', nodes: ['n3'] },
      { id: 'y', requires: ['x'], nodes: ['n3'] },
    ])
    stage.end('0 on n1', { exitCode: 7, tail: 'no\n' })
    expect(stage.play.state).toBe('active')
    stage.end('2 on n3')
    expect(stage.running).toEqual(['0 on n2'])
    stage.end('0 on n2')
    expect(stage.play).toMatchObject({ state: 'halted', ended: now })
    expect(stage.play.steps[0]?.hosts[0]).toMatchObject({ state: 'failed', exitCode: 7, tail: 'no\n' })
    stage.say('resume')
    expect(stage.running.toSorted()).toEqual(['0 on n1', '3 on n3'])
    stage.end('0 on n1')
    expect(stage.running.toSorted()).toEqual(['1 on n1', '1 on n2', '3 on n3'])
  })

  test('runs a step for one node on the first that is there, and on another only where it had not begun', () => {
    const stage = new Stage(
      fresh([
        { id: 'a', once: true, nodes: ['n1', 'n2', 'n3'] },
        { id: 'b', requires: ['a'] },
      ]),
    )
    stage.up.delete('n1')
    stage.step()
    expect(stage.running).toEqual(['0 on n2'])
    stage.up.delete('n2')
    stage.step()
    stage.step()
    expect(stage.running).toEqual(['0 on n3'])
    const [unclaimed] = stage.tasks.values()
    expect(unclaimed).toMatchObject({ state: 'cancelled', reason: 'it had not begun' })
    stage.up.add('n1').add('n2')
    stage.step()
    stage.end('0 on n3')
    expect(states(stage.play)[0]).toBe('waiting skipped succeeded')
    expect(stage.running).toEqual(['1 on n1', '1 on n2'])
  })

  test('does not go to another node once it may have begun on one, and comes back to that one', () => {
    const stage = begun([{ id: 'a', once: true, nodes: ['n1', 'n2'] }])
    stage.end('0 on n1', { state: 'lost', reason: 'the node booted before it had ended' })
    expect(stage.play.state).toBe('halted')
    expect(stage.running).toEqual([])
    stage.say('resume')
    expect(stage.running).toEqual(['0 on n1'])
  })

  test('halts for a node that is away, or waits for it where that was asked for; one that was removed is not waited for', () => {
    const away = new Stage(fresh([{ id: 'a' }]))
    away.up.delete('n2')
    away.step()
    away.end('0 on n1')
    expect(away.play.state).toBe('halted')
    expect(away.play.steps[0]?.hosts[1]).toMatchObject({ state: 'offline', reason: 'the node was not online' })
    const waits = new Stage(fresh([{ id: 'a' }], { queue: true }))
    waits.up.delete('n2')
    waits.step()
    waits.end('0 on n1')
    expect(waits.play.state).toBe('active')
    waits.listed.delete('n2')
    waits.step()
    expect(waits.play.state).toBe('halted')
    const connecting = new Stage(fresh([{ id: 'a' }]))
    connecting.up.delete('n2')
    connecting.coming.add('n2')
    connecting.step()
    connecting.end('0 on n1')
    expect(connecting.play.state).toBe('active')
    connecting.up.add('n2')
    connecting.coming.clear()
    connecting.step()
    expect(connecting.running).toEqual(['0 on n2'])
    expect(waits.play.steps[0]?.hosts[1]?.reason).toBe('the node was removed from the cluster')
  })

  test('goes on after a boot when the node is back in another one, and says where it has not booted', () => {
    const stage = begun([
      { id: 'a', reboots: true, nodes: ['n1'] },
      { id: 'b', requires: ['a'], nodes: ['n1'] },
    ])
    stage.end('0 on n1')
    expect(stage.play.steps[0]?.hosts[0]?.state).toBe('started')
    stage.up.delete('n1')
    stage.step()
    stage.up.add('n1')
    stage.boots.set('n1', 'b2')
    stage.step()
    expect(stage.running).toEqual(['1 on n1'])
    const stays = begun([{ id: 'a', reboots: true, nodes: ['n1'] }])
    stays.end('0 on n1')
    stays.time = later
    stays.step()
    expect(stays.play).toMatchObject({ state: 'halted', steps: [{ hosts: [{ reason: 'the node has not booted' }] }] })
    const lost = begun([{ id: 'a', reboots: true, nodes: ['n1'] }])
    lost.boots.set('n1', 'b2')
    lost.end('0 on n1', { state: 'lost' })
    expect(lost.play.state).toBe('done')
  })

  test('gives what was collected to those that follow, and to nobody else’s name', () => {
    const stage = begun([{ id: 'a' }, { id: 'b', requires: ['a'], nodes: ['n3'] }])
    stage.end('0 on n1', { exitCode: 0, said: '{"host":"alpha"}' })
    stage.end('0 on n2', { exitCode: 0, said: 'not json' })
    const task = [...stage.tasks.values()].at(-1)
    expect(JSON.parse(task?.stdin ?? '')).toEqual({ query: { n1: { host: 'alpha' }, n2: {} } })
    expect(task).toMatchObject({ part: 'p1/1', owner: { kind: 'play', name: 'p1' }, notes: true })
  })

  test('halts where more is collected than its record has room for: what follows would miss it', () => {
    const stage = begun([{ id: 'a' }, { id: 'b', requires: ['a'] }])
    stage.end('0 on n1', { exitCode: 0, said: JSON.stringify({ long: 'x'.repeat(200_000) }) })
    stage.end('0 on n2', { exitCode: 0, said: JSON.stringify({ long: 'x'.repeat(200_000) }) })
    expect(stage.play.state).toBe('halted')
    expect(stage.play.steps[0]?.hosts[1]).toMatchObject({
      state: 'failed',
      reason: 'QUERY has collected more than 256 KiB',
    })
  })

  test('of thousands of steps is looked at within a moment: the DC does so after each change of the store', () => {
    const chain = Array.from({ length: 4000 }, (_, at) => ({
      id: `s${at}`,
      nodes: ['n1'],
      ...(at > 0 && { requires: [`s${at - 1}`] }),
    }))
    const stage = new Stage(fresh(chain))
    // Of the processor: other suites on the machine are no part of it.
    const begun = process.cpuUsage()
    expect(playStep(stage.play, stage.world, now).effects).toHaveLength(1)
    const wide = fresh(chain.map(({ id, nodes }) => ({ id, nodes })))
    expect(playStep(wide, stage.world, now).effects).toHaveLength(40)
    // It was five seconds.
    expect(process.cpuUsage(begun).user / 1000).toBeLessThan(1000)
  })

  test('that fails on many nodes at once keeps what they have printed only as far as the record fits into the store', () => {
    const stage = new Stage(fresh(Array.from({ length: 200 }, (_, at) => ({ id: `s${at}` }))))
    for (let round = 0; round < 20; round++) stage.step()
    const failed = (task: TaskRecord): TaskRecord => ({
      ...task,
      state: 'done',
      exitCode: 1,
      tail: '\u0001'.repeat(4000),
    })
    for (const [id, task] of stage.tasks) stage.tasks.set(id, failed(task))
    stage.step()
    expect(stage.play.state).toBe('halted')
    const hosts = stage.play.steps.flatMap((step) => step.hosts)
    expect(hosts.every(({ state }) => state === 'failed')).toBe(true)
    expect(hosts[0]?.tail).toHaveLength(2000)
    expect(JSON.stringify(hosts).length).toBeLessThan(256 * 1024)
  })

  test('is cancelled: what had not begun does not, what runs is ended', () => {
    const stage = begun([{ id: 'a' }, { id: 'b', requires: ['a'] }])
    const [first] = stage.tasks.values()
    if (first) stage.tasks.set(first.id, { ...first, state: 'running' })
    stage.say('cancel')
    expect([...stage.tasks.values()].map(({ state, cancel }) => [state, cancel])).toEqual([
      ['running', true],
      ['cancelled', undefined],
    ])
    stage.end('0 on n1', { state: 'cancelled' })
    expect(stage.play.state).toBe('cancelled')
    expect(playWord(stage.play, 'cancel')).toContain('has ended')
    stage.say('resume')
    expect(stage.running).toEqual(['0 on n1', '0 on n2'])
  })

  test('reads its record as it was written, and nothing else', () => {
    const { play } = begun([{ id: 'a' }])
    expect(parsePlay(JSON.parse(JSON.stringify(play)))).toEqual(play)
    for (const more of [
      { state: 'new' },
      { steps: [{}] },
      { query: 1 },
      { steps: [{ ...play.steps[0], requires: [4] }] },
    ])
      expect(parsePlay({ ...play, ...more })).toBeUndefined()
  })
})

describe('the door', () => {
  const component = { verb: 'RUN', label: 'RUN a', options: {}, text: 'a' }
  const step = { id: 'a', requires: [], nodes: ['n1'], components: [component] }
  const play = { name: 'x', steps: [step] }
  const brings = { ...component, verb: 'ADD', text: undefined }

  test('takes what files are read to', () => expect(checkPlay(play)).toEqual(play))

  test.each<readonly [unknown, string]>([
    [{ ...play, extra: 1 }, "There is no field 'extra' here"],
    [{ name: 'x', steps: [] }, 'The list is empty.'],
    [{ ...play, steps: [step, step] }, "The step 'a' is there twice."],
    [{ ...play, steps: [{ ...step, requires: ['b'] }] }, "There is no step 'b'."],
    [{ ...play, steps: [{ ...step, requires: ['a'] }] }, 'wait for each other'],
    [{ ...play, steps: [{ ...step, nodes: ['n1', 'n1'] }] }, 'A node is there twice.'],
    [{ ...play, steps: [{ ...step, components: [{ ...component, verb: 'OWN' }] }] }, "There is no component 'OWN'."],
    [{ ...play, steps: [{ ...step, components: [{ ...component, text: '' }] }] }, 'RUN takes COMMAND.'],
    [
      { ...play, steps: [{ ...step, components: [{ verb: 'ADD', label: '', options: {}, words: ['a', '/b'] }] }] },
      'brings no file',
    ],
    [{ ...play, steps: [{ ...step, components: [brings] }] }, 'ADD takes SOURCE DESTINATION.'],
    [
      { ...play, steps: [{ ...step, components: [{ ...component, files: [{ name: '../x', data: '', mode: 0 }] }] }] },
      'not a name',
    ],
    [
      {
        ...play,
        steps: [
          { ...step, nodes: Array.from({ length: 2000 }, (_, at) => `n${at}`) },
          { ...step, id: 'b', nodes: Array.from({ length: 2000 }, (_, at) => `n${at}`) },
          { ...step, id: 'c' },
        ],
      },
      '4000 steps at most',
    ],
    ...[
      { verb: 'EXEC', words: ['a'] },
      { verb: 'OWN', files: [{ name: 'own.py', data: '', mode: 0 }] },
    ].map((more): readonly [unknown, string] => [
      { ...play, steps: [{ ...step, components: [{ label: '', options: { timeout: 'soon' }, ...more }] }] },
      "'soon' is not a whole number",
    ]),
    [
      { ...play, steps: [{ ...step, components: [{ verb: 'SERVICE', label: '', options: {}, words: ['-Hhost'] }] }] },
      "'-Hhost' is not a name",
    ],
    [
      {
        ...play,
        steps: Array.from({ length: 51 }, (_, at) => ({
          ...step,
          id: `${at}`,
          requires: at === 0 ? [] : Array.from({ length: 1001 }, () => '0'),
        })),
      },
      '50000 requirements at most. These have 50050',
    ],
    [[], 'is not'],
  ])('refuses %#', (value, sentence) => {
    const wrong = checkPlay(JSON.parse(JSON.stringify(value)))
    expect(Array.isArray(wrong) ? wrong.join('\n') : wrong).toContain(sentence)
  })
})

/**
 * Everything that can die does, at every write: the DC before and after its transaction, nodes before and after they claim a task, the boot in the middle of one. The
 * record and the tasks are written together or not at all.
 */
class World {
  readonly random: () => number
  play: PlayRecord
  readonly tasks = new Map<string, TaskRecord>()
  readonly life = new Map<string, number>()
  readonly down = new Set<string>()
  readonly names = ['n1', 'n2', 'n3']
  /** Which step ran on which node, and how often since somebody resumed it. */
  runs = new Map<string, number>()
  faults = true
  resumes = 0
  problem: string | undefined

  constructor(seed: number) {
    this.random = seededRandom(seed)
    for (const name of this.names) this.life.set(name, 1)
    const count = 2 + this.below(7)
    const steps = Array.from({ length: count }, (_, at): Wanted => {
      const requires = Array.from({ length: at }, (__, one) => `s${one}`).filter(() => this.random() < 0.4)
      const nodes = this.names.filter(() => this.random() < 0.7)
      return {
        id: `s${at}`,
        requires,
        nodes: nodes.length === 0 ? ['n1'] : nodes,
        ...(this.random() < 0.3 && { once: true as const }),
      }
    })
    this.play = fresh(steps, this.random() < 0.5 ? { queue: true } : {})
  }

  below(count: number): number {
    return Math.floor(this.random() * count)
  }

  /** A DC of now or of before: one that knows an old record writes nothing, by compare-and-swap. */
  dc(): void {
    const world: PlayWorld = {
      tasks: new Map(this.tasks),
      life: (node) => {
        const incarnation = this.down.has(node) ? undefined : this.life.get(node)
        return incarnation === undefined ? undefined : { incarnation, bootId: `b${incarnation}` }
      },
      isComing: () => false,
      isListed: () => true,
    }
    const { state, effects } = playStep(this.play, world, now)
    // It dies before it has written, or others were first.
    if (this.faults && this.random() < 0.2) return
    for (const effect of effects) {
      if (effect.kind === 'begin' && this.tasks.has(effect.task.id))
        this.problem = `the task ${effect.task.id} begins twice`
      if (effect.kind === 'begin') this.checkOrder(effect.task, state)
      this.tasks.set(effect.task.id, effect.task)
    }
    this.play = state
  }

  checkOrder({ part = '', node }: TaskRecord, play: PlayRecord): void {
    const step = play.steps[Number(part.split('/')[1])]
    const open = step?.requires.filter((at) => {
      const one = play.steps[at]
      return one === undefined || !isDone(one)
    })
    if (step === undefined || open === undefined || open.length > 0)
      this.problem = `${part} begins on ${node} too early`
    const others = step?.once ? step.hosts.filter(({ state }) => state === 'started').length : 0
    if (others > 1) this.problem = `${part} runs on two nodes`
  }

  node(name: string): void {
    if (this.faults && this.random() < 0.08) this.fail(name)
    if (this.down.has(name)) {
      if (!this.faults || this.random() < 0.5) this.boot(name)
      return
    }
    const incarnation = this.life.get(name) ?? 0
    for (const task of [...this.tasks.values()].filter((one) => one.node === name)) {
      if (task.state === 'ready')
        this.tasks.set(task.id, { ...task, state: 'running', incarnation, bootId: `b${incarnation}` })
      else if (task.state === 'running' && task.incarnation !== incarnation)
        this.tasks.set(task.id, { ...task, state: 'lost', ended: now })
      else if (task.state === 'running' && this.random() < 0.6) this.run(task)
    }
  }

  run(task: TaskRecord): void {
    const key = `${task.part}@${task.node}`
    this.runs.set(key, (this.runs.get(key) ?? 0) + 1)
    const fails = this.faults && this.random() < 0.1
    this.tasks.set(task.id, { ...task, state: 'done', exitCode: fails ? 1 : 0, started: now, ended: now })
  }

  fail(name: string): void {
    this.down.add(name)
  }

  boot(name: string): void {
    this.down.delete(name)
    this.life.set(name, (this.life.get(name) ?? 0) + 1)
  }

  /** A person, who cancels now and then, and resumes in the end. */
  person(): void {
    if (this.faults && this.random() < 0.01 && !isOver(this.play)) {
      const cancelled = playWord(this.play, 'cancel')
      if (typeof cancelled !== 'string') this.play = cancelled
    }
    if (!isOver(this.play) || this.play.state === 'done' || this.random() > 0.2) return
    const started = this.play.steps.some(({ hosts }) => hosts.some(({ state }) => state === 'started'))
    if (started) this.problem = 'it has ended while something runs'
    const resumed = playWord(this.play, 'resume')
    if (typeof resumed === 'string') this.problem = resumed
    else this.play = resumed
    this.resumes++
  }

  turn(): void {
    this.dc()
    for (const name of this.names) this.node(name)
    this.person()
    if (parsePlay(this.play) === undefined) this.problem = 'its record cannot be read'
  }
}

test('whatever dies at whatever write, no step begins too early or twice, and a play that is resumed is done', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const world = new World(seed)
    for (let turn = 0; turn < 150 && world.problem === undefined; turn++) world.turn()
    world.faults = false
    for (let turn = 0; turn < 400 && world.play.state !== 'done' && world.problem === undefined; turn++) world.turn()
    expect(world.problem, `seed ${seed}`).toBeUndefined()
    expect(world.play.state, `seed ${seed}: ${JSON.stringify(world.play)}`).toBe('done')
    // At most once between two words of a person.
    for (const [key, count] of world.runs) expect(count, `seed ${seed}: ${key}`).toBeLessThanOrEqual(world.resumes + 1)
  }
})
