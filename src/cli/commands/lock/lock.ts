/** Named locks of the cluster: what scripts and people do one at a time, on whichever node. */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { parseDurationMs } from '../../../base/index.ts'
import type { Messages } from '../../../rpc/index.ts'
import { type Call, type Command, done, type Flag, type Outcome, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { patienceMs } from '../../call/patience.ts'
import { alignColumns } from '../../call/table.ts'
import { expectWords } from '../../grammar/words.ts'
import { KeptLock } from './kept-lock.ts'
import { type Ended, runChild } from './run-child.ts'

type Lock = Messages['Lock']

const defaultTtlMs = 10 * 60_000
/** Of a lock that a command keeps: a node that dies with it frees it no later. */
const keptTtlMs = 30_000
const pollMs = 500
const longestReason = 200
/** EX_TEMPFAIL of sysexits.h: the command was not run, or it was ended because the lock was lost. */
const notHeldExit = 75

const waitFlag: Flag = {
  name: 'wait',
  value: '[seconds]',
  summary: 'Wait this long at most until the lock is free',
}
const reasonFlag: Flag = {
  name: 'reason',
  value: 'text',
  summary: 'Shown to those who find the lock held, and in the list of locks',
}
const ownerFlag: Flag = {
  name: 'owner',
  value: 'name',
  summary: 'Who may extend and release the lock (default: user@node)',
}

export const lockAcquire: Command = {
  path: ['lock', 'acquire'],
  usage: '<name> [--ttl=<duration>] [--owner=<name>] [--reason=<text>] [--wait[=<seconds>]]',
  summary: 'Acquire a named lock, which one owner in the cluster holds at a time',
  details:
    'The exit code is 0 when the lock was acquired and 1 when another owner holds it. The lock ends when it is released, after --ttl (default: 10min, maximum: seven days), or when this node leaves the cluster or is fenced. With the --owner that holds it, the lock is extended; without --owner, a second acquire is refused.',
  examples: ['systole lock acquire db-migration --ttl=30min --wait=60'],
  flags: [
    {
      name: 'ttl',
      value: 'duration',
      summary: 'When the lock ends unless it is released or extended (default: 10min)',
    },
    ownerFlag,
    reasonFlag,
    waitFlag,
  ],
  completes: ['anything'],
  run: async (call) => {
    const usage = 'lock acquire <name> [--ttl=<duration>] [--owner=<name>] [--reason=<text>]'
    expectWords(call.words, { atLeast: 1, atMost: 1, usage })
    const { outcome, lock } = await acquire(call, {
      ...askedOf(call),
      ttlMs: ttlOf(call),
      ...textFlag(call, 'owner'),
      ...textFlag(call, 'reason'),
    })
    if (outcome === 'held') throw new Refusal(heldBy(lock))
    const text = outcome === 'renewed' ? 'is extended' : 'is acquired'
    return done(`The lock ${lock?.name} ${text}: ${lock?.owner} holds it until ${endOf(lock)}.\n`, { outcome, lock })
  },
}

export const lockRelease: Command = {
  path: ['lock', 'release'],
  usage: '<name> [--owner=<name>] [--force]',
  summary: 'Release a named lock',
  details: 'The exit code is 1 when another owner holds the lock. Releasing a lock that nobody holds changes nothing.',
  flags: [ownerFlag, { name: 'force', summary: 'Release the lock of another owner, or of a running command' }],
  completes: ['anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'lock release <name> [--owner=<name>] [--force]' })
    const [name = ''] = call.words
    const { outcome, lock } = await liveCluster(call).releaseLock({
      name,
      user: call.terminal.user,
      force: call.flags.has('force'),
      ...textFlag(call, 'owner'),
    })
    if (outcome === 'held')
      throw new Refusal(`${heldBy(lock)} Add --force to release it, if whatever it protects has ended.`)
    const text = outcome === 'free' ? `Nothing to change: nobody holds the lock ${name}.` : `The lock ${name} is free.`
    return done(`${text}\n`, { outcome, name, ...(lock && { lock }) })
  },
}

export const lockList: Command = {
  path: ['lock', 'list'],
  bare: [['lock']],
  usage: '',
  summary: 'Show the named locks that are held, by whom and until when',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'lock list' })
    const { locks } = await liveCluster(call).listLocks({})
    const rows = locks.map((lock) => [
      lock.name,
      `held by ${lock.owner}`,
      `on ${lock.node}`,
      `since ${lock.since}`,
      lock.kept ? 'while its command runs' : `until ${endOf(lock)}`,
      lock.reason ?? '',
    ])
    return done(rows.length === 0 ? 'No locks are held.\n' : alignColumns(rows), { locks })
  },
}

export const lockRun: Command = {
  path: ['lock', 'run'],
  usage: '<name> [--reason=<text>] [--wait[=<seconds>]] -- <command> [<argument>...]',
  summary: 'Run a command on this host while it holds a named lock',
  details:
    "The exit code is the command's. It is 75 when another owner holds the lock, so that the command was not run, or when the lock was lost while it ran. The lock is extended while the command runs. If it cannot be, because the node has no quorum, the command gets SIGTERM and then SIGKILL before another node can get the lock. If this command dies, the command that it runs gets SIGTERM, and the lock ends within 30 seconds.",
  examples: ['systole lock run nightly-backup --wait -- /usr/local/bin/backup'],
  flags: [reasonFlag, waitFlag],
  completes: ['anything'],
  run: runLocked,
}

async function runLocked(call: Call): Promise<Outcome> {
  const [name, program, ...args] = call.words
  if (name === undefined || program === undefined)
    throw new Refusal('Specify a lock and a command: systole lock run <name> -- <command> [<argument>...]')
  const asked = {
    ...askedOf(call),
    holder: randomUUID(),
    ttlMs: keptTtlMs,
    reason: program.slice(0, longestReason),
    ...textFlag(call, 'reason'),
  }
  const { outcome, lock, sentAt } = await acquire(call, asked)
  if (outcome === 'held') return { kind: 'refused', sentences: [heldBy(lock)], exitCode: notHeldExit }
  const child = runChild(program, args, call.flags.has('json'))
  const kept = new KeptLock(liveCluster(call), asked, sentAt + keptTtlMs, child.end)
  const ended = await child.ended
  const lost = await kept.stop()
  return outcomeOf(call, ended, lost)
}

function outcomeOf(call: Call, ended: Ended, lost: string | undefined): Outcome {
  const [name = '', program = ''] = call.words
  if (ended.kind === 'not-started') return { kind: 'refused', sentences: [ended.why], exitCode: ended.exitCode }
  if (lost !== undefined) {
    const sentence = `The lock ${name} was lost while ${program} ran, which was ended: ${lost}.`
    return { kind: 'refused', sentences: [sentence], exitCode: notHeldExit }
  }
  return done('', { name, command: call.words.slice(1), exitCode: ended.exitCode }, ended.exitCode)
}

const askedOf = ({ words: [name = ''], terminal }: Call): Messages['AcquireLockRequest'] => ({
  name,
  user: terminal.user,
  ttlMs: defaultTtlMs,
  renew: false,
})

function textFlag<Name extends 'owner' | 'reason'>({ flags }: Call, name: Name): { readonly [key in Name]?: string } {
  const value = flags.get(name)
  return (typeof value === 'string' ? { [name]: value } : {}) as { readonly [key in Name]?: string }
}

function ttlOf({ flags }: Call): number {
  const written = flags.get('ttl')
  if (typeof written !== 'string') return defaultTtlMs
  const ms = parseDurationMs(written)
  if (ms === undefined || ms <= 0) throw new Refusal(`'${written}' is not a duration. Examples: 30s, 10min, 1h.`)
  return ms
}

interface Acquired {
  readonly outcome: string
  readonly lock?: Lock
  /** When it was asked for, by this host's own clock: the cluster counts the lock's time from later on. */
  readonly sentAt: number
}

async function acquire(call: Call, asked: Messages['AcquireLockRequest']): Promise<Acquired> {
  const live = liveCluster(call)
  const until = performance.now() + patienceMs(call)
  for (let isFirst = true; ; isFirst = false) {
    const sentAt = performance.now()
    const answer = await live.acquireLock(asked)
    if (answer.outcome !== 'held' || performance.now() >= until) return { ...answer, sentAt }
    if (isFirst) call.terminal.progress(`Waiting. ${heldBy(answer.lock)}`)
    await delay(pollMs)
  }
}

function heldBy(lock: Lock | undefined): string {
  if (lock === undefined) return 'Another owner holds the lock.'
  const until = lock.kept ? 'while its command runs' : `until ${endOf(lock)}`
  return `${lock.owner} holds the lock ${lock.name} on ${lock.node}, since ${lock.since} and ${until}${lock.reason ? `: ${lock.reason}` : ''}.`
}

const endOf = (lock: Lock | undefined): string =>
  lock === undefined ? 'it is released' : new Date(Date.parse(lock.renewed) + lock.ttlMs).toISOString()
