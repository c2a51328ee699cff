/** What the daemon refuses of a job before anything is written. */
import { expect, test } from 'vitest'
import { nodeName } from '../../../src/base/index.ts'
import { jobHandlers } from '../../../src/daemon/api/job-api.ts'
import type { Daemon } from '../../../src/daemon/lifecycle/daemon.ts'
import { toBytes } from '../../../src/daemon/records/json-value.ts'
import { jobKey, taskKey } from '../../../src/daemon/records/keys.ts'
import { type CallContext, RefusedError } from '../../../src/rpc/index.ts'

const context = { caller: { kind: 'unknown' } } as CallContext
/** Without quorum: a job that nothing else is wrong with is refused for that. */
const node = {
  name: nodeName('n1'),
  file: { nodes: [{ name: 'n1' }] },
  quorate: false,
  onState: () => () => undefined,
}
const { runJob } = jobHandlers({ node, file: {}, refuseOnWitness: () => undefined } as unknown as Daemon)
const wanted = {
  argv: ['uptime'],
  env: {},
  nodes: [],
  order: 'parallel',
  limit: 0,
  timeoutMs: 60_000,
  queue: false,
  user: 'root',
}

const cases: readonly { readonly name: string; readonly more: object; readonly code: string }[] = [
  { name: 'no command', more: { argv: [] }, code: 'no-command' },
  { name: 'a NUL character', more: { env: { A: 'x\0' } }, code: 'unfit-value' },
  { name: 'a command of more than 128 KiB', more: { argv: ['echo', 'x'.repeat(128 * 1024)] }, code: 'too-long' },
  { name: 'input of more than 256 KiB', more: { stdin: 'x'.repeat(256 * 1024 + 1) }, code: 'too-long' },
  { name: 'a variable without a name', more: { env: { '': 'x' } }, code: 'bad-name' },
  { name: 'no time', more: { timeoutMs: 0 }, code: 'bad-duration' },
  { name: 'more than seven days', more: { timeoutMs: 8 * 24 * 3_600_000 }, code: 'bad-duration' },
  { name: 'output of more than 64 MiB', more: { maxOutput: 65 * 1024 * 1024 }, code: 'bad-size' },
  { name: 'an unknown order', more: { order: 'all' }, code: 'bad-order' },
  { name: 'half a node at a time', more: { limit: 0.5 }, code: 'bad-limit' },
  { name: 'a lock without a name', more: { lock: '' }, code: 'bad-name' },
]

for (const { name, more, code } of cases)
  test(`a job with ${name} is refused`, async () => {
    const refused: unknown = await runJob({ ...wanted, ...more } as never, context).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(RefusedError)
    expect(refused).toMatchObject({ code })
  })

test('a hundred jobs may be under way: those that have ended count no more', async () => {
  const record = {
    user: 'root',
    node: 'n1',
    created: '',
    argv: ['true'],
    timeoutMs: 1,
    order: 'parallel',
    limit: 1,
    begun: 0,
  }
  const jobs = Array.from({ length: 120 }, (_, at) => ({
    key: jobKey(`j${at}`),
    value: toBytes({ ...record, id: `j${at}`, nodes: [], state: at < 20 ? 'done' : 'active' }),
  }))
  const busy = (entries: readonly object[]): unknown => ({
    node: {
      ...node,
      quorate: true,
      view: { members: new Map() },
      runners: { warm: () => undefined },
      below: () => entries,
    },
    file: {},
    refuseOnWitness: () => undefined,
  })
  const run = async (entries: readonly object[]): Promise<unknown> =>
    await jobHandlers(busy(entries) as Daemon)
      .runJob(wanted as never, context)
      .catch((error: unknown) => error)
  expect(await run(jobs)).toMatchObject({ code: 'too-many' })
  // The next thing that it needs is the store, which is not there.
  expect(await run(jobs.slice(0, 119))).not.toBeInstanceOf(RefusedError)
})

test('the output of a task is read by the play or rollout that it belongs to, on its node, and by no other name', async () => {
  const task = (kind: string): object => ({
    value: toBytes({
      id: 'x.1',
      node: 'n1',
      argv: ['true'],
      timeoutMs: 1,
      owner: { kind, name: 'x', user: 'root' },
      state: 'done',
    }),
  })
  const reads = async (kind: string, more: object = {}): Promise<unknown> => {
    const known = { ...node, entry: (key: string) => (key === taskKey('x.1') ? task(kind) : undefined) }
    const daemon = { node: known, paths: { data: '/no/such' }, log: { info: () => undefined } } as unknown as Daemon
    const asked = { id: 'x', node: 'n1', task: 'x.1', offset: 0, waitMs: 0, ...more }
    return await jobHandlers(daemon)
      .readJobOutput(asked, { signal: new AbortController().signal } as CallContext)
      .catch((error: unknown) => error)
  }
  for (const kind of ['play', 'rollout']) expect(await reads(kind)).toMatchObject({ data: '', ended: true })
  const others = [{ id: 'y' }, { node: 'n2' }, { task: 'x.2' }, { task: '../x.1' }]
  for (const more of others) expect(await reads('play', more)).toMatchObject({ code: 'no-such-task' })
  expect(await reads('job')).toMatchObject({ code: 'no-such-task' })
})
