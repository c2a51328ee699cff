/** Whoever follows a rollout on a node that is upgraded: its daemon is away meanwhile, and knows nothing when it begins again. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { liveAccess } from '../../src/cli/access/live-access.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { type Printed, runLine } from '../../src/cli/start/run.ts'
import { refuseUnread } from '../../src/daemon/api/rollout-api.ts'
import {
  type GrpcServer,
  localService,
  localSocketPath,
  PeerCredentials,
  serveUnixSocket,
} from '../../src/rpc/index.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

const record = (state: string): object => ({
  id: 'r1',
  state,
  waves: [{}],
  nodes: [{ node: 'n1', wave: 0, phase: state === 'complete' ? 'done' : 'working', goal: 'forward' }],
  definition: { name: 'shop', version: '2', commands: [] },
  user: 'root',
  from: 'n1',
  since: 0,
  lines: 0,
  limits: [],
  journal: [],
})
const knownWith = (state: string): string =>
  JSON.stringify({ at: '', node: 'n1', rollouts: [record(state)], versions: [] })

const cib =
  '<cib validate-with="pacemaker-4.0" epoch="1" num_updates="0" admin_epoch="0"><configuration><crm_config/><nodes><node id="1" uname="n1"/></nodes><resources/><constraints/></configuration><status/></cib>'

let root: string
let server: Pick<GrpcServer, 'close'> | undefined
/** What the daemon answers, one after the other: the last again and again. */
let answers: (() => string)[]

/** As a daemon does before it has read anything. */
const unread = (): never => {
  refuseUnread({ configuration: undefined, name: 'n1' as never })
  throw new Error('a node that has read nothing has answered')
}

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'systole-follow-'))
  const path = localSocketPath(root)
  mkdirSync(dirname(path), { recursive: true })
  const handlers = {
    getCib: () => Promise.resolve({ xml: cib, version: 1 }),
    getState: () => Promise.resolve({ configured: true, started: true, quorate: true, localNode: 'n1' }),
    changeRollout: () => Promise.resolve({ id: 'r1', state: 'running' }),
    listRollouts: async () => {
      await Promise.resolve()
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      return { known: answer?.() ?? '' }
    },
  }
  server = await serveUnixSocket(path, PeerCredentials.open(), [{ service: localService, handlers }], () => undefined)
})
afterEach(async () => {
  await server?.close()
  rmSync(root, { recursive: true, force: true })
})

const type = async (...line: readonly string[]): Promise<Printed> =>
  await runLine({
    commands: allCommands,
    line,
    terminal: scriptedTerminal([]),
    openCluster: () => liveAccess(root, 'root'),
  })

test('is told that the node does not know at this moment, and then how it ends', async () => {
  answers = [() => knownWith('running'), unread, unread, () => knownWith('complete')]
  const { exitCode, standardOutput } = await type('rollout', 'resume', 'r1')
  expect(exitCode).toBe(0)
  expect(standardOutput).toContain('complete')
})

test('sees the copy of the node with `status`, and why it is a copy', async () => {
  answers = [unread]
  const copy = join(root, 'var/lib/systole/rollout/known.json')
  mkdirSync(dirname(copy), { recursive: true })
  writeFileSync(copy, knownWith('running'))
  const before = process.env.SYSTOLE_ROOT
  process.env.SYSTOLE_ROOT = root
  try {
    const { standardOutput } = await type('rollout', 'status')
    expect(standardOutput).toContain('n1 has not read the state of the cluster yet.')
    expect(standardOutput).toContain('r1')
  } finally {
    if (before === undefined) delete process.env.SYSTOLE_ROOT
    else process.env.SYSTOLE_ROOT = before
  }
})

test('`why` of a node says in which rollout its version has failed, with the end of the log and what to do', async () => {
  const tail = 'unpacking\nE: no space left on device\n'
  const failed = {
    node: 'n1',
    wave: 0,
    phase: 'failed',
    goal: 'forward',
    since: 0,
    why: 'install ended with 100',
    tail,
  }
  const log = [{ version: '2', state: 'failed', at: '1970-01-01T00:00:00.000Z', rollout: 'r1', tail }]
  const version = { node: 'n1', version: '2', state: 'failed', since: '1970-01-01T00:00:00.000Z', log }
  const halted = { ...record('halted'), nodes: [failed] }
  answers = [() => JSON.stringify({ at: '', node: 'n1', rollouts: [halted], versions: [version] })]
  const { standardOutput } = await type('why', 'n1')
  expect(standardOutput).toContain(`
  Version 2 has failed here, by rollout r1 of shop, at 1970-01-01T00:00:00Z: install ended with 100.
    unpacking
    E: no space left on device
  > systole rollout resume r1
  > systole rollout abort r1
`)
  // Reported by the node itself.
  const reported = { ...version, log: [{ ...log[0], rollout: 'anna on n1' }] }
  answers = [() => JSON.stringify({ at: '', node: 'n1', rollouts: [], versions: [reported] })]
  expect((await type('why', 'n1')).standardOutput).toContain(`
  Version 2 has failed here, by anna on n1, at 1970-01-01T00:00:00Z.
    unpacking
    E: no space left on device
  > systole rollout versions n1
`)
  answers = [() => knownWith('complete')]
  expect((await type('why', 'n1')).standardOutput).not.toContain('has failed')
})
