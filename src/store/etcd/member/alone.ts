/**
 * Two steps that give up a member's place in its cluster, each only with somebody's word: the survivor of two goes on alone
 * (the other node must be fenced), and a node that was left behind discards its log and joins again.
 */
import { rmSync } from 'node:fs'
import type { Clock } from '../../port/clock.ts'
import { pause } from '../../port/clock.ts'
import { StoreUnavailableError } from '../../port/errors.ts'
import { EtcdAdmin } from '../admin.ts'
import type { TlsFiles } from '../endpoint.ts'
import { findMember, hasData, isAlive, markStarted, ownEndpoint, startMember, wipeData } from './process.ts'
import { unfinishedReplacement } from './replace.ts'
import { dataDirectory, type MemberSettings, rejoinJournal } from './settings.ts'
import { noteCommitOfAll } from './write-ahead-log.ts'

export interface AloneOptions {
  readonly settings: MemberSettings
  readonly tls?: TlsFiles
  readonly clock: Clock
  readonly timeoutMs: number
}

/** Has every change that was ever confirmed: a member that joins has not, before the others have promoted it. */
export function isCompleteMember(settings: MemberSettings): boolean {
  return hasData(settings) && unfinishedReplacement(settings) === undefined
}

/**
 * Restarts the member as a cluster of one, with all its data. Nobody may be supervising it meanwhile. What fails before `onPointOfNoReturn`
 * has changed nothing.
 */
export async function restartAlone(options: AloneOptions & { readonly onPointOfNoReturn?: () => void }): Promise<void> {
  const { settings, clock } = options
  await endMember(options, 0)
  noteCommitOfAll(`${dataDirectory(settings)}/member/wal`)
  options.onPointOfNoReturn?.()
  await startMember(settings, { kind: 'alone' })
  const admin = new EtcdAdmin({
    endpoints: [ownEndpoint(settings)],
    clock,
    ...(options.tls === undefined ? {} : { tls: options.tls }),
  })
  const end = clock.now() + options.timeoutMs
  try {
    for (;;) {
      const status = await admin.status(200).catch(() => undefined)
      if (status !== undefined && status.leader !== '0') return markStarted(settings)
      if (clock.now() > end)
        throw new StoreUnavailableError(
          `etcd on ${settings.name} did not come up alone within ${options.timeoutMs} ms. See ${settings.directory}/etcd.log.`,
        )
      await pause(clock, 20)
    }
  } finally {
    admin.close()
  }
}

/** Ends the member and sets its data aside; with `joins` in its settings it then comes to the cluster as a new member. */
export async function discardMember(options: AloneOptions): Promise<void> {
  await endMember(options, options.timeoutMs)
  wipeData(options.settings)
  rmSync(rejoinJournal(options.settings), { force: true })
}

/** A member without a leader may wait long for one before it ends; its log is written, so that nothing is lost without patience. */
export async function endMember(
  { settings, clock }: Pick<AloneOptions, 'settings' | 'clock'>,
  patienceMs: number,
): Promise<void> {
  const pid = findMember(settings)
  if (pid === undefined) return
  if (patienceMs > 0) process.kill(pid, 'SIGTERM')
  const end = clock.now() + patienceMs
  while (isAlive(settings, pid)) {
    if (clock.now() >= end) process.kill(pid, 'SIGKILL')
    await pause(clock, 20)
  }
}
