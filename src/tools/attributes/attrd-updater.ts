/**
 * attrd_updater: transient node attributes with dampening (attrd_updater(8)). Agents evaluate `name="A" host="N" value="V"`, so
 * that the quotes matter.
 */
import { nodeName, type Pattern, parseDurationMs, readPattern } from '../../base/index.ts'
import { element } from '../../cib/index.ts'
import { exitCodes } from '../exit-codes.ts'
import {
  always,
  flag,
  type GivenOption,
  hasOption,
  lastOf,
  notDone,
  optionValue,
  valued,
  valueNotDone,
} from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import type { ParsedCall, Tool } from '../tool.ts'
import type { ToolWorld } from '../world.ts'
import { nodeNames } from './known-nodes.ts'

const commands = ['update', 'update-both', 'update-delay', 'query', 'delete', 'refresh', 'peer-remove']

export const attrdUpdater: Tool = {
  name: 'attrd_updater',
  summary: 'Read and write transient node attributes, with dampening',
  options: [
    valued('name,n', 'NAME', 'The name of the attribute'),
    valued('pattern,P', 'PATTERN', 'All whose name this regular expression finds, instead of --name'),
    valued('update,U,v', 'VALUE', 'Set the value; value++ and value+=N count up'),
    valued('update-both,B', 'VALUE', 'Set the value and the delay (--delay)'),
    flag('update-delay,Y', 'Set the delay alone (--delay)'),
    flag('query,Q', 'Show the value. This is the default'),
    flag('delete,D', 'Delete it'),
    flag('refresh,R', 'Write all values that wait for their delay'),
    flag('all,A', 'On all nodes (with a query)'),
    valued('delay,d', 'TIME', 'Changes within this time are written together'),
    valued('set,s', 'SET', 'The id of the set of a new attribute'),
    valued('node,N', 'NODE', 'On this node, instead of the one where the command runs'),
    flag('private,p', 'Never write it to the CIB'),
    valueNotDone('lifetime,S,l', 'LIFETIME', 'such attributes end with a restart of the node'),
    valued(
      'wait,W',
      'UNTIL',
      'no, local or cluster: the answer comes once the value is there on this node, whichever is asked for',
    ),
    always('quiet,q', 'nothing is said beside the answer'),
    notDone('utilization,z', 'attributes of this kind are not for placement'),
  ],
  printsXml: true,
  run,
}

async function run(call: ParsedCall, world: ToolWorld): Promise<ToolReply> {
  const { given } = call
  if (!['no', 'local', 'cluster'].includes(optionValue(given, 'wait') ?? 'no'))
    return refused(exitCodes.usage, "attrd_updater: --wait= must be one of 'no', 'local', 'cluster'")
  // Agents give a query together with an update: the later one counts.
  const command = lastOf(given, commands)
  const name = optionValue(given, 'name')
  const written = optionValue(given, 'pattern')
  if (name === undefined && written === undefined && command?.name !== 'refresh')
    return refused(exitCodes.usage, 'attrd_updater: Command requires --name argument')
  const read = written === undefined ? undefined : readPattern(written)
  if (read?.ok === false)
    return refused(
      exitCodes.usage,
      `attrd_updater: '${written}' is not a regular expression: ${read.reports.join(', ')}.`,
    )
  const pattern = read?.value
  if (pattern !== undefined && !isChange(command))
    return refused(
      exitCodes.usage,
      'attrd_updater: --pattern goes with --update, --update-both, --update-delay or --delete.',
    )
  if (!world.isCluster)
    return refused(exitCodes.notConnected, 'attrd_updater: Could not connect to attrd: Connection refused')
  if (command?.name === 'refresh') {
    await world.refreshAttributes()
    return printed('', [])
  }
  const names = pattern === undefined ? [name ?? ''] : namesMeant(pattern, world)
  for (const one of names) {
    const reply = await change(call, one, command, world)
    if (reply !== undefined) return reply
  }
  return isChange(command) ? printed('', []) : query(call, name ?? '', world)
}

function isChange(command: GivenOption | undefined): boolean {
  return command !== undefined && command.name !== 'query'
}

function namesMeant(pattern: Pattern, world: ToolWorld): readonly string[] {
  const all = nodeNames(world).flatMap((node) => [...world.live(node).keys()])
  return [...new Set(all)].filter((one) => pattern.test(one))
}

/** Undefined: done, or nothing of the kind was asked for. */
async function change(
  call: ParsedCall,
  name: string,
  command: GivenOption | undefined,
  world: ToolWorld,
): Promise<ToolReply | undefined> {
  const { given } = call
  const node = nodeName(optionValue(given, 'node') ?? call.onNode ?? world.localNode)
  const target = { node, set: optionValue(given, 'set') ?? '', name, isPrivate: hasOption(given, 'private') }
  const delayMs = parseDurationMs(optionValue(given, 'delay') ?? '')
  switch (command?.name) {
    case 'update':
      await world.setAttribute({ ...target, value: command.value ?? '' })
      return undefined
    case 'update-both':
      if (delayMs === undefined) return warned('B')
      await world.setAttribute({ ...target, value: command.value ?? '', delayMs })
      return undefined
    case 'update-delay':
      if (delayMs === undefined) return warned('Y')
      await world.setDampening(name, delayMs)
      return undefined
    case 'delete':
      await world.setAttribute(target)
      return undefined
    default:
      return undefined
  }
}

/** Pacemaker's says this, changes nothing and exits with 0. */
function warned(letter: 'B' | 'Y'): ToolReply {
  return { exitCode: exitCodes.ok, output: `Warning: '${letter}' command given without required --delay\n`, errors: '' }
}

/** Of a named node or the one that the calling agent works for; otherwise, or with `--all`, of all that have it. */
function query(call: ParsedCall, name: string, world: ToolWorld): ToolReply {
  const only = optionValue(call.given, 'node') ?? (hasOption(call.given, 'all') ? undefined : call.onNode)
  const nodes = only === undefined ? nodeNames(world) : [only]
  const found = nodes.flatMap((host) => {
    const value = world.live(host).get(name)
    return value === undefined ? [] : [{ name, host, value }]
  })
  if (found.length === 0)
    return refused(exitCodes.noSuchObject, `attrd_updater: Could not query value of ${name}: attribute does not exist`)
  return printed(
    found.map(({ host, value }) => `name="${name}" host="${host}" value="${value}"\n`).join(''),
    found.map(({ host, value }) => element('attribute', { name, value, host })),
  )
}
