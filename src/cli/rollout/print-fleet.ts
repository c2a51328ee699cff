/** A rollout over clusters of the fleet for people: a bar for each wave, a line for each cluster; and its plan. */
import type { ClusterPlan, FleetPart, RolloutDefinition, RolloutsKnown } from '../../rollout/index.ts'
import { alignColumns } from '../call/table.ts'
import { printBar, timeOf, wordsIn } from './print-rollout.ts'

export type ShownFleet = NonNullable<RolloutsKnown['fleet']>[number]

/** What somebody is told beside the record: what each cluster does, in words, and the commands that come next. */
export interface FleetRolloutFacts extends ShownFleet {
  readonly parts: readonly (FleetPart & { readonly doing: string; readonly reason: string })[]
  readonly next: readonly string[]
}

export const fleetRolloutFacts = (rollout: ShownFleet): FleetRolloutFacts => ({
  ...rollout,
  parts: rollout.parts.map((part) => ({ ...part, doing: phaseText(part), reason: reasonOf(rollout, part) })),
  next: wordsIn(rollout.state).map((word) => `systole rollout ${word} ${rollout.id}`),
})

export function printFleetRollout(rollout: ShownFleet): string {
  const { id, name, version, state, why, user, from, since, ended, parts } = rollout
  const waves = [...new Set(parts.map(({ wave }) => wave))]
  return [
    `${id}  ${name} ${version}  ${state}${why === undefined ? '' : `: ${why}`}\n`,
    `Started by ${user} on ${from} at ${timeOf(since)}${ended === undefined ? '' : `, ended at ${timeOf(ended)}`}.\n`,
    ...waves.map((wave) => printWave(rollout, wave)),
    nextStep(rollout),
  ].join('')
}

function printWave(rollout: ShownFleet, wave: number): string {
  const parts = rollout.parts.filter((part) => part.wave === wave)
  const meant = parts.filter(({ phase }) => phase !== 'left-out')
  const done = meant.filter(({ phase }) => phase === 'done' || phase === 'confirmed').length
  const rows = parts.map((part) => [
    part.cluster,
    phaseText(part),
    part.id ?? '',
    part.seen === undefined ? '' : `${part.seen.done} of ${part.seen.nodes} nodes`,
    reasonOf(rollout, part),
  ])
  return `\nWave ${wave + 1}  ${printBar(done, meant.length)}\n${alignColumns(rows, '  ')}`
}

function phaseText({ phase, seen, wanted }: FleetPart): string {
  switch (phase) {
    case 'starting':
      return 'is asked'
    case 'running':
      return wanted === undefined ? (seen?.state ?? phase) : `${seen?.state ?? phase}, ${wanted} is sent`
    case 'done':
      return wanted === undefined ? phase : `${phase}, ${wanted} is sent`
    case 'back':
      return 'is as it was'
    case 'left-out':
      return 'left the fleet'
    case 'waiting':
    case 'refused':
    case 'confirmed':
      return phase
  }
}

function reasonOf({ waiting }: ShownFleet, { cluster, phase, away, why, seen }: FleetPart): string {
  if (away !== undefined) return `does not answer: ${away}`
  return why ?? (phase === 'running' ? seen?.why : undefined) ?? waiting?.[cluster] ?? ''
}

/** What a person can do now. */
function nextStep({ id, state, confirmBy }: ShownFleet): string {
  if (state === 'unconfirmed')
    return `\nConfirm it with \`systole rollout confirm ${id}\` until ${timeOf(confirmBy ?? 0)}, or all clusters put it back.\n`
  if (state === 'halted' || state === 'paused')
    return `\nContinue with \`systole rollout resume ${id}\`, or put everything back in all clusters with \`systole rollout abort ${id}\`.\n`
  return ''
}

/** What clusters have said. */
export interface PlannedCluster {
  readonly cluster: string
  readonly wave: number
  readonly answer:
    | { readonly kind: 'plan'; readonly plan: ClusterPlan }
    | { readonly kind: 'failed'; readonly why: string }
}

export interface FleetPlan {
  readonly definition: RolloutDefinition
  readonly clusters: readonly PlannedCluster[]
  readonly refusals: readonly string[]
}

export const refusalsOf = (clusters: readonly PlannedCluster[]): readonly string[] =>
  clusters.flatMap(({ cluster, answer }) =>
    answer.kind === 'failed'
      ? [`${cluster} cannot say what would happen there: ${answer.why}`]
      : answer.plan.refusals.map((sentence) => `${cluster}: ${sentence}`),
  )

export function printFleetPlan({ definition, clusters, refusals }: FleetPlan): string {
  const waves = [...new Set(clusters.map(({ wave }) => wave))]
  return [
    `${definition.name} ${definition.version}: ${clusters.length} ${clusters.length === 1 ? 'cluster' : 'clusters'} in ${waves.length} ${waves.length === 1 ? 'wave' : 'waves'}.\n`,
    ...waves.flatMap((wave) => [
      `\nWave ${wave + 1}:\n`,
      ...clusters.filter((one) => one.wave === wave).map(printCluster),
    ]),
    ...refusals.map((sentence) => `Refused: ${sentence}\n`),
  ].join('')
}

function printCluster({ cluster, answer }: PlannedCluster): string {
  if (answer.kind === 'failed') return `  ${cluster}: ${answer.why}\n`
  const { already, waves, interruptions } = answer.plan
  const lines = waves.flatMap(({ role, groups, waiting }, at) => [
    `    wave ${at + 1}${role === undefined ? '' : ` (role ${role})`}: ${groups.map((nodes) => nodes.join(' and ')).join(', then ')}`,
    ...waiting.map(({ node, why }) => `    ${node} waits: ${why}`),
  ])
  const away = interruptions.map(
    ({ resource, times, longestMs, isUnknown }) =>
      `    ${resource} is interrupted ${times === 1 ? 'once' : `${times} times`}, ${isUnknown ? 'for more than' : 'longest'} ${(longestMs / 1000).toFixed(1)} s`,
  )
  const there = already.length === 0 ? [] : [`    version already: ${already.join(', ')}`]
  return `  ${cluster}\n${[...there, ...lines, ...away].map((line) => `${line}\n`).join('')}`
}
