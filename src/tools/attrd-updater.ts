/**
 * attrd_updater: transient node attributes with dampening (attrd_updater(8)). Agents evaluate `name="A" host="N" value="V"`, so
 * that the quotes matter.
 */
import { type NodeName, nodeName, parseDurationMs } from '../base/index.ts'
import { type GivenOption, hasOption, lastOf, type OptionSpec, optionValue, parseOptions } from './options.ts'
import { exitCodes, printed, refused, type ToolCall, type ToolReply, type ToolWorld } from './world.ts'

const options: readonly OptionSpec[] = [
  { names: ['name', 'n'], value: 'required' },
  { names: ['update', 'U', 'v'], value: 'required' },
  { names: ['update-both', 'B'], value: 'required' },
  { names: ['update-delay', 'Y'], value: 'none' },
  { names: ['query', 'Q'], value: 'none' },
  { names: ['delete', 'D'], value: 'none' },
  { names: ['refresh', 'R'], value: 'none' },
  { names: ['all', 'A'], value: 'none' },
  { names: ['delay', 'd'], value: 'required' },
  { names: ['set', 's'], value: 'required' },
  { names: ['node', 'N'], value: 'required' },
  { names: ['private', 'p'], value: 'none' },
  { names: ['quiet', 'q'], value: 'none' },
  { names: ['verbose', 'V'], value: 'none' },
  { names: ['lifetime', 'S'], value: 'required' },
  { names: ['wait', 'W'], value: 'required' },
]

const commands = ['update', 'update-both', 'update-delay', 'query', 'delete', 'refresh']

export async function attrdUpdater(call: ToolCall, world: ToolWorld): Promise<ToolReply> {
  const parsed = parseOptions(options, call.arguments)
  if (!parsed.ok) return refused(exitCodes.usage, `attrd_updater: ${parsed.reports.join('; ')}`)
  const given = parsed.value
  // Agents give a query together with an update: the later one counts.
  const command = lastOf(given, commands)
  if (command?.name === 'refresh') {
    await world.refreshAttributes()
    return printed('')
  }
  const name = optionValue(given, 'name')
  if (name === undefined) return refused(exitCodes.usage, 'attrd_updater: Command requires --name argument')
  const named = optionValue(given, 'node')
  const node = nodeName(named ?? call.onNode ?? world.localNode)
  switch (command?.name) {
    case 'update':
      return await update(given, { node, name, value: command.value ?? '' }, world)
    case 'update-both':
    case 'update-delay': {
      const delayMs = parseDurationMs(optionValue(given, 'delay') ?? '')
      // Pacemaker's says this, changes nothing and exits with 0.
      if (delayMs === undefined) return warned(command.name)
      if (command.name === 'update-both')
        return await update(given, { node, name, value: command.value ?? '', delayMs }, world)
      await world.setDampening(name, delayMs)
      return printed('')
    }
    case 'delete':
      return await update(given, { node, name }, world)
    default:
      return query(name, hasOption(given, 'all') ? undefined : node, world)
  }
}

async function update(
  given: readonly GivenOption[],
  attribute: Omit<Parameters<ToolWorld['setAttribute']>[0], 'set' | 'isPrivate'>,
  world: ToolWorld,
): Promise<ToolReply> {
  const set = optionValue(given, 'set') ?? ''
  await world.setAttribute({ ...attribute, set, isPrivate: hasOption(given, 'private') })
  return printed('')
}

function warned(command: 'update-both' | 'update-delay'): ToolReply {
  const letter = command === 'update-both' ? 'B' : 'Y'
  return { exitCode: exitCodes.ok, output: '', errors: `Warning: '${letter}' command given without required --delay\n` }
}

/** On one node or, with `--all`, on all that have it. */
function query(name: string, only: NodeName | undefined, world: ToolWorld): ToolReply {
  const nodes = only === undefined ? world.nodes().map((node) => node.name) : [only]
  const lines = nodes.flatMap((node) => {
    const value = world.live(node).get(name)
    return value === undefined ? [] : [`name="${name}" host="${node}" value="${value}"\n`]
  })
  if (lines.length > 0) return printed(lines.join(''))
  return refused(exitCodes.noSuchObject, `Could not query value of ${name}: attribute does not exist`)
}
