/** crm_resource --digests: the hashes by which a change of parameters is noticed, as they are or as they would be. */
import { nodeName, parseDurationMs } from '../../base/index.ts'
import { element, operationDigests, parametersDigest } from '../../cib/index.ts'
import type { ClusterStatus, PrimitiveResource } from '../../status/index.ts'
import { knowsNode } from '../attributes/known-nodes.ts'
import { exitCodes } from '../exit-codes.ts'
import { optionValue } from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import { findStatus, statusOf } from '../status-of.ts'
import type { ParsedCall } from '../tool.ts'
import type { ToolWorld } from '../world.ts'
import { overrides } from './agent-actions.ts'
import { noNode } from './moves.ts'

export function digests(call: ParsedCall, resource: string, world: ToolWorld): ToolReply {
  const node = optionValue(call.given, 'node')
  if (node === undefined) return refused(exitCodes.usage, 'crm_resource: Must supply a node name with -N')
  if (!knowsNode(world, node)) return noNode(node)
  const status = statusOf(world)
  const [primitive] = findStatus(status, resource)
  const isPrimitive = status.resources.every(({ id, kind }) => id !== resource || kind === 'primitive')
  if (primitive === undefined || !isPrimitive)
    return refused(exitCodes.unimplemented, 'crm_resource: Error performing operation: Unimplemented')
  const given = overrides(call.given)
  // These are of the operation rather than of the agent: an interval makes it a recurring one, whose timeout counts.
  const { CRM_meta_interval: interval, CRM_meta_timeout: timeout, ...own } = given
  const parameters = { ...Object.fromEntries(primitive.parametersOn(nodeName(node))), ...own }
  // A number alone is of milliseconds, as in the environment of an agent.
  const intervalMs = /^\d+$/.test(interval ?? '') ? Number(interval) : (parseDurationMs(interval ?? '') ?? 0)
  const recurringTimeoutMs = intervalMs === 0 ? undefined : Number(timeout) || startTimeoutMs(status, primitive)
  // What the agent's metadata said when it was started: which parameters are secret, and which need a restart.
  const recorded = (primitive.state.history.get(nodeName(node)) ?? []).findLast(
    ({ attributes }) => attributes['op-digest'] !== undefined,
  )
  const names = (attribute: string): readonly string[] | undefined =>
    recorded?.attributes[attribute]?.split(' ').filter((name) => name !== '')
  const secret = names('op-secure-params') ?? []
  const restart = names('op-force-restart')
  const kinds = [
    {
      type: 'all',
      label: 'all parameters',
      chosen:
        recurringTimeoutMs === undefined ? parameters : { ...parameters, CRM_meta_timeout: String(recurringTimeoutMs) },
    },
    { type: 'nonprivate', label: 'non-private parameters', chosen: only(parameters, (name) => !secret.includes(name)) },
    ...(restart === undefined
      ? []
      : [
          {
            type: 'nonreloadable',
            label: 'non-reloadable parameters',
            chosen: only(parameters, (name) => restart.includes(name)),
          },
        ]),
  ].map((kind) => ({
    ...kind,
    hash:
      kind.type === 'all'
        ? operationDigests(
            { parameters, ...(recurringTimeoutMs === undefined ? {} : { recurringTimeoutMs }) },
            world.md5,
          ).all
        : parametersDigest(kind.chosen, world.md5),
  }))
  return printed(kinds.map(({ hash, label }) => `${hash} (${label})\n`).join(''), [
    element(
      'digests',
      { resource: primitive.id, node, task: 'start', interval: `${intervalMs}ms` },
      kinds.map(({ type, hash, chosen }) => element('digest', { type, hash }, [element('parameters', chosen)])),
    ),
  ])
}

const defaultTimeoutMs = 20_000

function startTimeoutMs({ operationMeta }: ClusterStatus, primitive: PrimitiveResource): number {
  const definition = primitive.operations.find(({ name }) => name === 'start')
  const meta = operationMeta(primitive, { name: 'start', intervalMs: 0, ...(definition && { definition }) })
  return parseDurationMs(meta.get('timeout') ?? '') ?? defaultTimeoutMs
}

function only(
  parameters: Readonly<Record<string, string>>,
  keep: (name: string) => boolean,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => keep(name)))
}
