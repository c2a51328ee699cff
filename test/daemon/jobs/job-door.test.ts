/** What the daemon refuses of a job before anything is written. */
import { expect, test } from 'vitest'
import { nodeName } from '../../../src/base/index.ts'
import { jobHandlers } from '../../../src/daemon/api/job-api.ts'
import type { Daemon } from '../../../src/daemon/lifecycle/daemon.ts'
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
