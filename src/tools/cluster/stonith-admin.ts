/** stonith_admin: fencing asked for, confirmed and looked up (stonith_admin(8)). */
import { parseDurationMs } from '../../base/index.ts'
import { element } from '../../cib/index.ts'
import { knowsNode } from '../attributes/known-nodes.ts'
import { exitCodes } from '../exit-codes.ts'
import { pageFlags } from '../monitor/html.ts'
import { ctime } from '../monitor/times.ts'
import { fenceEventElement } from '../monitor/xml.ts'
import { always, flag, hasOption, lastOf, type OptionSpec, optionValue, valued, valueNotDone } from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import type { ParsedCall, Tool } from '../tool.ts'
import type { FencingEvent, ToolWorld } from '../world.ts'
import { asksFenceAgents, list, onFenceAgents } from './fence-agents.ts'

const defaultTimeoutMs = 120_000

const options: readonly OptionSpec[] = [
  valued('reboot,B', 'NODE', 'Fence a node by a reboot'),
  valued('fence,F', 'NODE', 'Fence a node: switch it off'),
  valued('unfence,U', 'NODE', 'Let a node in again: switch it on'),
  valued('confirm,C', 'NODE', 'Confirm that a node is off, as you have checked yourself'),
  valued('history,H', 'NODE', "Show the fencing history of a node; '*' means all nodes"),
  valued('last,h', 'NODE', 'When a node was fenced last'),
  flag('list-registered,L', 'The fence devices'),
  valued('list,l', 'NODE', 'The fence devices that can fence a node'),
  valued('list-targets,s', 'DEVICE', 'The nodes that a device says it can fence'),
  valued('query,Q', 'DEVICE', 'Whether a device works: its monitor is run on this node'),
  flag('list-installed,I', 'The fence agents of this host'),
  flag('metadata,M', "A fence agent's metadata (with --agent)"),
  flag('validate,K', 'Let a fence agent check its parameters (with --agent, --option, --env-option)'),
  valued('agent,a', 'AGENT', 'The fence agent: fence_ipmilan'),
  valued('option,o', 'NAME=VALUE', 'A parameter of the agent; may be given several times'),
  valued('env-option,e', 'NAME', 'A parameter of the agent, from the environment (OCF_RESKEY_NAME)'),
  valued('register,R', 'DEVICE', 'Refused: devices are those of the configuration'),
  valued('deregister,D', 'DEVICE', 'Refused: devices are those of the configuration'),
  valued('register-level,r', 'TARGET', 'Refused: levels are those of the configuration'),
  valued('deregister-level,d', 'TARGET', 'Refused: levels are those of the configuration'),
  valueNotDone('device,v', 'DEVICE', 'levels are those of the configuration'),
  { ...valueNotDone('index,i', 'LEVEL', 'levels are those of the configuration'), checked: 'integer' },
  {
    ...valued(
      'timeout,t',
      'TIME',
      'How long each action of a device may take (default: fencing-timeout); also how long to wait for a daemon that says nothing, if shorter than 30s',
    ),
    checked: 'duration',
  },
  flag('quiet,q', 'Less: of --history the moment of the last fencing, as seconds since 1970'),
  flag('as-node-id,n', 'The node is named by its id (with --last)'),
  valued('tag,T', 'TAG', 'Record this name as the client in the fencing history'),
  { ...valued('tolerance', 'TIME', 'Do nothing if the same succeeded less than this time ago'), checked: 'duration' },
  {
    ...valued('delay,y', 'TIME', 'Wait so long before fencing, beside the delays of the devices'),
    checked: 'duration',
  },
  flag('cleanup,c', 'Forget the fencing history (with --history)'),
  always('broadcast,b', 'every node knows the whole history'),
  ...pageFlags,
]

const commands = [
  'reboot',
  'fence',
  'unfence',
  'confirm',
  'history',
  'last',
  'list-registered',
  'list',
  'list-targets',
  'query',
  'list-installed',
  'metadata',
  'validate',
  'register',
  'deregister',
  'register-level',
  'deregister-level',
]

export const stonithAdmin: Tool = {
  name: 'stonith_admin',
  summary: 'Fence nodes, show what was fenced, and ask fence agents and devices',
  options,
  printsXml: true,
  takesHtml: true,
  needsTerminal: asksFenceAgents,
  run: async (call, world) => await run(call, world),
}

async function run(call: ParsedCall, world: ToolWorld): Promise<ToolReply> {
  const command = lastOf(call.given, commands)
  if (command === undefined)
    return refused(
      exitCodes.usage,
      'stonith_admin: a command is needed, such as --reboot or --history. --help names them.',
    )
  const { value = '' } = command
  const wrongValue = wrongParameter(call)
  if (wrongValue !== undefined) return refused(exitCodes.usage, `stonith_admin: ${wrongValue}`)
  if (asksFenceAgents(call.given)) return onFenceAgents(call, command.name)
  if (command.name === 'register' && !hasOption(call.given, 'agent'))
    return refused(exitCodes.usage, 'stonith_admin: Please specify an agent to query using -a,--agent [value]')
  if (!world.isCluster)
    return refused(exitCodes.notConnected, 'Could not connect to fencer: Transport endpoint is not connected')
  const durationOf = (name: string) => parseDurationMs(optionValue(call.given, name) ?? '')
  const timeoutMs = durationOf('timeout') ?? defaultTimeoutMs
  switch (command.name) {
    case 'history':
      if (hasOption(call.given, 'cleanup')) return await forget(value, world)
      return history(call, value, await world.fencingHistory())
    case 'last':
      return last(nodeMeant(call, value, world), await world.fencingHistory())
    case 'list-registered':
      return list(
        'fence device',
        'registered fence devices',
        world.fenceDevices().map(({ id }) => id),
      )
    case 'list':
      return list('fence device', 'registered fence devices', await devicesFor(value, timeoutMs, world))
    case 'list-targets':
      return await targets(value, timeoutMs, world)
    case 'query':
      return await query(value, timeoutMs, world)
    case 'register':
    case 'deregister':
      return refused(
        exitCodes.usage,
        `stonith_admin: fence devices are those of the configuration: 'systole stonith create ${value}' or 'systole stonith delete ${value}'.`,
      )
    case 'register-level':
    case 'deregister-level':
      return refused(
        exitCodes.usage,
        `stonith_admin: fencing levels are those of the configuration: 'systole stonith level add' or 'systole stonith level remove'.`,
      )
    default:
      return await fence(call, { action: actions[command.name] ?? 'reboot', node: value }, world)
  }
}

/** A parameter is a pair, and one of the environment is set there. */
function wrongParameter({ given, files }: ParsedCall): string | undefined {
  for (const { name, value = '' } of given) {
    if (name === 'option' && !/^[^=]+=/.test(value)) return `Invalid option: -o ${value}: Operation not permitted`
    if (name === 'env-option' && files !== undefined && files.environment[`OCF_RESKEY_${value}`] === undefined)
      return `Invalid option: -e ${value}`
  }
  return undefined
}

function nodeMeant({ given }: ParsedCall, text: string, world: ToolWorld): string {
  const byId = hasOption(given, 'as-node-id') ? world.nodes().find(({ id }) => id === text)?.name : undefined
  return byId ?? text
}

interface Fencing {
  readonly node: string
  readonly action: 'reboot' | 'off' | 'on' | 'confirm'
}

const actions: Readonly<Record<string, Fencing['action']>> = {
  reboot: 'reboot',
  fence: 'off',
  unfence: 'on',
  confirm: 'confirm',
}

async function fence({ given }: ParsedCall, what: Fencing, world: ToolWorld): Promise<ToolReply> {
  const { node, action } = what
  if (!knowsNode(world, node)) return refused(exitCodes.noSuchHost, `stonith_admin: there is no node ${node}`)
  const [timeoutMs, delayMs, toleranceMs = 0] = ['timeout', 'delay', 'tolerance'].map((name) =>
    parseDurationMs(optionValue(given, name) ?? ''),
  )
  if (toleranceMs > 0 && (await wasDone(what, world, toleranceMs / 1000))) return printed('', [])
  const tag = optionValue(given, 'tag')
  const trouble = await world.fence({
    node,
    action,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(delayMs !== undefined && { delayMs }),
    ...(tag !== undefined && { tag }),
  })
  if (trouble === undefined) return printed('', [])
  return refused(
    /time/i.test(trouble) ? exitCodes.timeout : exitCodes.error,
    `stonith_admin: Couldn't fence ${node}: ${trouble}`,
  )
}

/** Whether the same has succeeded in the last so many seconds. */
async function wasDone({ node, action }: Fencing, world: ToolWorld, seconds: number): Promise<boolean> {
  const all = await world.fencingHistory()
  return all.some(
    (event) =>
      event.target === node &&
      event.action === action &&
      event.outcome === 'success' &&
      (event.ended ?? event.begun) > world.now() - seconds,
  )
}

async function forget(node: string, world: ToolWorld): Promise<ToolReply> {
  await world.forgetFencing(node === '*' || node === '' ? undefined : node)
  return printed('', [])
}

function history({ given }: ParsedCall, node: string, all: readonly FencingEvent[]): ToolReply {
  if (hasOption(given, 'quiet')) {
    const ended = all.filter((event) => event.target === node || node === '*').flatMap(({ ended }) => ended ?? [])
    return printed(`${Math.max(0, ...ended)}\n`)
  }
  const events = all.filter(({ target }) => node === '*' || target === node)
  const count = `${events.length} event${events.length === 1 ? '' : 's'} found`
  return printed(`${[...events.map(describeEvent), count].join('\n')}\n`, [
    element('list', { name: 'fencing history', count: String(events.length) }, events.map(fenceEventElement)),
  ])
}

function describeEvent({ target, action, client, node, outcome, begun, ended }: FencingEvent): string {
  // No node has run a device: not yet, none could, or a human has confirmed that the target is off.
  if (outcome === 'pending')
    return `${client}${node === '' ? '' : ` at ${node}`} wishes to ${action} node ${target} - pending, started at ${ctime(begun)}`
  const succeeded = outcome === 'success'
  const who =
    node === ''
      ? `${succeeded ? 'a human' : 'nobody'} was able to`
      : `${node} ${succeeded ? 'was able to' : 'was not able to'}`
  return `${who} ${action} node ${target} on behalf of ${client}${node === '' ? '' : ` from ${node}`} at ${ctime(ended ?? begun)}`
}

function last(node: string, all: readonly FencingEvent[]): ToolReply {
  const done = all.filter(({ target, outcome }) => target === node && outcome === 'success')
  const at = Math.max(0, ...done.map(({ ended, begun }) => ended ?? begun))
  return done.length === 0
    ? printed(`Node ${node} has never been fenced\n`, [])
    : printed(`Node ${node} last fenced at: ${ctime(at)}\n`, [
        element('last-fenced', { target: node, when: ctime(at) }),
      ])
}

async function devicesFor(node: string, timeoutMs: number, world: ToolWorld): Promise<readonly string[]> {
  const able = await Promise.all(
    world.fenceDevices().map(async ({ id, targets }) => {
      if (targets === 'all') return [id]
      const known = targets ?? (await world.askFenceDevice(id, 'list', timeoutMs))
      // A device that does not answer now may answer when it is needed.
      return typeof known === 'string' || known.includes(node) ? [id] : []
    }),
  )
  return able.flat()
}

async function targets(device: string, timeoutMs: number, world: ToolWorld): Promise<ToolReply> {
  const known = world.fenceDevices().find(({ id }) => id === device)
  if (known === undefined) return noDevice(device)
  const found =
    typeof known.targets === 'object' ? known.targets : await world.askFenceDevice(device, 'list', timeoutMs)
  return typeof found === 'string'
    ? refused(exitCodes.error, `stonith_admin: ${device} did not list its targets: ${found}`)
    : list('fence target', 'fence targets', found)
}

async function query(device: string, timeoutMs: number, world: ToolWorld): Promise<ToolReply> {
  if (!world.fenceDevices().some(({ id }) => id === device)) return noDevice(device)
  const answer = await world.askFenceDevice(device, 'monitor', timeoutMs)
  return typeof answer === 'string'
    ? refused(exitCodes.error, `stonith_admin: ${device} does not work: ${answer}`)
    : printed('', [])
}

const noDevice = (device: string): ToolReply =>
  refused(exitCodes.noSuchObject, `stonith_admin: there is no fence device ${device}`)
