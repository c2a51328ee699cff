import { expect, test } from 'vitest'
import type { Call } from '../../src/cli/command.ts'
import { jobOutput } from '../../src/cli/commands/job/job.ts'
import {
  commandText,
  exitCodeOf,
  type Job,
  type JobNode,
  jobTable,
  summaryOf,
} from '../../src/cli/commands/job/print-job.ts'

const node = (state: string, more: Partial<JobNode> = {}): JobNode => ({
  node: `n-${state}`,
  state,
  timedOut: false,
  away: false,
  ...more,
})
const job = (nodes: readonly JobNode[], more: Partial<Job> = {}): Job => ({
  id: 'j1',
  user: 'root',
  node: 'n1',
  created: '2026-11-23T18:00:00.000Z',
  argv: ['true'],
  order: 'parallel',
  limit: 1,
  timeoutMs: 1,
  queue: false,
  waitsForLock: false,
  state: 'done',
  nodes,
  revision: 1,
  ...more,
})

const codes: readonly (readonly [string, number, Partial<Job>?])[] = [
  ['succeeded', 0],
  ['succeeded failed', 1],
  ['succeeded offline', 3],
  ['succeeded skipped', 3],
  ['failed skipped', 1],
  ['failed lost', 4],
  ['lost cancelled', 130],
  ['offline succeeded skipped', 0, { order: 'once' }],
  ['offline offline', 3, { order: 'once' }],
  ['failed skipped', 1, { order: 'once' }],
]
for (const [states, code, more] of codes)
  test(`a job with ${states}${more ? ' that runs once' : ''} has the exit code ${code}`, () => {
    const of = states.split(' ').map((state) => node(state))
    expect(exitCodeOf(job(of, more))).toBe(code)
  })

test('the table says what became of each node, in words', () => {
  const started = '2026-11-23T18:00:00.000Z'
  const of = [
    node('succeeded', { started, ended: '2026-11-23T18:00:01.250Z', exitCode: 0 }),
    node('failed', { started, ended: '2026-11-23T18:01:00.000Z', exitCode: 2 }),
    node('failed', { node: 'n2', signal: 'SIGTERM', timedOut: true }),
    node('failed', { node: 'n3', signal: 'SIGSEGV' }),
    node('lost', { reason: 'its runner was killed' }),
    node('waiting', { away: true }),
    node('offline', { reason: 'the node was not online' }),
  ]
  expect(jobTable(job(of))).toBe(
    [
      'n-succeeded  succeeded                          1.25 s',
      'n-failed     failed with exit code 2            60 s',
      'n2           failed: its time limit had passed',
      'n3           failed: ended by SIGSEGV',
      'n-lost       lost: its runner was killed',
      'n-waiting    waits until the node is online',
      'n-offline    not run: the node was not online',
      '',
    ].join('\n'),
  )
  expect(summaryOf(job(of))).toBe('Job j1: 1 succeeded, 3 failed, 1 lost, 1 waiting, 1 not run.')
})

test('a command is shown as a shell would need it', () => {
  expect(commandText(['sh', '-c', "echo 'a b'", 'x=1', ''])).toBe(`sh -c 'echo '\\''a b'\\''' x=1 ''`)
})

test('the output of a node that the job is not for is refused at once, also while the job goes on', async () => {
  const active = job([node('started')], { state: 'active' })
  const call = {
    command: jobOutput,
    words: ['j1'],
    flags: new Map([['on', 'n-started,n9']]),
    cluster: { live: { getJob: async () => await Promise.resolve(active) } },
  } as unknown as Call
  await expect(jobOutput.run(call)).rejects.toThrow("The job 'j1' is not for a node 'n9'.")
})
