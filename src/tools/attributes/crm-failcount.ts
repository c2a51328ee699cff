/** crm_failcount: how often a resource has failed on a node (crm_failcount(8)). Kept as `fail-count-<resource>#<operation>_<ms>`. */
import { parseDurationMs } from '../../base/index.ts'
import { addScores, failuresIn, formatScore, parseScore } from '../../cib/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { flag, hasOption, lastOf, optionValue, valued } from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import { knowsResource, statusOf } from '../status-of.ts'
import type { ParsedCall, Tool } from '../tool.ts'
import type { ToolWorld } from '../world.ts'
import { targetNode } from './crm-attribute.ts'
import { knowsNode } from './known-nodes.ts'

export const crmFailcount: Tool = {
  name: 'crm_failcount',
  summary: 'Ask or forget how often a resource has failed on a node',
  options: [
    flag('query,G', 'Show the fail count'),
    flag('delete,D', 'Forget the recorded failures'),
    valued('resource,r', 'RESOURCE', 'The resource, by default that of the agent that calls'),
    valued('node,N,U,uname', 'NODE', 'On this node, instead of the one where the command runs'),
    valued('operation,n', 'OPERATION', 'Of this operation alone'),
    valued('interval,I', 'TIME', 'The interval of the operation'),
    flag('quiet,q,Q', 'Print only the value'),
    valued('update,v', 'VALUE', 'Only 0, which forgets the failures: a fail count is counted, not set'),
  ],
  run: (call, world) => run(call, world),
}

async function run(call: ParsedCall, world: ToolWorld): Promise<ToolReply> {
  const { given } = call
  const command = lastOf(given, ['query', 'delete', 'update'])
  if (command === undefined || (command.name === 'update' && Number(command.value) !== 0))
    return refused(
      exitCodes.usage,
      command === undefined
        ? 'error: must specify a command'
        : "warning: ignoring deprecated option '-v' with nonzero value\nerror: must specify a command",
    )
  const resource = optionValue(given, 'resource') ?? call.resource
  if (resource === undefined) return refused(exitCodes.usage, 'error: resource name required')
  const named = optionValue(given, 'node')
  const node = targetNode(named, call, world)
  if (!knowsNode(world, node))
    return named === undefined || command.name === 'query'
      ? refused(exitCodes.usage, 'error: node name required')
      : refused(exitCodes.noSuchObject, notFound('Node', node))
  const operation = optionValue(given, 'operation')
  const intervalMs = parseDurationMs(optionValue(given, 'interval') ?? '0') ?? 0
  if (command.name !== 'query') {
    if (!knowsResource(statusOf(world), resource))
      return refused(exitCodes.noSuchObject, notFound('Resource', resource))
    await world.cleanUp({ resource, node, ...(operation === undefined ? {} : { operation, intervalMs }) })
    return printed('')
  }
  const value = formatScore(failCount(world, node, { resource, operation, intervalMs }))
  const key = operation === undefined ? '' : `#${operation}_${intervalMs}`
  return printed(
    hasOption(given, 'quiet') ? `${value}\n` : `scope=status  name=fail-count-${resource}${key} value=${value}\n`,
  )
}

/** crm_resource is what forgets them. */
const notFound = (what: 'Node' | 'Resource', name: string): string =>
  `crm_resource: ${what} '${name}' not found\nError performing operation: No such object`

/** Of a resource, or of one of its operations. INFINITY and something is INFINITY. */
export function failCount(
  world: Pick<ToolWorld, 'transient'>,
  node: string,
  of: { readonly resource: string; readonly operation: string | undefined; readonly intervalMs: number },
): number {
  return [...world.transient(node)].reduce((sum, [name, value]) => {
    const counted = name.startsWith('fail-count-') ? failuresIn(name) : undefined
    const isMeant =
      counted?.resource === of.resource &&
      (of.operation === undefined || (counted.operation === of.operation && counted.intervalMs === of.intervalMs))
    return isMeant ? addScores(sum, parseScore(value) ?? 0) : sum
  }, 0)
}
