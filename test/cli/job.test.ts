import { expect, test } from 'vitest'
import type { Call } from '../../src/cli/call/command.ts'
import { jobCopy } from '../../src/cli/commands/job/copy.ts'
import { jobOutput } from '../../src/cli/commands/job/job.ts'
import {
  commandsTable,
  commandText,
  exitCodeOf,
  type Job,
  type JobNode,
  jobJson,
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

test('of a list of commands each has a result on each node, as far as they have ended', () => {
  const argv = ['sh', '-c', 'for line; do :; done', 'sh', 'true', 'exit 7', 'echo never']
  const of = job([node('failed', { commands: '0:3 7:12' }), node('waiting')], { argv })
  expect(commandsTable(of)).toBe(
    'n-failed  succeeded                3 ms   true\nn-failed  failed with exit code 7  12 ms  exit 7\n',
  )
  expect(jobJson(of)).toMatchObject({
    nodes: [
      {
        commands: [
          { command: 'true', exitCode: 0, ms: 3 },
          { command: 'exit 7', exitCode: 7, ms: 12 },
        ],
      },
      {},
    ],
  })
})

test('files of one name are not copied into one folder: the last would take the place of the others', async () => {
  const call = { command: jobCopy, words: ['a/x', 'b/x', 'c/y'], flags: new Map([['to', '/etc/']]) } as unknown as Call
  await expect(jobCopy.run(call)).rejects.toThrow('a/x and b/x would all be x in the folder. Copy them one by one.')
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
