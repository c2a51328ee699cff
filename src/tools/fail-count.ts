/** crm_failcount: how often a resource has failed on a node (crm_failcount(8)). Kept as `fail-count-<resource>#<operation>_<ms>`. */
import { nodeName } from '../base/index.ts'
import { addScores, formatScore, parseScore } from '../cib/index.ts'
import { hasOption, lastOf, type OptionSpec, optionValue, parseOptions } from './options.ts'
import { exitCodes, printed, refused, type ToolCall, type ToolReply, type ToolWorld } from './world.ts'

const options: readonly OptionSpec[] = [
  { names: ['query', 'G'], value: 'none' },
  { names: ['delete', 'D'], value: 'none' },
  { names: ['resource', 'r'], value: 'required' },
  { names: ['node', 'N', 'U', 'uname'], value: 'required' },
  { names: ['operation', 'n'], value: 'required' },
  { names: ['interval', 'I'], value: 'required' },
  { names: ['quiet', 'q', 'Q'], value: 'none' },
  { names: ['update', 'v'], value: 'required' },
  { names: ['verbose', 'V'], value: 'none' },
]

export async function crmFailcount(call: ToolCall, world: ToolWorld): Promise<ToolReply> {
  const parsed = parseOptions(options, call.arguments)
  if (!parsed.ok) return refused(exitCodes.usage, `crm_failcount: ${parsed.reports.join('; ')}`)
  const given = parsed.value
  const resource = optionValue(given, 'resource') ?? call.resource
  if (resource === undefined) return refused(exitCodes.usage, 'crm_failcount: a resource is needed (--resource).')
  const node = nodeName(optionValue(given, 'node') ?? world.localNode)
  const command = lastOf(given, ['query', 'delete', 'update'])?.name
  if (command === 'update')
    return refused(exitCodes.usage, 'crm_failcount: a fail count is counted, not set; --delete forgets it.')
  if (command === 'delete') {
    await world.cleanUp(resource, node)
    return printed('')
  }
  const operation = optionValue(given, 'operation')
  const prefix = `fail-count-${resource}#${operation === undefined ? '' : `${operation}_`}`
  const counts = [...world.transient(node)].filter(([name]) => name.startsWith(prefix))
  const count = counts.reduce((sum, [, value]) => addScores(sum, parseScore(value) ?? 0), 0)
  const value = formatScore(count)
  return printed(
    hasOption(given, 'quiet') ? `${value}\n` : `scope=status  name=fail-count-${resource} value=${value}\n`,
  )
}
