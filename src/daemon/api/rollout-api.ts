/** What the command line asks about rollouts. The DC goes on with what stands in the store (src/daemon/rollout). */
import { fieldOf, type NodeName } from '../../base/index.ts'
import {
  hasEnded,
  type NodeVersion,
  newestFirst,
  newRecord,
  type RolloutDefinition,
  type RolloutRecord,
  type RolloutsKnown,
  readRollout,
  resolveNodes,
  rolloutWord,
  versionRun,
  whyWaiting,
  words,
} from '../../rollout/index.ts'
import { type Handlers, type localService, type Messages, refuse } from '../../rpc/index.ts'
import { type Entry, unchanged, type Write } from '../../store/index.ts'
import type { Daemon } from '../lifecycle/daemon.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import {
  lastRolloutKey,
  nodeListKey,
  nodeVersionsPrefix,
  rolloutJournalPrefix,
  rolloutsPrefix,
} from '../records/keys.ts'
import { fleetKnown, journalOf } from '../rollout/known-rollouts.ts'
import { lifecycleOf } from '../rollout/lifecycle.ts'
import { rolloutInput } from '../rollout/rollout-input.ts'
import { rolloutsIn, type StoredRollout, storedRollouts, versionIn, writesOfStep } from '../rollout/rollout-records.ts'
import { quorumSoon } from '../shared-state/quorum-soon.ts'
import { configuredFile } from './configured-file.ts'
import { changeFleetRollout, isFleetId, planFleetRollout, startFleetRollout } from './fleet-rollout-api.ts'

/** Others who start or change one at the same time come first that often. */
const attempts = 20
/** Of those that have ended; the oldest go. */
const mostEnded = 50
const largestFile = 128 * 1024
const keyForm = /^[\x21-\x7e]{1,200}$/
/** Ten years. */
const untilConfirmedMs = 3650 * 24 * 3_600_000

export function rolloutHandlers(
  daemon: Daemon,
): Pick<Handlers<typeof localService>, 'startRollout' | 'changeRollout' | 'listRollouts' | 'planFleetRollout'> {
  return {
    startRollout: async (asked) => await start(daemon, asked),
    changeRollout: async (asked) =>
      isFleetId(asked.id) ? await changeFleetRollout(daemon, asked) : await change(daemon, asked),
    planFleetRollout: async (asked) => {
      configuredFile(daemon)
      return await planFleetRollout(daemon, definitionIn(asked.file), asked)
    },
    listRollouts: (asked) => {
      configuredFile(daemon)
      refuseUnread(daemon)
      return Promise.resolve({ known: JSON.stringify(known(daemon, asked)) })
    },
  }
}

/** A node that has just begun has seen nothing yet: it must not say that there is no such rollout. */
export function refuseUnread({ configuration, name }: Pick<Daemon, 'configuration' | 'name'>): void {
  if (configuration === undefined)
    throw refuse('no-configuration', `${name} has not read the state of the cluster yet.`)
}

async function start(daemon: Daemon, asked: Messages['StartRolloutRequest']): Promise<Messages['RolloutAnswer']> {
  configuredFile(daemon)
  const { node } = daemon
  if (Buffer.byteLength(asked.file) > largestFile)
    throw refuse('too-long', `The rollout file is longer than ${largestFile / 1024} KiB. Put scripts on the nodes.`)
  const definition = definitionIn(asked.file)
  if (!(await quorumSoon(node))) throw refuse('no-quorum', 'This node has no quorum and cannot start a rollout.')
  if (definition.clusters !== undefined) return await startFleetRollout(daemon, definition, asked)
  const { partOf } = asked
  if (partOf !== undefined && !keyForm.test(partOf))
    throw refuse('bad-key', 'The key of a rollout over several clusters has 1 to 200 characters, without spaces.')
  for (const [name, { knowsHolds }] of node.view.members)
    if (knowsHolds !== true)
      throw refuse('older-version', `${name} runs a version of Systole without rollouts. Upgrade it first.`)
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const stored = rolloutsIn((await node.store.list(rolloutsPrefix)).entries)
    const same = partOf === undefined ? undefined : stored.find(({ record }) => record.partOf === partOf)?.record
    if (same !== undefined) return { id: same.id, state: same.state }
    const versions = versionsOf((await node.store.list(nodeVersionsPrefix)).entries)
    const { entries } = await node.store.list(lastRolloutKey)
    const last = entries.find(({ key }) => key === lastRolloutKey)
    const number = Number(last && fromBytes(last.value)) || 0
    const made = recordOf(daemon, definition, { id: `r${number + 1}`, user: asked.user || 'unknown', versions })
    const record = partOf === undefined ? made : asPart(made, partOf)
    refuseUnknown(daemon, record)
    refuseMeeting(record, stored)
    const step = writesOfStep({
      before: undefined,
      record: { ...record, lines: 1 },
      effects: [{ kind: 'journal', line: 0, text: `started by ${record.user} on ${node.name}` }],
      below: () => [],
      now: new Date().toISOString(),
    })
    const { applied } = await node.store.transaction({
      compare: [unchanged(lastRolloutKey, last), ...step.compare],
      writes: [...step.writes, { kind: 'put', key: lastRolloutKey, value: toBytes(number + 1) }, ...forgotten(stored)],
    })
    if (applied) return { id: record.id, state: record.state }
  }
  throw refuse('in-use', 'Others are starting rollouts at this moment. Nothing was changed: try again.')
}

/** It waits to be confirmed by the cluster that coordinates, for as long as that takes; a DC of an older build does so too. */
const asPart = (record: RolloutRecord, partOf: string): RolloutRecord => ({
  ...record,
  partOf,
  definition: { ...record.definition, confirmWithinMs: untilConfirmedMs },
})

function definitionIn(file: string): RolloutDefinition {
  let value: unknown
  try {
    value = JSON.parse(file)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw refuse('bad-rollout', 'The rollout is not JSON.')
  }
  const read = readRollout(value)
  if (read.ok) return read.value
  throw refuse('bad-rollout', ...read.reports.map(({ path, sentence }) => `${fieldOf(path)}: ${sentence}`))
}

const versionsOf = (entries: readonly Entry[]): ReadonlyMap<NodeName, NodeVersion> =>
  new Map(
    entries
      .flatMap((entry) => versionIn(entry) ?? [])
      .map(({ node, version, state }) => [node, { state, ...(version !== undefined && { version }) }]),
  )

function recordOf(
  daemon: Daemon,
  definition: RolloutDefinition,
  given: { readonly id: string; readonly user: string; readonly versions: ReadonlyMap<NodeName, NodeVersion> },
): RolloutRecord {
  const { node } = daemon
  const { id, user, versions } = given
  const facts = node.rollouts.nodes().map((one) => {
    const version = versions.get(one.name)
    const run = version && versionRun(version)
    return { ...one, ...(run !== undefined && { version: run }) }
  })
  const { problems, waves, already, limits } = resolveNodes(definition, facts)
  if (problems.length > 0) throw refuse('no-such-node', ...problems)
  if (waves.length === 0)
    throw refuse('nothing-to-do', `There is nothing to do: ${already.join(', ')} run ${definition.version} already.`)
  return newRecord({ id, definition, waves, limits, user, from: node.name, before: versions }, Date.now())
}

/** An older DC would take a remote node for one that was removed, and play a playbook on the node itself. */
function refuseUnknown({ node }: Daemon, { nodes, definition: { commands } }: RolloutRecord): void {
  const members = node.file.nodes.map(({ name }) => name)
  const remote = nodes.find((one) => !members.includes(one.node))?.node
  const played = commands.find(({ playbook }) => playbook?.place === 'dc')?.name
  if (remote === undefined && played === undefined) return
  const boots = remote === undefined ? undefined : commands.find(({ reboots }) => reboots)?.name
  const what = remote === undefined ? `playbooks on the DC ('${played}')` : `rollouts on remote nodes (${remote})`
  for (const [name, { knowsRemoteRollouts, knowsRemoteBoots }] of node.view.members) {
    if (knowsRemoteRollouts !== true)
      throw refuse('older-version', `${name} runs a version of Systole without ${what}. Upgrade it first.`)
    if (boots !== undefined && knowsRemoteBoots !== true)
      throw refuse(
        'older-version',
        `${name} runs a version of Systole without rollouts that reboot remote nodes ('${boots}'). Upgrade it first.`,
      )
  }
}

function refuseMeeting({ nodes, partOf }: RolloutRecord, stored: readonly StoredRollout[]): void {
  const sentences = stored
    .filter(({ record }) => !hasEnded(record))
    .flatMap(({ record }) => {
      if (partOf !== undefined && record.partOf !== undefined)
        return [`The rollout ${record.id} is part of another rollout over several clusters, and has not ended.`]
      const both = nodes.filter(({ node }) => record.nodes.some((one) => one.node === node)).map(({ node }) => node)
      return both.length === 0
        ? []
        : [
            `The rollout ${record.id} of ${record.definition.name} ${record.definition.version} concerns ${both.join(', ')} and has not ended.`,
          ]
    })
  if (sentences.length > 0) throw refuse('meets-another', ...sentences)
}

function forgotten(stored: readonly StoredRollout[]): readonly Write[] {
  const ended = stored.filter(({ record }) => hasEnded(record)).sort((a, b) => a.record.since - b.record.since)
  return ended.slice(0, Math.max(0, ended.length - mostEnded)).flatMap(({ entry, record }): readonly Write[] => [
    { kind: 'delete', key: entry.key },
    { kind: 'delete-prefix', prefix: rolloutJournalPrefix(record.id) },
  ])
}

async function change(daemon: Daemon, asked: Messages['RolloutWordRequest']): Promise<Messages['RolloutAnswer']> {
  configuredFile(daemon)
  const { node } = daemon
  const word = words.find((one) => one === asked.word)
  if (word === undefined) throw refuse('bad-word', `'${asked.word}' is not understood.`)
  if (!(await quorumSoon(node))) throw refuse('no-quorum', 'This node has no quorum and cannot change a rollout.')
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const stored = rolloutsIn((await node.store.list(rolloutsPrefix)).entries)
    const found = stored.find(({ record }) => record.id === asked.id)
    if (found === undefined) throw refuse('no-such-rollout', `There is no rollout '${asked.id}'.`)
    // Whoever changes one of these changes the record as well, or the transaction fails.
    const versions = (await node.store.list(nodeVersionsPrefix)).entries
    const nodeList = (await node.store.list(nodeListKey)).entries
    const now = Date.now()
    const heard = rolloutWord(found.record, { word, by: `${asked.user || 'unknown'} on ${node.name}` }, now)
    if ('refused' in heard) throw refuse('not-now', heard.refused)
    if (heard.state === found.record) return { id: asked.id, state: found.record.state }
    const step = writesOfStep({
      before: found.entry,
      record: heard.state,
      effects: heard.effects,
      below: (prefix) => [...versions, ...nodeList].filter(({ key }) => key.startsWith(prefix)),
      now: new Date(now).toISOString(),
    })
    const { applied } = await node.store.transaction(step)
    if (applied) return { id: asked.id, state: heard.state.state }
  }
  throw refuse('in-use', `The rollout ${asked.id} is changing at this moment. Nothing was changed: try again.`)
}

/** By what this node has seen; the journal of one, from a line on. */
function known({ node }: Daemon, { id, fromLine }: Messages['RolloutsRequest']): RolloutsKnown {
  const stored = storedRollouts(node.rollouts.below)
  const active = stored.filter(({ record }) => !hasEnded(record))
  const asked = id === undefined ? stored : stored.filter(({ record }) => record.id === id)
  const rollouts = asked.map(({ record }) => {
    const input = hasEnded(record) ? undefined : rolloutInput(node.rollouts.sights(), record, active)
    return {
      ...record,
      ...(input && { waiting: Object.fromEntries(whyWaiting(record, input)) }),
      ...(id !== undefined && { journal: journalOf(node.rollouts.below, record.id, fromLine) }),
    }
  })
  return {
    at: new Date().toISOString(),
    node: node.name,
    rollouts: rollouts.sort(newestFirst),
    fleet: fleetKnown(node.rollouts.below).filter((one) => id === undefined || one.id === id),
    ...lifecycleOf(node),
  }
}
