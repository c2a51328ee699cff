/** crm_resource --move, --ban and --clear: constraints with Pacemaker's ids. */
import {
  banNode,
  clearCliConstraints,
  describeEditReport,
  type EditResult,
  findResource as findElement,
  preferNode,
  type XmlElement,
} from '../../cib/index.ts'
import { primitivesIn, type Resource } from '../../status/index.ts'
import { knowsNode } from '../attributes/known-nodes.ts'
import { conforming } from '../cib/conforming.ts'
import { commandLine } from '../command-line.ts'
import { exitCodes } from '../exit-codes.ts'
import { isoTime } from '../monitor/times.ts'
import { hasOption, optionValue } from '../options.ts'
import { failedWith, printed, refused, type ToolReply } from '../reply.ts'
import { findResource, statusOf } from '../status-of.ts'
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
  const status = statusOf(world)
  const found = findResource(status, what.resource)
  const isForced = hasOption(given, 'force')
  const wanted: Wanted = {
    resource: what.resource,
    ...(hasOption(given, 'promoted') ? { role: 'Promoted' } : {}),
    ...(until === undefined ? {} : { until }),
  }
  const told = until === undefined ? '' : `Migration will take effect until: ${until}\n`
  if (named === undefined || what.kind === 'ban')
    return await ban(call, { wanted, told, found, ...(named === undefined ? {} : { named }) }, world)
  const { places, isUndecided } = whereToMoveFrom(found, named)
  if (isUndecided) return failedWith('crm_resource', exitCodes.multiple)
  const isPromotable = found?.kind === 'clone' ? found.promotable : isInPromotable(found)
  const isIgnored = wanted.role !== undefined && !isPromotable
  const meant: Wanted = isIgnored ? withoutRole(wanted) : wanted
  const staysThere = places.includes(named)
  const ignoring = isIgnored ? `Ignoring --promoted option: ${what.resource} is not promotable\n` : ''
  if (staysThere && !isForced) return { ...failedWith('crm_resource', exitCodes.exists), output: ignoring }
  const [from, another] = places
  const leaves = isForced && from !== undefined && another === undefined && !staysThere
  const refusal = await world.edit(
    conforming((cib) => {
      const moved = outcome(preferNode(cib, { ...meant, node: named }))
      return leaves && !('exitCode' in moved) ? outcome(banNode(moved, { ...meant, node: from })) : moved
    }),
    {
      command: commandLine(call),
      steps: (cib) => stepsOf(preferNode(cib, { ...meant, node: named })) + (leaves ? 1 : 0),
    },
  )
  if (refusal !== undefined) return { ...refusal, output: ignoring }
  if (hasOption(given, 'quiet')) return printed('', [])
  const lines = [
    ignoring,
    told,
    ...(leaves ? [told, warning(meant, from)] : []),
    ...(isForced && another !== undefined && !staysThere ? [mayMove(meant, named, places.length)] : []),
  ]
  return printed(lines.join(''), [])
}

async function ban(
  call: ParsedCall,
  asked: {
    readonly wanted: Wanted
    readonly told: string
    readonly found: Resource | undefined
    readonly named?: string
  },
  world: ToolWorld,
): Promise<ToolReply> {
  const { wanted, told, found, named } = asked
  const places = placesOf(found)
  const [only] = found?.kind === 'bundle' || places.all.length === 1 ? places.all : places.promoted
  const count = found?.kind === 'bundle' || places.all.length < 2 ? places.all.length : places.promoted.length
  const node = named ?? (count === 1 ? only : undefined)
  if (node === undefined) return undecided(wanted.resource, places, found)
  const refusal = await world.edit(
    conforming((cib) => outcome(banNode(cib, { ...wanted, node, nodeIsKnown: true }))),
    { command: commandLine(call) },
  )
  const output = hasOption(call.given, 'quiet') ? '' : `${told}${warning(wanted, node)}`
  return refusal === undefined ? printed(output, []) : { ...refusal, output }
}

/** A preference takes away the one before it and a ban on its node: Pacemaker makes three changes of it. */
function stepsOf(result: EditResult): number {
  return result.ok ? result.value.removed.length + 1 : 1
}

function withoutRole({ role: _, ...others }: Wanted): Wanted {
  return others
}

function mayMove({ resource, role }: Wanted, node: string, count: number): string {
  return (
    `Resource '${resource}' is currently ${role === undefined ? 'active' : 'promoted'} in ${count} locations. One may now move to ${node}\n` +
    `To prevent '${resource}' from being ${role === undefined ? 'active' : 'promoted'} at a specific location, specify a node.\n`
  )
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
  const isNothing = duration !== undefined && Object.values(duration).every((amount) => amount === 0)
  return duration === undefined || isNothing
    ? refused(
        exitCodes.usage,
        `Invalid duration specified: ${lifetime}\nPlease refer to https://en.wikipedia.org/wiki/ISO_8601#Durations for examples of valid durations`,
      )
    : isoTime(later(world.now(), duration))
}

interface Places {
  readonly all: readonly string[]
  readonly promoted: readonly string[]
}

/** Of a name inside a clone, the first instance. */
function placesOf(found: Resource | undefined): Places {
  const active = found === undefined ? [] : primitivesIn(found).flatMap(({ state }) => state.active)
  const promoted = active.filter(({ role }) => role === 'Promoted')
  if (found?.kind !== 'bundle')
    return {
      all: [...new Set(active.map(({ node }) => node))],
      promoted: [...new Set(promoted.map(({ node }) => node))],
    }
  return {
    all: found.replicas.flatMap(({ container }) => container.state.active.map(({ node }) => node)),
    promoted: [],
  }
}

/** Of a promotable clone, the instance that is promoted is the one that is moved. A bundle of several replicas has no place. */
function whereToMoveFrom(
  found: Resource | undefined,
  to: string,
): { readonly places: readonly string[]; readonly isUndecided: boolean } {
  const { all, promoted } = placesOf(found)
  if (found?.kind === 'bundle') return { places: all, isUndecided: all.length > 1 }
  const places = promoted.length === 1 ? promoted : all
  // Where several instances run, another one may go where one is already.
  return { places: places.length > 1 ? places.filter((node) => node !== to) : places, isUndecided: false }
}

function isInPromotable(found: Resource | undefined): boolean {
  return found?.kind === 'primitive' && (found.instance?.promotable ?? false)
}

function undecided(resource: string, { all, promoted }: Places, found: Resource | undefined): ToolReply {
  const isPromotable = found?.kind === 'clone' && found.promotable
  const where = `active in ${all.length} locations${isPromotable ? ` (promoted in ${promoted.length})` : ''}`
  const first = `To prevent '${resource}' from running on a specific location, specify a node.`
  const second = isPromotable
    ? `\nTo prevent '${resource}' from being promoted at a specific location, specify a node and the --promoted option.`
    : ''
  return refused(exitCodes.usage, `crm_resource: Resource '${resource}' not moved: ${where}.\n${first}${second}`)
}

function warning({ resource, role }: Wanted, node: string): string {
  const doing = role === undefined ? 'running' : 'being promoted'
  return (
    `WARNING: Creating rsc_location constraint 'cli-ban-${resource}-on-${node}' with a score of -INFINITY for resource ${resource} on ${node}.\n` +
    `\tThis will prevent ${resource} from ${doing} on ${node} until the constraint is removed using the clear option or by editing the CIB with an appropriate tool.\n` +
    `\tThis will be the case even if ${node} is the last node in the cluster\n`
  )
}

/** Without a resource, with --expired alone, those of all. */
export async function clear(call: ParsedCall, resource: string | undefined, world: ToolWorld): Promise<ToolReply> {
  const node = optionValue(call.given, 'node')
  if (node !== undefined && !knowsNode(world, node)) return noNode(node)
  const request = {
    ...(resource === undefined ? {} : { resource }),
    ...(node === undefined ? {} : { node }),
    ...(hasOption(call.given, 'expired') ? { expiredAt: new Date(world.now() * 1000).toISOString() } : {}),
  }
  const before = world.configuration()
  // What a bundle or a guest node implies is in no configuration, and no constraint speaks of it.
  if (resource !== undefined && findElement(before, resource) === undefined) return printed('', [])
  const leaving = clearCliConstraints(before, request)
  const removed = leaving.ok ? leaving.value.removed : []
  const refusal = await world.edit((cib) => outcome(clearCliConstraints(cib, request)), {
    command: commandLine(call),
    steps: () => removed.length,
  })
  const lines = removed.map(({ id }) => `Removing constraint: ${id}\n`)
  return refusal ?? printed(hasOption(call.given, 'quiet') ? '' : lines.join(''), [])
}
