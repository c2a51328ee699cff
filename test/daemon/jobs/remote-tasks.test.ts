/** Tasks of a remote node: what the member that holds its connection claims and records, and what a remote node that lies can make of that. */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { nodeName } from '../../../src/base/index.ts'
import { secretNamesOf } from '../../../src/cib/index.ts'
import { type HeldRemote, RemoteTaskKeeper } from '../../../src/daemon/jobs/remote-task-keeper.ts'
import type { RunnerEnd } from '../../../src/daemon/jobs/start-runner.ts'
import { fromBytes, toBytes } from '../../../src/daemon/records/json-value.ts'
import { remoteOwnerKey, taskKey } from '../../../src/daemon/records/keys.ts'
import type { StoreView } from '../../../src/daemon/records/store-view.ts'
import { TaskHost, taskLife } from '../../../src/daemon/remote/task-host.ts'
import { parseTask, type TaskRecord } from '../../../src/jobs/index.ts'
import { CallFailedError, isTaskAnswer, type TaskAnswer } from '../../../src/remote/index.ts'
import { EmbeddedStore, type Revision } from '../../../src/store/index.ts'
import { openStoreView } from '../../support/open-store-view.ts'

const logged: string[] = []
const note = (...entry: unknown[]): unknown => logged.push(JSON.stringify(entry))
const log = { debug: () => undefined, info: note, warn: note, error: note }
const remote = nodeName('r1')
const ready: TaskRecord = {
  id: 'j1.1',
  node: remote,
  argv: ['true'],
  timeoutMs: 60_000,
  owner: { kind: 'job', name: 'j1', user: 'anna' },
  state: 'ready',
}
const patience = { timeout: 30_000, interval: 20 }
const sh = (script: string): readonly string[] => ['sh', '-c', script]

let folder: string
let store: EmbeddedStore
let view: StoreView
let closing: (() => void)[]
let looks: (() => void)[]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'systole-remote-tasks-'))
  store = new EmbeddedStore({ directory: join(folder, 'store') })
  closing = []
  looks = []
  logged.length = 0
  view = await openStoreView(store, () => queueMicrotask(() => looks.forEach((look) => void look())))
})

afterEach(async () => {
  for (const close of closing) close()
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

/** A life of the daemon on the remote node. */
function host(incarnation = 7, bootId = 'b1', start = startRunner): TaskHost {
  const opened = new TaskHost({
    log,
    node: remote,
    incarnation,
    bootId,
    folder: join(folder, 'tasks'),
    componentsCommand: (_, components) => ({ argv: ['echo', JSON.stringify(components)] }),
    startRunner: start,
    warmRunner: () => undefined,
  })
  closing.push(() => opened.close())
  return opened
}

type Call = (name: string, body: { readonly id?: string; readonly waitMs?: number }) => Promise<unknown>

async function owned(): Promise<HeldRemote['owned']> {
  const key = remoteOwnerKey(remote)
  const { revision } = await store.transaction({
    compare: [],
    writes: [{ kind: 'put', key, value: toBytes({ node: 'n1' }) }],
  })
  return { kind: 'mod-revision', key, equals: revision as Revision }
}

const callsOf =
  (of: TaskHost): Call =>
  async (name, body) => {
    const answer = await (of[name as 'task'] as unknown as (body: unknown) => Promise<TaskAnswer>)(body)
    if (name === 'task') expect(isTaskAnswer(answer)).toBe(true)
    return answer
  }

/** A member that holds the connection. */
async function member(call: Call): Promise<{ readonly keeper: RemoteTaskKeeper; readonly lose: () => void }> {
  const link = { ended: false, call: call as HeldRemote['link']['call'] }
  const held = { remote, link, owned: await owned() }
  const keeper = new RemoteTaskKeeper({
    log,
    store: () => store,
    entry: view.get,
    below: view.below,
    held: () => (link.ended ? [] : [held]),
    quorate: () => true,
    secretNames: () => secretNamesOf({}),
  })
  closing.push(() => keeper.close())
  looks.push(() => keeper.look())
  keeper.look()
  return { keeper, lose: () => Object.assign(link, { ended: true }) }
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

describe('a task of a remote node', () => {
  test('is claimed and recorded by the member, with the life of the remote node, and runs there', async () => {
    await member(callsOf(host()))
    await put({
      ...ready,
      argv: sh('cat; echo $WHO on $SYSTOLE_NODE for $SYSTOLE_JOB; exit 3'),
      env: { WHO: 'me' },
      stdin: 'in\n',
    })
    expect(await until('done')).toMatchObject({
      exitCode: 3,
      incarnation: 7,
      bootId: 'b1',
      tail: 'in\nme on r1 for j1\n',
      owner: ready.owner,
    })
    expect(statSync(join(folder, 'tasks', ready.id)).mode & 0o777).toBe(0o700)
  })

  test('has an end that the member takes, however much it prints', async () => {
    await member(callsOf(host()))
    await put({ ...ready, argv: sh('seq 1 9999') })
    expect((await until('done'))?.tail).toMatch(/^\[\.\.\.\][\d\n]{4090,}9999\n$/)
  })

  test('whose result on the disk is not one is lost, and its connection stays', async () => {
    await member(callsOf(host()))
    const result = { started: 'then', ended: 'later' }
    const file = join(folder, 'tasks', ready.id, 'result.json')
    await put({ ...ready, argv: sh(`echo '${JSON.stringify(result)}' > ${file}; sleep 600`) })
    await until('lost')
  })

  test('goes on when the connection moves, runs once, and the next member records its end', async () => {
    const went = join(folder, 'went')
    const go = join(folder, 'go')
    const calls = callsOf(host())
    const first = await member(calls)
    await put({ ...ready, argv: sh(`echo once >> ${went}; while [ ! -e ${go} ]; do sleep 0.05; done; echo ended`) })
    await vi.waitFor(() => expect(existsSync(went)).toBe(true), patience)
    first.lose()
    first.keeper.close()
    await member(calls)
    writeFileSync(go, '')
    expect(await until('done')).toMatchObject({ exitCode: 0, tail: 'ended\n' })
    expect(readFileSync(went, 'utf8')).toBe('once\n')
  })

  test('is not written by a member that does not hold the connection any more', async () => {
    const asked: string[] = []
    const nothing: TaskAnswer = { trace: { kind: 'nothing' }, incarnation: 7, bootId: 'b1' }
    await member(async (name, body) => {
      if (name === 'tasks') return { ids: [] }
      asked.push(JSON.stringify(body))
      return nothing
    })
    // Somebody else has it.
    await owned()
    await put(ready)
    await vi.waitFor(() => expect(asked.length).toBeGreaterThan(1), patience)
    expect(await taskNow()).toEqual(ready)
    expect(asked.join()).not.toContain('begin')
  })

  test('is lost after another boot of the remote node, and not begun again', async () => {
    const first = host(7, 'b1')
    const one = await member(callsOf(first))
    await put({ ...ready, argv: sh('sleep 600') })
    await vi.waitFor(() => expect(existsSync(join(folder, 'tasks', ready.id, 'group'))).toBe(true), patience)
    one.lose()
    one.keeper.close()
    const { pid } = JSON.parse(readFileSync(join(folder, 'tasks', ready.id, 'begun'), 'utf8')) as { pid: number }
    process.kill(pid, 'SIGKILL')
    await member(callsOf(host(8, 'b2')))
    expect(await until('lost')).toMatchObject({ reason: 'the node booted before it had ended' })
    await vi.waitFor(() => expect(groupLives()).toBe(false), patience)
  })

  test('ends when it is cancelled', async () => {
    await member(callsOf(host()))
    await put({ ...ready, argv: sh('trap "echo bye; exit 5" TERM; echo up; sleep 600 & wait') })
    await vi.waitFor(
      () => expect(readFileSync(join(folder, 'tasks', ready.id, 'output'), 'utf8')).toBe('up\n'),
      patience,
    )
    const running = await until('running')
    if (running) await put({ ...running, cancel: true })
    expect(await until('cancelled')).toMatchObject({ tail: 'up\nbye\n' })
  })

  test('of a play performs its components', async () => {
    const key = '/systole/play-parts/p1/0'
    await store.transaction({ compare: [], writes: [{ kind: 'put', key, value: toBytes(['c']) }] })
    await member(callsOf(host()))
    await put({ ...ready, argv: ['-'], part: 'p1/0', owner: { ...ready.owner, kind: 'play', name: 'p1' } })
    expect(await until('done')).toMatchObject({ tail: '["c"]\n' })
  })

  test('leaves a folder there as long as its record is in the store', async () => {
    const opened = host()
    const one = await member(callsOf(opened))
    await put(ready)
    await until('done')
    await store.transaction({ compare: [], writes: [{ kind: 'delete', key: taskKey(ready.id) }] })
    await put({ ...ready, id: 'j1.2' })
    await until('done', 'j1.2')
    one.lose()
    await member(callsOf(opened))
    await vi.waitFor(async () => expect(await opened.tasks({ drop: [] })).toEqual({ ids: ['j1.2'] }), patience)
  })
})

const groupLives = (): boolean => {
  const { pid } = JSON.parse(readFileSync(join(folder, 'tasks', ready.id, 'group'), 'utf8')) as { pid: number }
  return existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
}

const life = { incarnation: 7, bootId: 'b1' }
const far = '2999-01-01T00:00:00.000Z'

describe('a remote node that lies', () => {
  test('hears of its own tasks only, and of nothing else that is in the store', async () => {
    const heard: string[] = []
    const calls = callsOf(host())
    await member(async (name, body) => {
      heard.push(JSON.stringify([name, body]))
      return await calls(name, body)
    })
    await put({ ...ready, id: 'j2.1', node: nodeName('n2'), argv: ['hunter2'] })
    await put({ ...ready, id: 'j2.2', node: nodeName('r2'), argv: ['hunter3'] })
    await put(ready)
    await until('done')
    expect(heard.join()).not.toMatch(/j2|hunter|anna/)
    expect(await taskNow('j2.1')).toMatchObject({ state: 'ready' })
    expect(await taskNow('j2.2')).toMatchObject({ state: 'ready' })
  })

  test('changes nothing of a record but how the task has ended, and no time to come', async () => {
    const result = { started: far, ended: far, exitCode: 0, node: 'n2', id: 'j2.1', owner: 'root', state: 'ready' }
    let begun = false
    await member(async (name, body) => {
      if (name === 'tasks') return { ids: ['j2.1'] }
      if ('begin' in body) begun = true
      // What is not in the form is taken out where it arrives: see test/remote/connection.test.ts.
      const { started, ended, exitCode } = result
      return { ...life, trace: begun ? { kind: 'ended', result: { started, ended, exitCode } } : { kind: 'nothing' } }
    })
    await put(ready)
    const done = await until('done')
    expect(done).toMatchObject({ id: ready.id, node: 'r1', owner: ready.owner, exitCode: 0 })
    for (const moment of [done?.started, done?.ended]) expect(Date.parse(moment ?? '')).toBeLessThanOrEqual(Date.now())
  })

  test('and says that a task runs is not asked again and again', async () => {
    let asked = 0
    await member(async (name) => {
      if (name === 'tasks') return { ids: [] }
      asked++
      return { ...life, trace: { kind: asked === 1 ? 'nothing' : 'alive' } }
    })
    await put(ready)
    await until('running')
    const before = asked
    const begun = performance.now()
    await vi.waitFor(() => expect(asked).toBeGreaterThan(before + 2), patience)
    expect(performance.now() - begun).toBeGreaterThan(900)
  })

  test('and begins nothing ends the task', async () => {
    await member(async (name) => (name === 'tasks' ? { ids: [] } : { ...life, trace: { kind: 'nothing' } }))
    await put(ready)
    expect(await until('done')).toMatchObject({ exitCode: 126, reason: expect.stringMatching(/log of r1/) as unknown })
  })
})

test('a remote node of an older version ends a task with a sentence', async () => {
  await member(async () => {
    throw new CallFailedError("This version does not support 'task'.")
  })
  await put(ready)
  expect(await until('done')).toMatchObject({
    exitCode: 126,
    reason: 'the version of Systole on r1 runs no tasks: upgrade it',
  })
})

test('a container that is made anew with its folders has another life, in the same boot', () => {
  const [one, other] = [mkdtempSync(join(folder, 'run-')), mkdtempSync(join(folder, 'run-'))]
  expect(taskLife(one, 'boot')).toBe(taskLife(one, 'boot'))
  expect(taskLife(one, 'boot')).not.toBe(taskLife(other, 'boot'))
  expect(taskLife(one, 'boot')).not.toBe(taskLife(one, 'next'))
})
