/** The reasons of placement in words: one short phrase for each source of a score and each thing that stands in the way. */
import { assertNever, momentSeen } from '../../base/index.ts'
import { type Configuration, formatScore, INFINITY_SCORE, type Score } from '../../cib/index.ts'
import type { ClusterStatus } from '../../status/index.ts'
import type { Contribution, PlacementReason, ScoreSource } from '../assigned/assignment.ts'

/** What the words are taken from, besides the reason itself. */
export type Background = Pick<
  ClusterStatus,
  'configuration' | 'options' | 'now' | 'ruleChangesAt' | 'tickets' | 'failures'
>

export function describeContribution({ source, score }: Contribution, background: Background): string {
  const value = score > 0 ? `+${formatScore(score)}` : formatScore(score)
  return `${value} ${describeSource(source, background)}`
}

/** That it rules the node out is said already; the score of the node has the number. */
function describeBan(part: Contribution, background: Background): string {
  if (part.score > -INFINITY_SCORE) return describeContribution(part, background)
  const { source } = part
  const words = describeSource(source, background)
  if (source.kind === 'location') return `ruled out by ${words}`
  return source.kind === 'colocation' && words.startsWith('placed with') ? `must be ${words}` : words
}

function describeSource(source: ScoreSource, background: Background): string {
  const { configuration } = background
  switch (source.kind) {
    case 'location':
      return `${locationName(source.constraint, background)}${detail(source, background)}`
    case 'stickiness':
      return 'stickiness, because it is active there'
    case 'colocation':
      if (keepsApart(source.constraint, configuration))
        return `kept apart from ${source.with} (${colocationName(source.constraint)})`
      return source.as === 'dependent'
        ? `placed with ${source.with} (${colocationName(source.constraint)})`
        : `${source.with} is placed with it and would like it there (${colocationName(source.constraint)})`
    case 'health':
      return source.health === 'score' ? 'node health' : `node health is ${source.health}`
    case 'fail-count':
      return describeFailCount(source.count, source.threshold)
    case 'failure':
      return describeFailure(source.because, source.operation, background)
    case 'unmanaged':
      return 'active there and not managed'
    case 'multiple-active':
      return 'active on several nodes, and multiple-active=stop_only'
    case 'ticket':
      return describeTicket(source.ticket, background)
    case 'utilization':
      return 'not enough free capacity'
    case 'exclusive-discovery':
      return 'resource-discovery=exclusive names other nodes'
    case 'node-kind':
      return 'cannot run on this kind of node'
    case 'target-role':
      return `its target-role is ${source.role}`
    case 'instances':
      return describeInstanceLimit(source.limit)
    case 'shutdown-lock':
      return `locked to ${source.node} while that node is shut down`
    case 'gate':
      return `the gate ${source.service} is closed: ${source.why}`
    case 'promotion':
      return 'promotion score'
    case 'replica':
      return 'this is its replica'
    case 'orphan':
      return 'no longer configured'
    default:
      return assertNever(source)
  }
}

function describeInstanceLimit(limit: Extract<ScoreSource, { readonly kind: 'instances' }>['limit']): string {
  switch (limit) {
    case 'clone-max':
      return 'clone-max instances are placed already'
    case 'clone-node-max':
      return 'clone-node-max instances are placed there already'
    case 'replicas-per-host':
      return 'as many containers as replicas-per-host allows are there already'
    default:
      return assertNever(limit)
  }
}

function describeTicket(id: string, { tickets }: Background): string {
  const granted = tickets.some((ticket) => ticket.id === id && ticket.granted)
  return `ticket ${id} is ${granted ? 'on standby' : 'not granted'}`
}

/** Bans and moves of administrators are called what they are, with who made them and when. */
function locationName(id: string, { configuration, now }: Background): string {
  const origin = configuration.constraints.find((constraint) => constraint.id === id)?.origin
  const command = origin?.command === undefined ? '' : ` (${origin.command})`
  const made = origin === undefined ? '' : `, made by ${origin.author} at ${momentOf(origin.time, now)}${command}`
  if (id.startsWith('cli-ban-')) return `ban ${id}${made}`
  if (id.startsWith('cli-prefer-')) return `preference ${id} of a move${made}`
  return `location constraint ${id}${made}`
}

function momentOf(written: string, now: number): string {
  const seconds = Math.floor(Date.parse(written) / 1000)
  return Number.isNaN(seconds) ? written : momentSeen(seconds, now)
}

function detail(
  { constraint, rule, attribute }: Extract<ScoreSource, { readonly kind: 'location' }>,
  background: Background,
): string {
  const parts = [
    ...(rule === undefined ? [] : [`rule ${rule}`]),
    ...(attribute === undefined ? [] : [`node attribute ${attribute}`]),
    ...untilWhen(constraint, rule, background),
  ]
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`
}

/** Rules by date and lifetimes end by themselves: then waiting is a remedy. */
function untilWhen(id: string, rule: string | undefined, background: Background): readonly string[] {
  const { configuration, now, ruleChangesAt } = background
  const constraint = configuration.constraints.find((candidate) => candidate.id === id)
  if (constraint === undefined) return []
  const rules = [
    ...(constraint.lifetime === undefined ? [] : [constraint.lifetime]),
    ...(constraint.kind === 'location' && constraint.where.by === 'rules' ? constraint.where.rules : []),
  ]
  const moments = rules
    .filter((candidate) => candidate === constraint.lifetime || candidate.id === rule)
    .flatMap((candidate) => ruleChangesAt(candidate) ?? [])
  return moments.length === 0 ? [] : [`until ${momentSeen(Math.min(...moments), now)}`]
}

/** Implied colocations have names that no administrator wrote. */
function colocationName(id: string): string {
  switch (id) {
    case '#group-members':
      return 'members of a group'
    case '#ip-with-container':
    case '#resource-with-container':
      return 'its container'
    case '#replica-remote-with-host-remote':
      return "the connection of the container's host"
    default:
      return `colocation constraint ${id}`
  }
}

function keepsApart(id: string, { constraints }: Configuration): boolean {
  return constraints.some(
    (constraint) => constraint.kind === 'colocation' && constraint.id === id && constraint.score < 0,
  )
}

function describeFailCount(count: Score, threshold: Score): string {
  if (count >= INFINITY_SCORE) return 'its fail count there is INFINITY'
  const times = count === 1 ? 'once' : `${formatScore(count)} times`
  return `failed ${times} there, and migration-threshold is ${formatScore(threshold)}`
}

/** `web_monitor_10000` in words. */
function describeOperation(key: string): string {
  const [, resource, task, interval] =
    /^(.+)_(start|stop|monitor|promote|demote|migrate_to|migrate_from)_(\d+)$/.exec(key) ?? []
  if (resource === undefined) return key
  return `${task} of ${resource}${interval === '0' ? '' : ` (every ${Number(interval) / 1000} s)`}`
}

function describeFailure(
  because: Extract<ScoreSource, { readonly kind: 'failure' }>['because'],
  operation: string | undefined,
  { failures }: Background,
): string {
  const what = operation === undefined ? 'an operation' : describeOperation(operation)
  const exitReason = failures.find(({ key, exitReason: told }) => key === operation && told !== '')?.exitReason
  const why = exitReason === undefined ? '' : `: ${exitReason}`
  switch (because) {
    case 'failed-stop':
      return `${what} failed there, so it may still be active`
    case 'hard-error':
      return `${what} failed there with an error that only an administrator can repair${why}`
    case 'fatal-error':
      return `${what} failed with an error that would be the same on every node${why}`
    case 'on-fail-stop':
      return `${what} failed, and on-fail is stop`
    case 'on-fail-ban':
      return `${what} failed there, and on-fail bans it`
    case 'failed-migration':
      return `${what}, a live migration, failed there`
    default:
      return assertNever(because)
  }
}

/** Without the node that it is about: reasons that are the same on several nodes are told once. */
export function describeReason(reason: PlacementReason, background: Background): string {
  switch (reason.kind) {
    case 'node-unavailable':
      return reason.state
    case 'banned':
      return [...new Set(reason.by.map((part) => describeBan(part, background)))].join('; ') || 'ruled out'
    case 'not-allowed':
      return background.options.symmetricCluster
        ? 'it cannot run on this kind of node'
        : 'no location constraint allows it there (symmetric-cluster=false)'
    case 'target-role':
      return `target-role is ${reason.role}`
    case 'on-fail':
      return `it failed on ${reason.node}, and on-fail is ${reason.action}`
    case 'no-quorum':
      return `the cluster has no quorum, and no-quorum-policy is ${reason.policy}`
    case 'unmanaged':
      return background.options.maintenanceMode
        ? 'maintenance-mode is on: the cluster manages nothing'
        : 'it is not managed by the cluster'
    case 'blocked':
      return 'it is blocked until an administrator cleans up its failure'
    case 'orphan':
      return 'it is no longer configured'
    case 'ticket':
      return `${describeTicket(reason.ticket, background)} (loss-policy ${reason.policy})`
    case 'stop-all-resources':
      return 'stop-all-resources is set'
    case 'clone-limit':
      return `${reason.limit} instances are placed already`
    case 'capacity':
      return 'not enough free capacity'
    case 'primary-stopped':
      return `${reason.primary}, which it is placed with, runs nowhere (${reason.constraint})`
    case 'promotion-score':
      return `its promotion score on ${reason.node} is ${formatScore(reason.score)}`
    case 'shutdown-lock':
      return `it is locked to ${reason.node} while that node is shut down`
    default:
      return assertNever(reason)
  }
}
