/** What the command line asks about named locks. */
import { longestName, tooLong } from '../../base/index.ts'
import { type Handlers, type localService, type Messages, refuse } from '../../rpc/index.ts'
import { unchanged } from '../../store/index.ts'
import { readBootId } from '../host/boot-id.ts'
import {
  type Asking,
  afterAcquire,
  afterRelease,
  type LockRecord,
  type LockStep,
  parseLock,
} from '../locks/lock-record.ts'
import { refuseUnfit } from '../records/fit-value.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import { lockKey, locksPrefix } from '../records/keys.ts'
import { quorumSoon } from '../shared-state/quorum-soon.ts'
import { type AnsweringDaemon, configuredFile } from './configured-file.ts'

/** Others who want the same lock at the same time come first that often. */
const attempts = 20
const shortestMs = 1000
const longestMs = 7 * 24 * 3_600_000
const mostLocks = 1000
const longestReason = 1024

export function lockHandlers(
  daemon: AnsweringDaemon,
): Pick<Handlers<typeof localService>, 'acquireLock' | 'releaseLock' | 'listLocks'> {
  return {
    acquireLock: async (asked) => {
      configuredFile(daemon)
      refuseWrong(asked)
      return await change(daemon, asked.name, (before, locks) => {
        const step = afterAcquire(before, asked, asking(daemon, asked.user))
        if (step.outcome === 'acquired' && locks >= mostLocks)
          throw refuse('too-many', `There are ${mostLocks} locks already. Release some of them first.`)
        return step
      })
    },
    releaseLock: async (asked) => {
      configuredFile(daemon)
      return await change(
        daemon,
        asked.name,
        (before) => afterRelease(before, asked, asking(daemon, asked.user)),
        asked.force,
      )
    },
    listLocks: async () => {
      configuredFile(daemon)
      const { entries } = await daemon.node.store.list(locksPrefix)
      return { locks: entries.flatMap(({ value }) => parseLock(fromBytes(value)) ?? []).map(asMessage) }
    },
  }
}

function asking(daemon: AnsweringDaemon, user: string): Asking {
  return {
    user: user || 'unknown',
    node: daemon.node.name,
    bootId: readBootId(),
    now: new Date().toISOString(),
  }
}

function refuseWrong({ name, owner, reason, holder, user, ttlMs }: Messages['AcquireLockRequest']): void {
  if (name === '') throw refuse('bad-name', 'A lock needs a name.')
  const sentence = tooLong('name of the lock', name, longestName) ?? tooLong('owner', owner ?? user, longestName)
  if (sentence !== undefined) throw refuse('bad-name', sentence)
  if (owner === '') throw refuse('bad-name', 'The owner of a lock needs a name.')
  refuseUnfit({
    'The name of a lock': name,
    'The owner of a lock': owner ?? user,
    'The reason': reason,
    'The holder': holder,
  })
  const tooMuch = tooLong('reason', reason ?? '', longestReason) ?? tooLong('holder', holder ?? '', longestName)
  if (tooMuch !== undefined) throw refuse('too-long', tooMuch)
  if (!(ttlMs >= shortestMs && ttlMs <= longestMs))
    throw refuse('bad-duration', 'A lock is held for one second at least and for seven days at most.')
}

/** By what the store has, which this node may not have seen yet: of two who want it at the same moment one gets it. */
async function change(
  daemon: AnsweringDaemon,
  name: string,
  step: (before: LockRecord | undefined, locks: number) => LockStep,
  force = false,
): Promise<Messages['LockAnswer']> {
  const key = lockKey(name)
  const { store } = daemon.node
  if (!(await quorumSoon(daemon.node)))
    throw refuse('no-quorum', 'This node has no quorum and cannot acquire, extend or release a lock.')
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const { entries } = await store.list(locksPrefix)
    const entry = entries.find((one) => one.key === key)
    const before = entry && parseLock(fromBytes(entry.value))
    if (entry && !before && !force) throw unreadable(name)
    const made: LockStep = entry && !before ? { outcome: 'released', after: undefined } : step(before, entries.length)
    if (!('after' in made)) return { outcome: made.outcome, ...(before && { lock: asMessage(before) }) }
    const { outcome, after } = made
    const { applied } = await store.transaction({
      compare: [unchanged(key, entry)],
      writes: [after ? { kind: 'put', key, value: toBytes(after) } : { kind: 'delete', key }],
    })
    const lock = after ?? before
    if (applied) return { outcome, ...(lock && { lock: asMessage(lock) }) }
  }
  throw refuse('lock-in-use', `Others are changing the lock '${name}' at this moment. Nothing was changed: try again.`)
}

const unreadable = (name: string): Error =>
  refuse(
    'lock-unreadable',
    `A newer version of Systole holds the lock '${name}'. Release it there, or with --force if whatever it protects has ended.`,
  )

const asMessage = ({ holder, bootId: _, ...lock }: LockRecord): Messages['Lock'] => ({
  ...lock,
  kept: holder !== undefined,
})
