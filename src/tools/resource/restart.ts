/** crm_resource --restart: stop, wait until everything has stopped, start again as it was. */
import { parseDurationMs } from '../../base/index.ts'
import {
  banNode,
  clearCliConstraints,
  describeEditReport,
  disableResources,
  type EditResult,
  findResource,
  setResourceMeta,
  writtenValue,
  type XmlElement,
} from '../../cib/index.ts'
import { commandLine } from '../command-line.ts'
import { exitCodes } from '../exit-codes.ts'
import { optionValue } from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import { findStatus, statusOf } from '../status-of.ts'
import type { ParsedCall } from '../tool.ts'
import type { ToolWorld } from '../world.ts'

const waitMs = 60 * 60_000

/** With a node, only the instance there. What target-role was before, it is afterwards, also when stopping takes too long. */
export async function restart(call: ParsedCall, resource: string, world: ToolWorld): Promise<ToolReply> {
  const node = optionValue(call.given, 'node')
  const places = findStatus(statusOf(world), resource).flatMap(({ state }) => state.active)
  if (!places.some((place) => node === undefined || place.node === node))
    return refused(
      exitCodes.noSuchObject,
      `${resource} is not running ${node === undefined ? 'anywhere' : `on ${node}`} and so cannot be restarted\ncrm_resource: Error performing operation: No such object`,
    )
  const found = findResource(world.configuration(), resource)
  const before = found && writtenValue(found, 'meta_attributes', 'target-role')
  const timeoutMs = parseDurationMs(optionValue(call.given, 'timeout') ?? '') ?? waitMs
  const stop = (cib: XmlElement): EditResult =>
    node === undefined ? disableResources(cib, { ids: [resource] }) : banNode(cib, { resource, node })
  const start = (cib: XmlElement): EditResult =>
    node === undefined
      ? setResourceMeta(cib, { id: resource, meta: { 'target-role': before ?? '' }, force: true })
      : clearCliConstraints(cib, { resource, node })
  const refusal = await edit(call, stop, world)
  if (refusal !== undefined) return refusal
  const stopped = await world.settled(timeoutMs)
  const refusedStart = await edit(call, start, world)
  if (refusedStart !== undefined) return refusedStart
  const started = await world.settled(timeoutMs)
  return stopped && started
    ? printed('', [])
    : refused(exitCodes.timeout, `crm_resource: ${resource} took too long to ${stopped ? 'start' : 'stop'}.`)
}

async function edit(
  call: ParsedCall,
  change: (cib: XmlElement) => EditResult,
  world: ToolWorld,
): Promise<ToolReply | undefined> {
  return await world.edit(
    (cib) => {
      const result = change(cib)
      return result.ok
        ? result.value.cib
        : refused(exitCodes.configuration, `crm_resource: ${result.reports.map(describeEditReport).join(' ')}`)
    },
    { command: commandLine(call) },
  )
}
