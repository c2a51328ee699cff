import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nodeName } from '../../../src/base/index.ts'
import { isLeftStopped, noteStarted } from '../../../src/daemon/jobs/left-stopped.ts'
import { begin, tasksFolder, writeOrder, writeResult } from '../../../src/daemon/jobs/task-files.ts'
import { newRecord, type RolloutInput, readRollout, rolloutStep } from '../../../src/rollout/index.ts'

/** The folders of tasks as a daemon finds them when it begins. */
const n1 = nodeName('n1')
let data: string

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'systole-left-'))
  mkdirSync(tasksFolder(data))
})
afterEach(() => rmSync(data, { recursive: true, force: true }))

/** As a rollout begins it on a node. */
function argvOf(command: object): readonly string[] {
  const read = readRollout({ rollout: 'a', version: '2', nodes: 'all', steps: { hold: 'none', actions: [command] } })
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
    clock: { day: 1, minutes: 0 },
  }
  let record = newRecord({ ...given, waves: [{ nodes: [n1] }] }, 1)
  for (let step = 0; step < 3; step++) {
    const { state, effects } = rolloutStep(record, input, 1)
    for (const effect of effects) if (effect.kind === 'put-task') return effect.argv
    record = state
  }
  throw new Error('No command was begun.')
}

const stops = argvOf({ run: 'upgrade', 'stops-cluster': true })

/** `lost`: its runner ended with the boot in which it began. */
function task(id: string, argv: readonly string[], trace: 'ready' | 'running' | 'lost' | 'ended'): void {
  const folder = join(tasksFolder(data), id)
  writeOrder(folder, { argv, env: {}, timeoutMs: 1000, maxOutput: 1000 })
  if (trace !== 'ready') begin(folder)
  if (trace === 'lost' || trace === 'ended') writeFileSync(join(folder, 'begun'), '{"pid":1,"start":"never"}')
  if (trace === 'ended') writeResult(folder, { started: 'then', ended: 'now', exitCode: 1 })
}

test('a command that was lost with the cluster stopped leaves its node to the daemon, once', () => {
  task('r1-1-1', stops, 'lost')
  expect(isLeftStopped(data)).toBe(true)
  noteStarted(data)
  expect(isLeftStopped(data)).toBe(false)
  task('r1-1-2', stops, 'lost')
  expect(isLeftStopped(data)).toBe(true)
})

test('no other command does: one that runs, has ended, has not begun, or does not stop the cluster', () => {
  task('r1-1-1', stops, 'running')
  task('r1-1-2', stops, 'ended')
  task('r1-1-3', stops, 'ready')
  task('r1-1-4', argvOf({ run: 'upgrade' }), 'lost')
  task('r1-1-5', ['sh', '-c', 'systole cluster stop'], 'lost')
  mkdirSync(join(tasksFolder(data), 'torn'))
  writeFileSync(join(tasksFolder(data), 'torn', 'begun'), '{')
  writeFileSync(join(tasksFolder(data), 'torn', 'task.json'), '{')
  expect(isLeftStopped(data)).toBe(false)
  noteStarted(data)
  task('r1-1-1', stops, 'lost')
  expect(isLeftStopped(data)).toBe(true)
})

test('a node without tasks is left as it was', () => {
  rmSync(tasksFolder(data), { recursive: true })
  expect(isLeftStopped(data)).toBe(false)
})
