import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { runProgram } from '../../src/resource-agents/index.ts'
import { newRecord, type RolloutInput, readRollout, rolloutStep } from '../../src/rollout/index.ts'

/** A command that stops the cluster, as the task runs it, with a `systole` that notes how it was called. */
const n1 = nodeName('n1')
const patience = { timeout: 30_000, interval: 20 }
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-rollout-'))
  const systole = join(folder, 'systole')
  writeFileSync(systole, `#!/bin/sh\necho "$@" >> ${folder}/calls\n`)
  chmodSync(systole, 0o755)
  // A busy machine: what is to outlive the command has not left its group yet.
  const setsid = join(folder, 'setsid')
  writeFileSync(setsid, '#!/bin/sh\nsleep 0.5\nexec /usr/bin/setsid "$@"\n')
  chmodSync(setsid, 0o755)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const calls = (): string => (existsSync(`${folder}/calls`) ? readFileSync(`${folder}/calls`, 'utf8') : '')

function taskArgv(run: string): readonly string[] {
  const actions = [{ run, 'stops-cluster': true }]
  const read = readRollout({ rollout: 'shop', version: '2', nodes: 'all', steps: { hold: 'none', actions } })
  if (!read.ok) throw new Error(JSON.stringify(read.reports))
  const given = { id: 'r1', definition: read.value, limits: [], user: 'root', from: n1, before: new Map() }
  const input: RolloutInput = {
    nodes: new Map([[n1, { online: true, standby: false, maintenance: false, empty: true, votes: 1 }]]),
    tasks: new Map(),
    removed: new Set(),
    held: new Set(),
    settled: true,
    majority: 0,
    otherVotes: 0,
    roles: new Map(),
    services: new Map(),
    clock: { day: 0, minutes: 0 },
  }
  const holding = rolloutStep(newRecord({ ...given, waves: [{ nodes: [n1] }] }, 0), input, 1).state
  const [argv] = rolloutStep(holding, input, 1).effects.flatMap((one) => (one.kind === 'put-task' ? [one.argv] : []))
  if (argv === undefined) throw new Error('no command has begun')
  return argv
}

function begin(run: string): ReturnType<typeof runProgram> {
  const [path = '', ...words] = taskArgv(run)
  const environment = { PATH: `${folder}:/usr/bin:/bin` }
  return runProgram({
    path,
    arguments: words,
    environment,
    stdio: ['ignore', 'ignore', 'ignore'],
    timeoutMs: 60_000,
    graceMs: 100,
  })
}

/** The shell that waits for the end of the command's own. */
const isGuarded = (leader: number | undefined): boolean =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`systole-rollout-guard\0${leader}\0`)
      } catch {
        // It has ended meanwhile.
        return false
      }
    })

test('a command that stops the cluster and is killed leaves the cluster started', async () => {
  const run = begin(`trap '' TERM; echo > ${folder}/begun; while :; do sleep 0.05; done`)
  await vi.waitFor(() => expect(existsSync(`${folder}/begun`)).toBe(true), patience)
  run.kill()
  expect(await run.ended).toMatchObject({ signal: 'SIGKILL' })
  await vi.waitFor(() => expect(calls()).toBe('cluster start\n'), patience)
})

test('a command that stops the cluster and ends by itself starts it once, and nobody else does later', async () => {
  const run = begin('exit 3')
  expect(await run.ended).toMatchObject({ exitCode: 3 })
  await vi.waitFor(() => expect(isGuarded(run.processGroup)).toBe(false), patience)
  expect(calls()).toBe('cluster start\n')
})
