/** The commands of rollouts, but for `plan`. The DC goes on with a rollout whatever becomes of the command. */
import { compareText } from '../../../base/index.ts'
import {
  hasEnded,
  hasFleetEnded,
  meantNodes,
  type RolloutsKnown,
  versionRun,
  type Word,
} from '../../../rollout/index.ts'
import { type Call, type Command, done, type Flag, type Outcome, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { alignColumns } from '../../call/table.ts'
import { expectWords } from '../../grammar/words.ts'
import { exitCodeOf, exitCodes, fleetLineOf, follow, lineOf } from '../../rollout/follow.ts'
import { knownNow, knownOrCopy, type Told } from '../../rollout/known.ts'
import { fleetRolloutFacts, printFleetPlan, printFleetRollout, type ShownFleet } from '../../rollout/print-fleet.ts'
import { printPlan } from '../../rollout/print-plan.ts'
import { printRollout, rolloutFacts, type ShownRollout, timeOf } from '../../rollout/print-rollout.ts'
import { type RolloutFile, readRolloutFile } from '../../rollout/read-file.ts'
import { fleetPlanOf, planOf } from './plan.ts'

const codes =
  'Exit codes: 0 complete, 1 refused, 3 halted by a failure, 4 aborted (everything is as it was), 75 not ended yet.'

const noWait: Flag = { name: 'no-wait', summary: 'Do not follow it; the cluster continues' }

export const rolloutStart: Command = {
  path: ['rollout', 'start'],
  usage: '<rollout file> [--no-wait] [--force] [--part-of=<key>]',
  summary: 'Start a rollout and follow it',
  details: `The plan is made first, and a rollout that \`rollout plan\` would refuse does not begin. The DC goes on with the rollout: this command may be ended. ${codes}`,
  examples: ['systole rollout start upgrade.yaml'],
  flags: [
    noWait,
    { name: 'force', summary: 'Start it against the advice of the plan' },
    {
      name: 'part-of',
      value: 'key',
      summary:
        'The rollout over several clusters that it is a part of: it is started once by this key, and waits for `rollout confirm` or `abort` when it is done',
    },
  ],
  completes: ['file'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'rollout start <rollout file>' })
    const file = await readRolloutFile(call.terminal, call.words[0] ?? '')
    const { definition, value } = file
    const partOf = partOfCall(call)
    if (definition.clusters !== undefined) return await startOverClusters(call, file, partOf)
    const same = partOf === undefined ? undefined : (await knownNow(call)).rollouts.find((one) => one.partOf === partOf)
    if (same !== undefined) return await begun(call, same)
    const { cib } = await call.cluster.readCib()
    const plan = await planOf(call, definition, { cib, isLive: true })
    if (plan.refusals.length > 0 && !call.flags.has('force'))
      throw new Refusal(...plan.refusals, 'Nothing was begun. See `systole rollout plan`, or add --force.')
    if (plan.waves.length === 0 && plan.refusals.length === 0)
      return done(`Nothing to do: ${plan.already.join(', ')} run ${definition.version} already.\n`, {
        already: plan.already,
      })
    if (!call.flags.has('json')) call.terminal.progress(printPlan(plan))
    const given = { file: JSON.stringify(value), user: call.terminal.user, ...(partOf !== undefined && { partOf }) }
    return await begun(call, await liveCluster(call).startRollout(given))
  },
}

async function begun(call: Call, { id, state }: { readonly id: string; readonly state: string }): Promise<Outcome> {
  if (call.flags.has('no-wait')) return done(`The rollout ${id} has begun.\n`, { id, state })
  return await follow(call, id)
}

function partOfCall({ flags }: Call): string | undefined {
  const said = flags.get('part-of')
  return typeof said === 'string' ? said : undefined
}

async function startOverClusters(call: Call, file: RolloutFile, partOf: string | undefined): Promise<Outcome> {
  if (partOf !== undefined)
    throw new Refusal('A rollout over clusters is not part of another one. Omit --part-of, or clusters in the file.')
  const plan = await fleetPlanOf(call, file)
  if (plan.refusals.length > 0 && !call.flags.has('force'))
    throw new Refusal(...plan.refusals, 'Nothing was begun. See `systole rollout plan`, or add --force.')
  if (!call.flags.has('json')) call.terminal.progress(printFleetPlan(plan))
  const given = { file: JSON.stringify(file.value), user: call.terminal.user }
  return await begun(call, await liveCluster(call).startRollout(given))
}

interface Spoken {
  readonly word: Word
  readonly summary: string
  readonly details: string
  readonly follows: boolean
  readonly said: (id: string) => string
}

const spoken: readonly Spoken[] = [
  {
    word: 'pause',
    summary: 'Start on no further node; nodes that have begun are finished',
    details: 'Continue it with `rollout resume`.',
    follows: false,
    said: (id) => `The rollout ${id} is paused.`,
  },
  {
    word: 'resume',
    summary: 'Continue a rollout that is paused or halted, and follow it',
    details: `A node that failed continues with the command that failed; a node that was put back begins again. ${codes}`,
    follows: true,
    said: (id) => `The rollout ${id} continues.`,
  },
  {
    word: 'abort',
    summary: 'Put back what a rollout has changed, and follow it',
    details: `A command that is running is waited for. Then the undo commands run on each node in reverse order. Standby and maintenance by an operator stay. ${codes}`,
    follows: true,
    said: (id) => `The rollout ${id} is being put back.`,
  },
  {
    word: 'confirm',
    summary: 'Confirm a rollout that would be put back after confirm-within',
    details: codes,
    follows: false,
    said: (id) => `The rollout ${id} is confirmed.`,
  },
]

export const rolloutWords: readonly Command[] = spoken.map(({ word, summary, details, follows, said }) => ({
  path: ['rollout', word],
  usage: `[<id>]${follows ? ' [--no-wait]' : ''}`,
  summary,
  details,
  flags: follows ? [noWait] : [],
  completes: ['anything'],
  run: async (call: Call): Promise<Outcome> => {
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: `rollout ${word} [<id>]` })
    const id = call.words[0] ?? onlyActive(await knownNow(call)).id
    const { state } = await liveCluster(call).changeRollout({ id, word, user: call.terminal.user })
    if (follows && !call.flags.has('no-wait')) return await follow(call, id)
    return done(`${said(id)}\n`, { id, state })
  },
}))

/** Parts of a rollout over clusters are changed by their ids only: usually that rollout is meant, wherever it was started. */
function onlyActive({ rollouts, fleet = [] }: Pick<RolloutsKnown, 'rollouts' | 'fleet'>): { readonly id: string } {
  const own = rollouts.filter((one) => !hasEnded(one))
  const over = fleet.filter((one) => !hasFleetEnded(one))
  const active = [...over, ...own.filter(({ partOf }) => over.length === 0 || partOf === undefined)]
  const [only] = active
  if (only === undefined) throw new Refusal('No rollout is under way.')
  if (active.length > 1)
    throw new Refusal(`Specify one of the rollouts that are under way: ${active.map(({ id }) => id).join(', ')}.`)
  return only
}

/** Says so where it is not the daemon that told. */
const ofCopy = ({ known, copyBecause }: Told): string =>
  copyBecause === undefined ? '' : `As ${known.node} knew it at ${known.at.replace(/\.\d+Z$/, 'Z')}. ${copyBecause}\n`

export const rolloutStatus: Command = {
  path: ['rollout', 'status'],
  bare: [['rollout']],
  usage: '[<id>] [--wait]',
  summary: 'Show the rollouts that are under way, or the last one',
  details: `While the daemon or the whole cluster is down, this shows what the node knew last, and from when. ${codes}`,
  flags: [{ name: 'wait', summary: 'Follow it until it has ended or waits for a person' }],
  completes: ['anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: 'rollout status [<id>]' })
    if (call.flags.has('wait')) return await follow(call, call.words[0] ?? onlyActive(await knownNow(call)).id)
    const told = await knownOrCopy(call)
    const { rollouts, fleet } = chosen(told.known, call.words[0])
    if (rollouts.length + fleet.length === 0)
      return done(`${ofCopy(told)}There is no rollout.\n`, { rollouts: [], fleet: [] })
    const { at, node } = told.known
    const facts = {
      ...{ at, node, isCopy: told.copyBecause !== undefined },
      rollouts: rollouts.map(rolloutFacts),
      fleet: fleet.map(fleetRolloutFacts),
    }
    const texts = [...fleet.map(printFleetRollout), ...rollouts.map(printRollout)]
    return done(`${ofCopy(told)}${texts.join('\n')}`, facts, Math.max(...[...fleet, ...rollouts].map(exitCodeOf)))
  },
}

interface Chosen {
  readonly rollouts: readonly ShownRollout[]
  readonly fleet: readonly ShownFleet[]
}

function chosen({ rollouts, fleet = [] }: RolloutsKnown, id: string | undefined): Chosen {
  if (id !== undefined) return found({ rollouts, fleet }, id)
  const active = {
    rollouts: rollouts.filter((one) => !hasEnded(one)),
    fleet: fleet.filter((one) => !hasFleetEnded(one)),
  }
  if (active.rollouts.length + active.fleet.length > 0) return active
  const [last] = rollouts
  const [lastOver] = fleet
  return last !== undefined && (lastOver === undefined || last.since > lastOver.since)
    ? { rollouts: [last], fleet: [] }
    : { rollouts: [], fleet: fleet.slice(0, 1) }
}

function found({ rollouts, fleet }: Chosen, id: string): Chosen {
  const one = { rollouts: rollouts.filter((each) => each.id === id), fleet: fleet.filter((each) => each.id === id) }
  if (one.rollouts.length + one.fleet.length > 0) return one
  const ids = [...fleet, ...rollouts].map((each) => each.id)
  throw new Refusal(`There is no rollout '${id}'.${ids.length === 0 ? '' : ` There are ${ids.join(', ')}.`}`)
}

export const rolloutHistory: Command = {
  path: ['rollout', 'history'],
  usage: '',
  summary: 'Show all rollouts, the newest first',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'rollout history' })
    const told = await knownOrCopy(call)
    const { rollouts, fleet = [] } = told.known
    const over = fleet.map(({ id, name, version, state, user, since, ended, parts }) => [
      id,
      `${name} ${version}`,
      state,
      `${parts.filter(({ phase }) => phase === 'done' || phase === 'confirmed').length} of ${parts.length} clusters`,
      `by ${user}`,
      `since ${timeOf(since)}`,
      ended === undefined ? '' : `until ${timeOf(ended)}`,
    ])
    const own = rollouts.map(({ id, definition, state, user, since, ended, nodes }) => [
      id,
      `${definition.name} ${definition.version}`,
      state,
      `${nodes.filter(({ phase }) => phase === 'done').length} of ${meantNodes({ nodes }).length}`,
      `by ${user}`,
      `since ${timeOf(since)}`,
      ended === undefined ? '' : `until ${timeOf(ended)}`,
    ])
    const rows = [...over, ...own]
    const text = rows.length === 0 ? 'There is no rollout.\n' : alignColumns(rows)
    return done(`${ofCopy(told)}${text}`, {
      rollouts: rollouts.map(rolloutFacts),
      fleet: fleet.map(fleetRolloutFacts),
    })
  },
}

export const rolloutShow: Command = {
  path: ['rollout', 'show'],
  usage: '<id>',
  summary: 'Show a rollout with all that it has done',
  completes: ['anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'rollout show <id>' })
    const [id = ''] = call.words
    const told = await knownOrCopy(call, { id })
    const {
      rollouts: [rollout],
      fleet: [over],
    } = found({ rollouts: told.known.rollouts, fleet: told.known.fleet ?? [] }, id)
    const dated = (line: { readonly at: string }, text: string): string => `  ${line.at.slice(0, 10)} ${text}\n`
    const lines =
      over === undefined
        ? (rollout?.journal ?? []).map((line) => dated(line, lineOf(line)))
        : over.journal.map((line) => dated(line, fleetLineOf(line)))
    const text = over === undefined ? rollout && printRollout(rollout) : printFleetRollout(over)
    const facts = over === undefined ? rollout && rolloutFacts(rollout) : fleetRolloutFacts(over)
    return done(`${ofCopy(told)}${text ?? ''}\nJournal:\n${lines.join('')}`, facts)
  },
}

export const rolloutVersions: Command = {
  path: ['rollout', 'versions'],
  usage: '[<node>]',
  summary: 'Show which version each node runs; with a node, also every change of it',
  completes: ['node'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: 'rollout versions [<node>]' })
    const told = await knownOrCopy(call)
    const [name] = call.words
    const versions = told.known.versions.filter(({ node }) => name === undefined || node === name)
    const rows = versions.map(({ node, version, state, since }) => [
      node,
      version ?? '-',
      state,
      since === '' ? '' : `since ${since}`,
    ])
    const log = name === undefined ? [] : versions.flatMap((one) => one.log)
    const lines = log.map(
      ({ at, state, version, rollout, tail }) =>
        `  ${at}  ${state}${version === undefined ? '' : ` (${version})`}  ${rollout}\n${
          tail === undefined
            ? ''
            : `${tail
                .trimEnd()
                .split('\n')
                .map((line) => `    ${line}`)
                .join('\n')}\n`
        }`,
    )
    const text = rows.length === 0 ? 'No version is recorded.\n' : alignColumns(rows)
    return done(`${ofCopy(told)}${text}${lines.join('')}`, { versions })
  },
}

export const rolloutVerify: Command = {
  path: ['rollout', 'verify'],
  usage: '<version> [<node>... | -]',
  summary: 'Check that nodes run a version',
  details:
    'The nodes are those that are named, those on standard input with -, or all. The exit code is 1 if one of them does not run the version, and they are named.',
  examples: ['systole rollout verify 2.4', 'systole rollout verify 2.4 n1 n2'],
  completes: ['anything', 'node'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, usage: 'rollout verify <version> [<node>... | -]' })
    const [version = '', ...words] = call.words
    const named = words.includes('-')
      ? (await call.terminal.readInput('Nodes: ')).split(/\s+/).filter((word) => word !== '')
      : words
    const { members } = await liveCluster(call).getState({})
    const nodes = (named.length > 0 ? named : members.map(({ node }) => node)).toSorted(compareText)
    const versions = new Map((await knownNow(call)).versions.map((one) => [one.node as string, versionRun(one)]))
    const missing = nodes.filter((node) => versions.get(node) !== version)
    const text = missing
      .map(
        (node) =>
          `${node} ${versions.get(node) === undefined ? 'runs no recorded version' : `runs ${versions.get(node)}`}.\n`,
      )
      .join('')
    return done(
      missing.length === 0 ? `All ${nodes.length} nodes run ${version}.\n` : text,
      { version, nodes, missing },
      missing.length === 0 ? 0 : exitCodes.refused,
    )
  },
}
