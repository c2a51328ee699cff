/** What the command line asks about plays. The DC goes on with what stands in the store (src/daemon/plays). */
import { didYouMean, similarWords } from '../../base/index.ts'
import { isTaskId } from '../../jobs/index.ts'
import {
  type AskedPlay,
  checkPlay,
  isAskedPlay,
  isOver,
  newPlay,
  type PlayRecord,
  parsePlay,
  playWord,
  timeoutOf,
} from '../../plays/index.ts'
import { type Handlers, type localService, type Messages, refuse } from '../../rpc/index.ts'
import { type Comparison, type Entry, unchanged, type Write } from '../../store/index.ts'
import { jobId } from '../jobs/job-id.ts'
import { longestWaitMs } from '../jobs/read-output.ts'
import { remoteNodesOf } from '../jobs/task-nodes.ts'
import type { Daemon } from '../lifecycle/daemon.ts'
import { playTransaction } from '../plays/play-keeper.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import { playKey, playPartKey, playsPrefix } from '../records/keys.ts'
import { quorumSoon } from '../shared-state/quorum-soon.ts'
import { untilState } from '../shared-state/until-state.ts'
import { configuredFile } from './configured-file.ts'

/** Others who change one at the same time come first that often. */
const attempts = 20
const mostActive = 20
/** Of all components together, with their files. etcd takes twice as much at once. */
const largestPlay = 4 * 1024 * 1024
/** Parts of a play in a transaction; the play itself is written with the last. */
const partsAtOnce = 100

export function playHandlers(
  daemon: Daemon,
): Pick<Handlers<typeof localService>, 'startPlay' | 'changePlay' | 'listPlays'> {
  return {
    startPlay: async (asked) => await start(daemon, asked),
    changePlay: async (asked) => await change(daemon, asked),
    listPlays: async (asked) => {
      configuredFile(daemon)
      return await list(daemon, asked)
    },
  }
}

async function start(daemon: Daemon, asked: Messages['StartPlayRequest']): Promise<Messages['PlayAnswer']> {
  configuredFile(daemon)
  const { node } = daemon
  if (Buffer.byteLength(asked.play) > largestPlay)
    throw refuse(
      'too-long',
      `The play with its files is longer than ${largestPlay / 1024 / 1024} MiB. Copy large files with 'systole job copy'.`,
    )
  const play = playIn(asked.play)
  if (!(await quorumSoon(node))) throw refuse('no-quorum', 'This node has no quorum and cannot start a play.')
  const known = [...node.file.nodes.map(({ name }) => name), ...remoteNodesOf(node.view)].map(String)
  const unknown = [...new Set(play.steps.flatMap(({ nodes }) => nodes))].filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw refuse(
      'no-such-node',
      ...unknown.map((name) => `There is no node '${name}'.${didYouMean(similarWords(name, known))}`),
    )
  for (const [name, { knowsPlays }] of node.view.members)
    if (knowsPlays !== true)
      throw refuse('older-version', `${name} runs a version of Systole without plays. Upgrade it first.`)
  const { entries } = await node.store.list(playsPrefix)
  if (plays(entries).filter(({ play: one }) => !isOver(one)).length >= mostActive)
    throw refuse('too-many', `${mostActive} plays are under way. Wait until some have ended, or cancel some.`)
  const record = recordOf(daemon, play, asked.user || 'unknown')
  await write(daemon, record, play)
  const { id, name, user } = record
  daemon.log.info('a play begins', { play: id, name, user, steps: play.steps.length })
  return { id, state: record.state }
}

function playIn(text: string): AskedPlay {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw refuse('bad-play', 'The play is not JSON.')
  }
  const checked = checkPlay(value)
  if (isAskedPlay(checked)) return checked
  throw refuse('bad-play', ...checked)
}

const recordOf = ({ node }: Daemon, { steps, name, force, queue }: AskedPlay, user: string): PlayRecord =>
  newPlay({
    id: jobId(),
    user,
    node: node.name,
    name,
    created: new Date().toISOString(),
    ...(force && { force }),
    ...(queue && { queue }),
    steps: steps.map((step) => ({ ...step, timeoutMs: timeoutOf(step) })),
  })

/** The parts first, so that nobody begins before all of them are there. The DC deletes those that stay without a play (play-keeper.ts). */
async function write({ node: { store } }: Daemon, record: PlayRecord, { steps }: AskedPlay): Promise<void> {
  const puts = steps.map(
    ({ components }, at): Write => ({
      kind: 'put',
      key: playPartKey(`${record.id}/${at}`),
      value: toBytes(components),
    }),
  )
  const isFirst = unchanged(playKey(record.id), undefined)
  const first = playPartKey(`${record.id}/0`)
  const own = playTransaction(record, [], () => undefined)
  let part: Comparison = { kind: 'absent', key: first }
  let isTaken = false
  while (puts.length > partsAtOnce && !isTaken) {
    const { applied } = await store.transaction({ compare: [isFirst, part], writes: puts.splice(0, partsAtOnce) })
    isTaken = !applied
    part = { kind: 'present', key: first }
  }
  const last = { compare: [isFirst, part, ...own.compare], writes: [...puts, ...own.writes] }
  if (isTaken || !(await store.transaction(last)).applied)
    throw refuse('play-busy', 'Another play has taken the same id at this moment. Nothing was begun: try again.')
}

async function change(daemon: Daemon, asked: Messages['PlayWordRequest']): Promise<Messages['PlayAnswer']> {
  configuredFile(daemon)
  const { node } = daemon
  const { id, word, user } = asked
  if (word !== 'resume' && word !== 'cancel') throw refuse('bad-word', `'${word}' is not understood.`)
  if (!(await quorumSoon(node))) throw refuse('no-quorum', 'This node has no quorum and cannot change a play.')
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const { entry, play } = await find(daemon, id)
    const changed = playWord(play, word)
    if (typeof changed === 'string') throw refuse('not-now', changed)
    if (changed === play) return { id, state: play.state }
    const { writes } = playTransaction(changed, [], () => undefined)
    const { applied } = await node.store.transaction({ compare: [unchanged(entry.key, entry)], writes })
    if (!applied) continue
    daemon.log.info('a play is changed', { play: id, word, user: user || 'unknown' })
    return { id, state: changed.state }
  }
  throw refuse('in-use', `The play ${id} is changing at this moment. Nothing was changed: try again.`)
}

interface Known {
  readonly entry: Entry
  readonly play: PlayRecord
}

const plays = (entries: readonly Entry[]): readonly Known[] =>
  entries.flatMap((entry) => {
    const play = parsePlay(fromBytes(entry.value))
    return play === undefined ? [] : [{ entry, play }]
  })

async function find({ node }: Daemon, id: string): Promise<Known> {
  const entry = isTaskId(id) ? await node.store.get(playKey(id)) : undefined
  const play = entry && parsePlay(fromBytes(entry.value))
  if (entry && play) return { entry, play }
  if (entry) throw refuse('play-unreadable', `The play '${id}' is one of a newer version of Systole.`)
  const { entries } = await node.store.list(playsPrefix)
  const ids = plays(entries).map((one) => one.play.id)
  throw refuse('no-such-play', `There is no play '${id}'.${didYouMean(similarWords(id, ids))}`)
}

async function list(daemon: Daemon, { id, newerThan, waitMs }: Messages['PlaysRequest']): Promise<Messages['Plays']> {
  const { node } = daemon
  if (id === undefined) {
    const { entries } = await node.store.list(playsPrefix)
    return { known: JSON.stringify(plays(entries).map(({ play }) => play)), revision: 0 }
  }
  const isNewer = (): boolean => (node.entry(playKey(id))?.modRevision ?? 0) > (newerThan ?? 0)
  if (newerThan !== undefined) await untilState(node, isNewer, Math.min(waitMs, longestWaitMs))
  const { entry, play } = await find(daemon, id)
  return { known: JSON.stringify([play]), revision: entry.modRevision }
}
