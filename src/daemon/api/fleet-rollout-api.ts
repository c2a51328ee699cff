/** Rollouts over clusters of the fleet, as the command line asks for them. The DC goes on with what stands in the store (src/daemon/fleet/fleet-rollouts.ts). */
import { randomBytes } from 'node:crypto'
import { didYouMean, similarWords } from '../../base/index.ts'
import {
  type FleetRolloutRecord,
  fleetWord,
  hasFleetEnded,
  newFleetRecord,
  type RolloutDefinition,
  words,
} from '../../rollout/index.ts'
import { type Messages, refuse } from '../../rpc/index.ts'
import { unchanged, type Write } from '../../store/index.ts'
import { fleetMembers, fleetReached, fleetRolloutsIn, type StoredFleetRollout } from '../fleet/fleet-rollouts.ts'
import type { Daemon } from '../lifecycle/daemon.ts'
import { toBytes } from '../records/json-value.ts'
import { fleetRolloutKey, fleetRolloutsPrefix } from '../records/keys.ts'
import { quorumSoon } from '../shared-state/quorum-soon.ts'

/** Others who start or change one at the same time come first that often. */
const attempts = 20
/** Of those that have ended; the oldest go. */
const mostEnded = 20

export const isFleetId = (id: string): boolean => /^f\d+$/.test(id)

/** What each cluster is given: it decides for itself which of its nodes are meant, and stays unconfirmed until all are done. */
function fileOfPart(file: string): string {
  const { clusters: _, 'confirm-within': _within, ...rest } = JSON.parse(file) as Readonly<Record<string, unknown>>
  return JSON.stringify(rest)
}

export async function startFleetRollout(
  { node }: Daemon,
  definition: RolloutDefinition,
  { file, user }: Pick<Messages['StartRolloutRequest'], 'file' | 'user'>,
): Promise<Messages['RolloutAnswer']> {
  const waves = definition.clusters ?? []
  refuseUnknown(node, waves)
  for (const [name, { knowsFleetRollouts }] of node.view.members)
    if (knowsFleetRollouts !== true)
      throw refuse(
        'older-version',
        `${name} runs a version of Systole without rollouts over clusters. Upgrade it first.`,
      )
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const stored = fleetRolloutsIn((await node.store.list(fleetRolloutsPrefix)).entries)
    refuseMeeting(waves.flat(), stored)
    const id = `f${Math.max(0, ...stored.map(({ record }) => Number(record.id.slice(1)))) + 1}`
    const { name, version, confirmWithinMs } = definition
    const record = newFleetRecord(
      {
        id,
        name,
        version,
        key: `${node.file.clusterName}/${id}/${randomBytes(6).toString('hex')}`,
        file: fileOfPart(file),
        waves,
        user: user || 'unknown',
        from: node.name,
        ...(confirmWithinMs !== undefined && { confirmWithinMs }),
      },
      Date.now(),
    )
    const key = fleetRolloutKey(id)
    const { applied } = await node.store.transaction({
      compare: [unchanged(key, undefined)],
      writes: [{ kind: 'put', key, value: toBytes(record) }, ...forgotten(stored)],
    })
    if (applied) return { id, state: record.state }
  }
  throw refuse('in-use', 'Others are starting rollouts at this moment. Nothing was changed: try again.')
}

function refuseUnknown({ below }: Daemon['node'], waves: readonly (readonly string[])[]): void {
  const known = fleetMembers(below).map(({ name }) => name)
  const unknown = waves.flat().filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw refuse(
      'no-such-cluster',
      ...unknown.map(
        (name) =>
          `The fleet has no cluster '${name}'.${didYouMean(similarWords(name, known))} \`systole fleet list\` lists them.`,
      ),
    )
}

function refuseMeeting(clusters: readonly string[], stored: readonly StoredFleetRollout[]): void {
  const sentences = stored
    .filter(({ record }) => !hasFleetEnded(record))
    .flatMap(({ record }) => {
      const both = clusters.filter((name) => record.parts.some(({ cluster }) => cluster === name))
      return both.length === 0
        ? []
        : [
            `The rollout ${record.id} of ${record.name} ${record.version} concerns ${both.join(', ')} and has not ended.`,
          ]
    })
  if (sentences.length > 0) throw refuse('meets-another', ...sentences)
}

function forgotten(stored: readonly StoredFleetRollout[]): readonly Write[] {
  const ended = stored.filter(({ record }) => hasFleetEnded(record)).sort((a, b) => a.record.since - b.record.since)
  return ended.slice(0, Math.max(0, ended.length - mostEnded)).map(({ entry }) => ({ kind: 'delete', key: entry.key }))
}

export async function changeFleetRollout(
  { node }: Daemon,
  asked: Messages['RolloutWordRequest'],
): Promise<Messages['RolloutAnswer']> {
  const word = words.find((one) => one === asked.word)
  if (word === undefined) throw refuse('bad-word', `'${asked.word}' is not understood.`)
  if (!(await quorumSoon(node))) throw refuse('no-quorum', 'This node has no quorum and cannot change a rollout.')
  const key = fleetRolloutKey(asked.id)
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const [found] = fleetRolloutsIn((await node.store.list(key)).entries.filter((entry) => entry.key === key))
    if (found === undefined) throw refuse('no-such-rollout', `There is no rollout '${asked.id}'.`)
    const heard = fleetWord(found.record, { word, by: `${asked.user || 'unknown'} on ${node.name}` }, Date.now())
    if ('refused' in heard) throw refuse('not-now', heard.refused)
    const { record } = heard
    if (record === found.record) return { id: asked.id, state: record.state }
    const { applied } = await node.store.transaction({
      compare: [unchanged(key, found.entry)],
      writes: [{ kind: 'put', key, value: toBytes(record satisfies FleetRolloutRecord) }],
    })
    if (applied) return { id: asked.id, state: record.state }
  }
  throw refuse('in-use', `The rollout ${asked.id} is changing at this moment. Nothing was changed: try again.`)
}

/** Each cluster plans for itself; this node asks all of them, whoever is the DC. */
export async function planFleetRollout(
  daemon: Daemon,
  { clusters = [] }: RolloutDefinition,
  { file }: Pick<Messages['StartRolloutRequest'], 'file'>,
): Promise<Messages['FleetPlans']> {
  const {
    node,
    dcKeepers: { fleet },
  } = daemon
  refuseUnknown(node, clusters)
  const targets = fleetMembers(node.below)
  const reached = fleetReached(node.below)
  const taken = fleetRolloutsIn(node.below(fleetRolloutsPrefix)).filter(({ record }) => !hasFleetEnded(record))
  const part = fileOfPart(file)
  const plans = await Promise.all(
    clusters.flatMap((names, wave) =>
      names.map(async (cluster) => {
        const target = targets.find(({ name }) => name === cluster)
        if (target === undefined) return []
        const meets = taken.find(({ record }) => record.parts.some((one) => one.cluster === cluster))?.record
        if (meets !== undefined)
          return { cluster, wave, answer: { kind: 'failed', why: `the rollout ${meets.id} has not ended there` } }
        const answer = await fleet.plan(target, part)
        const hasNoQuorum = answer.kind === 'plan' && !reached.has(cluster)
        return {
          cluster,
          wave,
          answer: hasNoQuorum ? { kind: 'failed', why: 'it has not said yet that it has quorum' } : answer,
        }
      }),
    ),
  )
  return { plans: JSON.stringify(plans.flat()) }
}
