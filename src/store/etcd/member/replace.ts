/**
 * Makes this node a member with the help of the others: an old identity of it, whose data is lost or damaged, is removed,
 * the data set aside, a learner added, started, and promoted once it has caught up. The journal says how far it
 * came, so that a daemon that dies meanwhile goes on; every step may be done twice.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { EtcdAdmin } from '../admin.ts'
import { findMember, hasData, type StartedMember, startMember, wipeData } from './process.ts'
import { type MemberSettings, peerUrls, rejoinJournal } from './settings.ts'

export type ReplaceStage = 'remove' | 'add' | 'promote'

export function unfinishedReplacement(settings: MemberSettings): ReplaceStage | undefined {
  const path = rejoinJournal(settings)
  if (!existsSync(path)) return undefined
  const text = readFileSync(path, 'utf8')
  // Torn by a crash: from the beginning, which is always right.
  return text === 'add' || text === 'promote' ? text : 'remove'
}

export async function replaceMember(
  settings: MemberSettings,
  others: EtcdAdmin,
  run: { readonly onStarted: (started: StartedMember) => void; readonly signal: AbortSignal },
): Promise<void> {
  const urls = peerUrls(settings)
  let stage = unfinishedReplacement(settings) ?? 'remove'
  if (stage === 'remove') {
    note(settings, 'remove')
    await others.remove(urls)
    wipeData(settings)
    stage = 'add'
  }
  // One that was added and could not reach the others has no data: started as a founder it would make a cluster of its own.
  if (stage === 'add' || !hasData(settings)) {
    note(settings, 'add')
    const members = await others.addLearner(urls)
    run.signal.throwIfAborted()
    // Until it has started, the new member has no name in the list.
    const list = members.flatMap(({ name, peerURLs }) => {
      const known = urls.some((url) => peerURLs.includes(url)) ? settings.name : name
      return peerURLs.map((peerUrl) => ({ name: known, peerUrl }))
    })
    if (findMember(settings) === undefined) run.onStarted(await startMember(settings, { kind: 'join', members: list }))
    note(settings, 'promote')
  } else if (findMember(settings) === undefined) run.onStarted(await startMember(settings, { kind: 'found' }))
  await others.promote(urls, 60_000)
  rmSync(rejoinJournal(settings), { force: true })
}

function note(settings: MemberSettings, stage: ReplaceStage): void {
  mkdirSync(settings.directory, { recursive: true, mode: 0o700 })
  writeFileSync(rejoinJournal(settings), stage, { mode: 0o600 })
}
