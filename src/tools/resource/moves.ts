/** crm_resource --move, --ban and --clear: constraints with Pacemaker's ids. */
import {
  banNode,
  clearCliConstraints,
  describeEditReport,
  type EditResult,
  preferNode,
  type XmlElement,
} from '../../cib/index.ts'
import { knowsNode } from '../attributes/known-nodes.ts'
import { conforming } from '../cib/conforming.ts'
import { commandLine } from '../command-line.ts'
import { exitCodes } from '../exit-codes.ts'
import { findStatus, statusOf } from '../monitor/status-of.ts'
import { isoTime } from '../monitor/times.ts'
import { hasOption, optionValue } from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import { later, parseDuration } from '../time/duration-fields.ts'
import type { ParsedCall } from '../tool.ts'
import type { ToolWorld } from '../world.ts'

interface Wanted {
  readonly resource: string
  readonly role?: 'Promoted'
  readonly until?: string
}

export async function moveOrBan(
  call: ParsedCall,
  what: { readonly kind: 'move' | 'ban'; readonly resource: string },
  world: ToolWorld,
): Promise<ToolReply> {
  const { given } = call
  const named = optionValue(given, 'node')
  if (named !== undefined && !knowsNode(world, named)) return noNode(named)
  const until = endOf(optionValue(given, 'lifetime'), world)
  if (until !== undefined && typeof until !== 'string') return until
  const wanted: Wanted = {
    resource: what.resource,
    ...(hasOption(given, 'promoted') ? { role: 'Promoted' } : {}),
    ...(until === undefined ? {} : { until }),
  }
  const told = until === undefined ? '' : `Migration will take effect until: ${until}\n`
  const current = whereNow(what.resource, wanted.role, world)
  const leaving = what.kind === 'ban' && named !== undefined ? [named] : current
  if (named === undefined && leaving.length !== 1) return undecided(what, leaving)
  const staysThere = what.kind === 'move' && current.length === 1 && current[0] === named
  if (staysThere && !hasOption(given, 'force'))
    return refused(exitCodes.exists, 'crm_resource: Error performing operation: Requested item already exists')
  const isMove = what.kind === 'move' && named !== undefined
  const bans = isMove ? (hasOption(given, 'force') ? leaving.filter((node) => node !== named) : []) : leaving
  const refusal = await world.edit(
    conforming((cib) => {
      const moved = isMove ? outcome(preferNode(cib, { ...wanted, node: named })) : cib
      return bans.reduce<XmlElement | ToolReply>(
        (next, node) => ('exitCode' in next ? next : outcome(banNode(next, { ...wanted, node }))),
        moved,
      )
    }),
    { command: commandLine(call) },
  )
  const quiet = hasOption(given, 'quiet')
  return refusal ?? printed(quiet ? '' : `${told}${bans.map((node) => warning(wanted, node)).join('')}`, [])
}

export function noNode(node: string): ToolReply {
  return refused(
    exitCodes.noSuchObject,
    `crm_resource: Node '${node}' not found\nError performing operation: No such object`,
  )
}

function outcome(result: EditResult): XmlElement | ToolReply {
  if (result.ok) return result.value.cib
  return refused(exitCodes.configuration, `crm_resource: ${result.reports.map(describeEditReport).join(' ')}`)
}

/** A duration from now, as the moment at which it ends. */
function endOf(lifetime: string | undefined, world: ToolWorld): string | ToolReply | undefined {
  if (lifetime === undefined) return undefined
  const duration = parseDuration(lifetime)
  return duration === undefined
    ? refused(
        exitCodes.usage,
        `crm_resource: Invalid duration specified: ${lifetime}\nPlease refer to https://en.wikipedia.org/wiki/ISO_8601#Durations for examples of valid durations`,
      )
    : isoTime(later(world.now(), duration))
}

function whereNow(resource: string, role: string | undefined, world: ToolWorld): readonly string[] {
  const all = findStatus(statusOf(world), resource).flatMap(({ state }) => state.active)
  const promoted = all.filter((place) => place.role === 'Promoted')
  // Of a promotable clone, the instance that is promoted is the one that is moved.
  const meant = role !== undefined || promoted.length === 1 ? promoted : all
  return [...new Set(meant.map(({ node }) => node))]
}

function undecided(what: { readonly kind: string; readonly resource: string }, on: readonly string[]): ToolReply {
  return refused(
    exitCodes.usage,
    `crm_resource: Resource '${what.resource}' not ${what.kind === 'ban' ? 'banned' : 'moved'}: active in ${on.length} locations.\nTo prevent '${what.resource}' from running on a specific location, specify a node.\nError performing operation: Invalid argument`,
  )
}

function warning({ resource, role }: Wanted, node: string): string {
  const doing = role === undefined ? 'running' : 'being promoted'
  return (
    `WARNING: Creating rsc_location constraint 'cli-ban-${resource}-on-${node}' with a score of -INFINITY for resource ${resource} on ${node}.\n` +
    `\tThis will prevent ${resource} from ${doing} on ${node} until the constraint is removed using the clear option or by editing the CIB with an appropriate tool\n` +
    `\tThis will be the case even if ${node} is the last node in the cluster\n`
  )
}

export async function clear(call: ParsedCall, resource: string, world: ToolWorld): Promise<ToolReply> {
  const node = optionValue(call.given, 'node')
  if (node !== undefined && !knowsNode(world, node)) return noNode(node)
  const request = {
    resource,
    ...(node === undefined ? {} : { node }),
    ...(hasOption(call.given, 'promoted') ? { role: 'Promoted' as const } : {}),
    ...(hasOption(call.given, 'expired') ? { expiredAt: new Date(world.now() * 1000).toISOString() } : {}),
  }
  const before = world.configuration()
  const leaving = clearCliConstraints(before, request)
  const refusal = await world.edit((cib) => outcome(clearCliConstraints(cib, request)), { command: commandLine(call) })
  const removed = leaving.ok ? leaving.value.removed : []
  const lines = removed.map(({ id }) => `Removing constraint: ${id}\n`)
  return refusal ?? printed(hasOption(call.given, 'quiet') ? '' : lines.join(''), [])
}
