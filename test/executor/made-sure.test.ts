/** Fault injection: every step between taking a command and writing its result throws once, and the result comes all the same. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { failed, nodeName, resourceId } from '../../src/base/index.ts'
import { formatTransitionKey, type OperationRecord } from '../../src/cib/index.ts'
import { type Answer, Executor } from '../../src/executor/index.ts'
import type { AgentOutcome, AgentRunner, ReadMetadata } from '../../src/resource-agents/index.ts'
import type { ResourceAction } from '../../src/transition/index.ts'
import { TestNode } from './test-node.ts'

type Ports = ConstructorParameters<typeof Executor>[0]

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-made-sure-'))
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true, force: true })
})

const agent = { class: 'ocf', provider: 'test', type: 'web' }
const outcome: AgentOutcome = { status: 'done', exitCode: 0, output: '', execTimeMs: 1 }
const runner: AgentRunner = { run: () => ({ finished: Promise.resolve(outcome), kill: () => undefined }) }
const metadata: ReadMetadata = () => Promise.resolve(failed({ code: 'agent-metadata', agent: 'web', message: 'none' }))
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

const throws =
  (error: Error = new TypeError('a mistake')) =>
  () => {
    throw error
  }
const full = Object.assign(new Error('ENAMETOOLONG: file name too long'), { code: 'ENAMETOOLONG' })

/** Does what it does from the second time on. */
function secondTime<Parameters extends unknown[], Answer>(
  error: Error,
  act: (...parameters: Parameters) => Answer,
): (...parameters: Parameters) => Answer {
  let times = 0
  return (...parameters) => {
    if (times++ === 0) throw error
    return act(...parameters)
  }
}

class Injected {
  readonly written: OperationRecord[] = []
  readonly executor: Executor
  #orders = 0

  constructor(change: (ports: Ports) => Partial<Ports>) {
    const ports: Ports = {
      node: nodeName('alpha'),
      runner,
      metadata,
      store: {
        announce: () => Promise.resolve('written'),
        record: (records) => {
          this.written.push(...records)
          return Promise.resolve(7)
        },
        forget: () => Promise.resolve(),
      },
      log: silent,
      runFolder: folder,
      firstCallId: 1,
      earlier: [],
    }
    this.executor = new Executor({ ...ports, ...change(ports) })
  }

  async order(operation: string, more: Partial<ResourceAction> = {}): Promise<Answer> {
    const key = {
      action: ++this.#orders,
      transition: 1,
      expectedExitCode: 0,
      uuid: '00000000-0000-4000-8000-000000000001',
    }
    return await this.executor.perform({
      term: 1,
      plannedFrom: 1,
      transitionKey: formatTransitionKey(key),
      timeoutMs: 1000,
      action: {
        kind: 'resource',
        id: 1,
        inputs: [],
        attributes: {},
        priority: 0,
        resource: resourceId('web'),
        operation,
        intervalMs: 0,
        key: `web_${operation}_0`,
        agent,
        node: nodeName('alpha'),
        nodeId: '1',
        downed: [],
        ...more,
      },
    })
  }

  /** The result of it, as it was written. */
  async result(operation: string, more: Partial<ResourceAction> = {}): Promise<Readonly<Record<string, string>>> {
    expect(await this.order(operation, more)).toEqual({ kind: 'taken', done: false })
    await vi.waitFor(() => expect(this.written).not.toEqual([]), 5000)
    return this.written[0]?.attributes ?? {}
  }
}

const error = { 'op-status': '4', 'rc-code': '1' }
const done = { 'op-status': '0', 'rc-code': '0' }

const steps: readonly (readonly [
  step: string,
  change: (ports: Ports) => Partial<Ports>,
  result: Readonly<Record<string, unknown>>,
])[] = [
  ['nothing', () => ({}), done],
  [
    'the runner',
    () => ({ runner: { run: throws(full) } }),
    { ...error, 'exit-reason': 'this node could not carry it out: ENAMETOOLONG: file name too long' },
  ],
  [
    'the run of the agent',
    () => ({ runner: { run: () => ({ finished: Promise.reject(full), kill: () => undefined }) } }),
    error,
  ],
  ['reading the metadata', () => ({ metadata: throws() }), done],
  ['an answer with the metadata', () => ({ metadata: () => Promise.reject(new Error('gone')) }), done],
  [
    'metadata that are damaged',
    () => ({ metadata: () => Promise.resolve({ ok: true, value: undefined }) as never }),
    done,
  ],
  [
    'metadata whose parameters are damaged',
    () => ({ metadata: () => Promise.resolve({ ok: true, value: { parameters: 7 } }) as never }),
    done,
  ],
  ['the log', () => ({ log: { debug: throws(), info: throws(), warn: throws(), error: throws() } }), done],
  [
    'the folder for what it was started with',
    () => {
      const file = join(folder, 'file')
      writeFileSync(file, '')
      return { runFolder: file }
    },
    done,
  ],
  [
    'announcing it, by a mistake',
    ({ store }) => ({ store: { ...store, announce: throws() } }),
    { ...error, 'exit-reason': 'this node could not carry it out: a mistake' },
  ],
  [
    'announcing it, for a moment',
    ({ store }) => ({ store: { ...store, announce: secondTime(new Error('no answer'), store.announce) } }),
    done,
  ],
  [
    'writing the result, for a moment',
    ({ store }) => ({ store: { ...store, record: secondTime(new Error('no answer'), store.record) } }),
    done,
  ],
  [
    'writing the result, by a mistake in what is told with it',
    ({ store }) => ({
      store: {
        ...store,
        record: (records, ...more) =>
          records.some(({ attributes }) => attributes['op-digest'] !== undefined)
            ? throws()()
            : store.record(records, ...more),
      },
    }),
    done,
  ],
]

describe.each(steps)('where %s throws', (_step, change, result) => {
  for (const operation of ['start', 'monitor', 'stop'])
    test(`a ${operation} has a result`, async () => {
      const node = new Injected(change)
      const isUnannounced = operation === 'monitor' && String(result['exit-reason']).includes('a mistake')
      expect(await node.result(operation)).toMatchObject(isUnannounced ? done : result)
      await node.executor.close()
    })
})

test('a command that cannot even be understood has a result where it says what it is about', async () => {
  const attributes = new Proxy({}, { get: throws() })
  const node = new Injected(() => ({}))
  expect(await node.result('start', { attributes })).toMatchObject(error)
  // The next is carried out as if nothing had been.
  node.written.length = 0
  expect(await node.result('stop')).toMatchObject(done)
  await node.executor.close()
})

test('an operation after one that threw is carried out', async () => {
  let times = 0
  const node = new Injected(() => ({ runner: { run: (call) => (times++ === 0 ? throws()() : runner.run(call)) } }))
  expect(await node.result('start')).toMatchObject(error)
  node.written.length = 0
  expect(await node.result('stop')).toMatchObject(done)
  await node.executor.close()
})

test('an agent that does not end even when it is killed has a result', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const node = new Injected(() => ({
    runner: { run: () => ({ finished: new Promise<never>(() => undefined), kill: throws() }) },
  }))
  await node.order('start')
  await vi.advanceTimersByTimeAsync(11_500)
  expect(node.written[0]?.attributes).toMatchObject({
    'op-status': '2',
    'exit-reason': 'start exceeded its timeout and could not be killed',
  })
  await node.executor.close()
})

describe('a name that no file system takes', () => {
  test.each([260, 2000])('of %i letters is run as any other, and told from those that begin alike', async (length) => {
    const node = new TestNode()
    const dummy = { class: 'ocf', provider: 'pacemaker', type: 'Dummy' }
    for (const name of [`${'a'.repeat(length)}1`, `${'a'.repeat(length)}2`]) {
      const attributes = { state: join(node.folder.path, `state-${name.slice(-1)}`) }
      expect(await node.run(dummy, name, 'monitor', { attributes, expected: 7 })).toMatchObject({ 'rc-code': '7' })
      expect(await node.run(dummy, name, 'start', { attributes })).toMatchObject(done)
    }
    expect(node.executor.mayRun).toHaveLength(2)
    const next = new TestNode(node.folder)
    expect(next.executor.mayRun.map((name) => name.slice(-1)).sort()).toEqual(['1', '2'])
    expect(await node.run(dummy, `${'a'.repeat(length)}1`, 'stop')).toMatchObject(done)
    expect(next.executor.mayRun.map((name) => name.slice(-1))).toEqual(['2'])
    await node.close()
  })

  test('of an agent: it is not installed', async () => {
    const node = new TestNode()
    const none = { class: 'ocf', provider: 'pacemaker', type: 'a'.repeat(300) }
    expect(await node.run(none, 'web', 'monitor', { expected: 7 })).toMatchObject({ 'rc-code': '5' })
    await node.close()
  })
})
