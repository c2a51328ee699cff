import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { nodeName } from '../../../src/base/index.ts'
import { type NodeStateRecord, secretNamesOf } from '../../../src/cib/index.ts'
import { emptyView } from '../../../src/controller/index.ts'
import { type RunnerEnd, TaskRunners } from '../../../src/daemon/jobs/start-runner.ts'
import { TaskCleaner } from '../../../src/daemon/jobs/task-cleaner.ts'
import { readResult, writeOrder } from '../../../src/daemon/jobs/task-files.ts'
import { TaskKeeper } from '../../../src/daemon/jobs/task-keeper.ts'
import { fromBytes, toBytes } from '../../../src/daemon/records/json-value.ts'
import { keys, ownersPrefixes, taskKey, tasksPrefix } from '../../../src/daemon/records/keys.ts'
import type { StoreView } from '../../../src/daemon/records/store-view.ts'
import { parseTask, type TaskRecord } from '../../../src/jobs/index.ts'
import { EmbeddedStore } from '../../../src/store/index.ts'
import { openStoreView } from '../../support/open-store-view.ts'

const logged: string[] = []
const log = {
  debug: () => undefined,
  info: (...entry: unknown[]) => logged.push(JSON.stringify(entry)),
  warn: () => undefined,
  error: () => undefined,
}
const ready: TaskRecord = {
  id: 'j1.n1',
  node: nodeName('n1'),
  argv: ['true'],
  timeoutMs: 60_000,
  owner: { kind: 'job', name: 'j1', user: 'anna' },
  state: 'ready',
}
const patience = { timeout: 30_000, interval: 20 }

let folder: string
let store: EmbeddedStore
let view: StoreView
let keepers: TaskKeeper[]
let looks: (() => void)[]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'systole-tasks-'))
  store = new EmbeddedStore({ directory: join(folder, 'store') })
  keepers = []
  looks = []
  view = await openStoreView(store, () => queueMicrotask(lookAll))
})

const lookAll = (): void => {
  for (const look of looks) look()
}

afterEach(async () => {
  for (const keeper of keepers) keeper.close()
  view.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const runnerProgram = join(import.meta.dirname, 'runner-main.ts')
function startRunner(task: string, onEnd: RunnerEnd): void {
  spawn(process.execPath, ['scripts/run.mjs', runnerProgram, task], { detached: true, stdio: 'ignore' })
    .once('exit', () => onEnd())
    .unref()
}

/** A life of the daemon on n1. */
function begin(
  incarnation: number,
  more: { readonly bootId?: string; readonly start?: typeof startRunner } = {},
): TaskKeeper {
  const keeper = new TaskKeeper({
    log,
    store: () => store,
    entry: view.get,
    below: view.below,
    componentsCommand: () => ({ argv: ['false'] }),
    self: { node: nodeName('n1'), incarnation, bootId: more.bootId ?? 'b1' },
    folder: join(folder, 'tasks'),
    quorate: () => true,
    startRunner: more.start ?? startRunner,
    warmRunner: () => undefined,
    secretNames: () => secretNamesOf({}),
  })
  keepers.push(keeper)
  looks.push(() => keeper.look())
  keeper.look()
  return keeper
}

async function put(task: TaskRecord): Promise<void> {
  await store.transaction({ compare: [], writes: [{ kind: 'put', key: taskKey(task.id), value: toBytes(task) }] })
}

const taskNow = async (id = ready.id): Promise<TaskRecord | undefined> => {
  const entry = await store.get(taskKey(id))
  return entry && parseTask(fromBytes(entry.value))
}

async function until(state: TaskRecord['state'], id = ready.id): Promise<TaskRecord | undefined> {
  await vi.waitFor(async () => expect(await taskNow(id)).toMatchObject({ state }), patience)
  return await taskNow(id)
}

const sh = (script: string): readonly string[] => ['sh', '-c', script]
const fileOf = (name: string): string => join(folder, 'tasks', ready.id, name)

describe('a task on its node', () => {
  test('is logged without the secrets of its command', async () => {
    begin(1)
    await put({ ...ready, argv: [...sh('exit 0'), 'login=shop', 'passwd=hunter2', '--token', 'hunter3'] })
    await until('done')
    await vi.waitFor(() => expect(logged.join()).toMatch(/"state":"done".*login=shop/), patience)
    expect(logged.join()).not.toContain('hunter')
  })

  test('runs with its environment and input; output, result and the end of the output are kept for root only', async () => {
    begin(1)
    await put({
      ...ready,
      argv: sh('cat; echo $WHO on $SYSTOLE_NODE for $SYSTOLE_JOB >&2; exit 3'),
      env: { WHO: 'me' },
      stdin: 'in\n',
    })
    const done = await until('done')
    expect(done).toMatchObject({ exitCode: 3, incarnation: 1, bootId: 'b1', tail: 'in\nme on n1 for j1\n' })
    expect(readFileSync(fileOf('output'), 'utf8')).toBe('in\nme on n1 for j1\n')
    for (const name of ['output', 'task.json', 'result.json', 'begun'])
      expect(statSync(fileOf(name)).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'tasks', ready.id)).mode & 0o777).toBe(0o700)
  })

  test('goes on when the daemon dies, and the next one records its end; it ran once', async () => {
    const went = join(folder, 'went')
    const go = join(folder, 'go')
    const first = begin(1)
    await put({ ...ready, argv: sh(`echo once >> ${went}; while [ ! -e ${go} ]; do sleep 0.05; done; echo ended`) })
    await vi.waitFor(() => expect(existsSync(went)).toBe(true), patience)
    first.close()
    begin(2)
    await store.transaction({ compare: [], writes: [{ kind: 'put', key: '/systole/other', value: toBytes(1) }] })
    expect(await taskNow()).toMatchObject({ state: 'running', incarnation: 1 })
    await store.transaction({ compare: [], writes: [{ kind: 'put', key: '/systole/other', value: toBytes(2) }] })
    spawn('touch', [go])
    expect(await until('done')).toMatchObject({ exitCode: 0, tail: 'ended\n' })
    expect(readFileSync(went, 'utf8')).toBe('once\n')
  })

  test('of two runners, started by daemons of which one died, one runs the command', async () => {
    const went = join(folder, 'went')
    const twice: typeof startRunner = (task, onEnd) => {
      startRunner(task, () => undefined)
      startRunner(task, onEnd)
    }
    begin(1, { start: twice })
    await put({ ...ready, argv: sh(`echo once >> ${went}; sleep 0.5`) })
    await until('done')
    expect(readFileSync(went, 'utf8')).toBe('once\n')
  })

  test('that runs for too long is ended with all that it started', async () => {
    begin(1)
    const left = join(folder, 'left')
    await put({ ...ready, timeoutMs: 300, argv: sh(`sleep 300 & echo $! > ${left}; wait`) })
    expect(await until('done')).toMatchObject({ timedOut: true, signal: 'SIGTERM' })
    const pid = Number(readFileSync(left, 'utf8'))
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), patience)
  })

  test('is ended when it is cancelled', async () => {
    begin(1)
    const went = join(folder, 'went')
    await put({ ...ready, argv: sh(`touch ${went}; exec sleep 300`) })
    await vi.waitFor(() => expect(existsSync(went)).toBe(true), patience)
    const running = await taskNow()
    if (running) await put({ ...running, cancel: true })
    expect(await until('cancelled')).toMatchObject({ signal: 'SIGTERM' })
  })

  test('keeps the beginning and the end of what it prints, and says how much is missing', async () => {
    begin(1)
    await put({ ...ready, maxOutput: 2000, argv: sh('i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done') })
    await until('done')
    const output = readFileSync(fileOf('output'), 'utf8')
    expect(output).toMatch(
      /^line 0\nline 1\n.*\n\[\.\.\. \d+ bytes of output were dropped here \.\.\.\]\n.*line 2999\n$/s,
    )
    const dropped = Number(/(\d+) bytes of output/.exec(output)?.[1])
    const marker = `\n[... ${dropped} bytes of output were dropped here ...]\n`
    const whole = Array.from({ length: 3000 }, (_, at) => `line ${at}\n`).join('').length
    expect(output.length - marker.length + dropped).toBe(whole)
  })

  test('whose program does not exist has ended, and says so', async () => {
    begin(1)
    await put({ ...ready, argv: ['/no/such/program'] })
    expect(await until('done')).toMatchObject({
      exitCode: 127,
      reason: 'it could not be started: there is no such program',
    })
  })

  test('whose runner was killed is lost, and its command ends', async () => {
    begin(1)
    const went = join(folder, 'went')
    await put({ ...ready, argv: sh(`echo $$ > ${went}; exec sleep 300`) })
    await vi.waitFor(() => expect(existsSync(went) && readFileSync(went, 'utf8')).toMatch(/\d+\n/), patience)
    const { pid } = JSON.parse(readFileSync(fileOf('begun'), 'utf8')) as { readonly pid: number }
    process.kill(pid, 'SIGKILL')
    expect(await until('lost')).toMatchObject({ reason: 'its runner was killed' })
    const command = Number(readFileSync(went, 'utf8'))
    await vi.waitFor(() => expect(isAlive(command)).toBe(false), patience)
  })

  test('that was claimed before the machine booted is lost, and not begun again', async () => {
    await put({ ...ready, state: 'running', incarnation: 1, bootId: 'b0', argv: sh(`touch ${join(folder, 'went')}`) })
    begin(2)
    expect(await until('lost')).toMatchObject({ reason: 'the node booted before it had ended' })
    expect(existsSync(join(folder, 'went'))).toBe(false)
  })

  test('that was claimed for this life of the daemon starts without a further claim; the next life does not begin it', async () => {
    const went = join(folder, 'went')
    const assigned = {
      ...ready,
      state: 'running',
      assigned: true,
      bootId: 'b1',
      argv: sh(`echo $SYSTOLE_TASK >> ${went}`),
    } as const
    const tried = vi.spyOn(store, 'transaction')
    begin(1)
    await put({ ...assigned, incarnation: 1 })
    expect(await until('done')).toMatchObject({ exitCode: 0, assigned: true })
    // Its record, and its result.
    expect(tried.mock.calls).toHaveLength(2)
    await put({ ...assigned, id: 'late', incarnation: 0 })
    expect(await until('cancelled', 'late')).toMatchObject({
      reason: 'the daemon of the node ended before it had begun',
    })
    expect(readFileSync(went, 'utf8')).toBe(`${ready.id}\n`)
  })

  test('that no runner can be started for has ended, and is not tried for ever', async () => {
    let starts = 0
    begin(1, {
      start: (_, onEnd) => {
        starts++
        spawn('false', { stdio: 'ignore' }).once('exit', () => onEnd())
      },
    })
    await put(ready)
    expect(await until('done')).toMatchObject({ exitCode: 126 })
    expect(starts).toBe(3)
  })
})

describe('a runner that waits for its task', () => {
  const opened: TaskRunners[] = []
  const runners = (program = [resolve('scripts/run.mjs'), runnerProgram]): TaskRunners => {
    const of = new TaskRunners(program)
    opened.push(of)
    return of
  }
  afterEach(() => {
    for (const of of opened.splice(0)) of.close()
  })
  const begun = (task: string): number =>
    (JSON.parse(readFileSync(join(task, 'begun'), 'utf8')) as { readonly pid: number }).pid
  const ordered = (...argv: readonly string[]): string => {
    const task = mkdtempSync(join(folder, 'task-'))
    writeOrder(task, { argv, env: { PATH: process.env.PATH ?? '' }, timeoutMs: 60_000, maxOutput: 1024 })
    return task
  }
  const run = async (of: TaskRunners, ...argv: readonly string[]): Promise<{ pid: number; exitCode: unknown }> => {
    const task = ordered(...argv)
    await new Promise<void>((end) => of.start(task, () => end()))
    return { pid: begun(task), exitCode: readResult(task)?.exitCode }
  }
  const gone = (pid: number): Promise<void> => vi.waitFor(() => expect(isAlive(pid)).toBe(false), patience)

  test('runs the task that it is given, then the next one, and one that was killed meanwhile is not waited for', async () => {
    const of = runners()
    of.warm()
    const [spare = 0] = of.spare
    expect(await run(of, 'true')).toEqual({ pid: spare, exitCode: 0 })
    expect(await run(of, 'sh', '-c', 'exit 3')).toEqual({ pid: spare, exitCode: 3 })
    expect(of.spare).toEqual([spare])
    process.kill(spare, 'SIGKILL')
    await vi.waitFor(() => expect(of.spare).toEqual([]), patience)
    expect(await run(of, 'true')).toMatchObject({ exitCode: 0 })
  })

  test('runs one task at a time: two at once have two', async () => {
    const of = runners()
    const both = await Promise.all([run(of, 'sleep', '0.5'), run(of, 'sleep', '0.5')])
    expect(new Set(both.map(({ pid }) => pid)).size).toBe(2)
    expect([...of.spare].sort()).toEqual(both.map(({ pid }) => pid).sort())
  })

  test('ends no other task where it is told late to end one', async () => {
    const of = runners()
    const first = await run(of, 'true')
    const late = ordered('sh', '-c', 'sleep 1; exit 5')
    const ended = new Promise<void>((end) => of.start(late, () => end()))
    await vi.waitFor(() => expect(existsSync(join(late, 'group'))).toBe(true), patience)
    process.kill(first.pid, 'SIGTERM')
    await ended
    expect(begun(late)).toBe(first.pid)
    expect(readResult(late)).toMatchObject({ exitCode: 5 })
  })

  test('ends when no task comes, and after its task where the daemon has ended', async () => {
    const of = runners()
    of.warm()
    const [spare = 0] = of.spare
    of.close()
    await gone(spare)
    const other = runners()
    const task = ordered('sleep', '0.5')
    other.start(task, () => undefined)
    await vi.waitFor(() => expect(existsSync(join(task, 'group'))).toBe(true), patience)
    other.close()
    await gone(begun(task))
    expect(readResult(task)).toMatchObject({ exitCode: 0 })
  })

  test('of a program that an upgrade has replaced runs one task, as every version can', async () => {
    const replaced = join(folder, 'run.mjs')
    writeFileSync(replaced, `import ${JSON.stringify(resolve('scripts/run.mjs'))}\n`)
    const of = runners([replaced, runnerProgram])
    writeFileSync(replaced, `// Another version.\nimport ${JSON.stringify(resolve('scripts/run.mjs'))}\n`)
    of.warm()
    expect(of.spare).toEqual([])
    const { pid, exitCode } = await run(of, 'true')
    expect(exitCode).toBe(0)
    expect(isAlive(pid)).toBe(false)
  })
})

test('a list of commands notes how each has ended, and how long it took', async () => {
  begin(1)
  const list = 'for code in 0 0 7; do (exit $code) 3>&-; code=$?; { echo $code >&3; } 2>/dev/null; done; exit $code'
  await put({ ...ready, notes: true, argv: sh(list) })
  expect(await until('done')).toMatchObject({
    exitCode: 7,
    commands: expect.stringMatching(/^0:\d+ 0:\d+ 7:\d+$/) as string,
  })
})

describe('the DC', () => {
  const state = (more: Partial<NodeStateRecord>): NodeStateRecord => ({
    node: nodeName('n1'),
    id: '1',
    inCcm: false,
    crmd: 'offline',
    join: 'down',
    expected: 'down',
    ...more,
  })
  const clean = (nodeState: NodeStateRecord | undefined, term: number | undefined): TaskCleaner => {
    const cleaner = new TaskCleaner({
      log,
      store: () => store,
      view: () => ({ ...emptyView, nodeStates: new Map(nodeState ? [[nodeName('n1'), nodeState]] : []) }),
      below: view.below,
      term: () => term,
    })
    looks.push(() => cleaner.look())
    cleaner.look()
    return cleaner
  }
  const lead = async (): Promise<number> => {
    await store.transaction({ compare: [], writes: [{ kind: 'put', key: keys.dc, value: toBytes({ node: 'n2' }) }] })
    return Number((await store.get(keys.dc))?.createRevision)
  }

  test('says that the tasks of a node that was fenced are lost; those of one that left in order go on', async () => {
    const term = await lead()
    await put({ ...ready, state: 'running' })
    await put({ ...ready, id: 'waits' })
    const inOrder = clean(state({}), term)
    await put({ ...ready, id: 'other', state: 'done', ended: '2000-01-01T00:00:00.000Z' })
    await vi.waitFor(async () => expect(await taskNow('other')).toBeUndefined(), patience)
    expect(await taskNow()).toMatchObject({ state: 'running' })
    inOrder.close()
    const fenced = clean(state({ attributes: { node_fenced: '1' } }), term)
    expect(await until('lost')).toMatchObject({ reason: 'the node was lost before it had ended' })
    expect(await taskNow('waits')).toMatchObject({ state: 'ready' })
    fenced.close()
  })

  test('keeps what ended as long as its job is listed, and lets no other node clean', async () => {
    const term = await lead()
    const old = { ...ready, state: 'done', ended: '2000-01-01T00:00:00.000Z' } as const
    await put(old)
    await put({ ...old, id: 'kept', owner: { ...old.owner, name: 'j2' } })
    await put({ ...old, id: 'new', ended: new Date().toISOString() })
    const job = `${ownersPrefixes.job}j2`
    await store.transaction({ compare: [], writes: [{ kind: 'put', key: job, value: toBytes({}) }] })
    const tried = vi.spyOn(store, 'transaction')
    const wrong = clean(undefined, term + 1)
    await vi.waitFor(() => expect(tried.mock.results).toHaveLength(1), patience)
    await Promise.all(tried.mock.results.map(({ value }) => value as Promise<unknown>))
    wrong.close()
    expect((await store.list(tasksPrefix)).entries).toHaveLength(3)
    const right = clean(undefined, term)
    await vi.waitFor(async () => expect(await taskNow()).toBeUndefined(), patience)
    expect((await store.list(tasksPrefix)).entries).toHaveLength(2)
    right.close()
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
