/** stonith_admin: fencing asked for, confirmed and looked up (stonith_admin(8)). */
import { parseDurationMs } from '../../base/index.ts'
import { element } from '../../cib/index.ts'
import { knowsNode } from '../attributes/known-nodes.ts'
import { exitCodes } from '../exit-codes.ts'
import { statusOf } from '../monitor/status-of.ts'
import { ctime } from '../monitor/times.ts'
import { fenceEventElement } from '../monitor/xml.ts'
import { flag, lastOf, optionValue, valued } from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import type { ParsedCall, Tool } from '../tool.ts'
import type { FencingEvent, ToolWorld } from '../world.ts'

const commands = ['reboot', 'fence', 'unfence', 'confirm', 'history', 'last', 'list-registered', 'list']
const defaultTimeoutMs = 120_000

export const stonithAdmin: Tool = {
  name: 'stonith_admin',
  summary: 'Fence nodes, and show what was fenced',
  options: [
    valued('reboot,B', 'NODE', 'Fence a node by a reboot'),
    valued('fence,F', 'NODE', 'Fence a node: switch it off'),
    valued('unfence,U', 'NODE', 'Let a node in again: switch it on'),
    valued('confirm,C', 'NODE', 'Tell the cluster that a node is off, as you have seen yourself'),
    valued('history,H', 'NODE', "What was done to a node; '*' is all"),
    valued('last,h', 'NODE', 'When a node was fenced last'),
    flag('list-registered,L', 'The fence devices'),
    valued('list,l', 'NODE', 'The fence devices that can be used for a node'),
    valued('timeout,t', 'TIME', 'How long fencing may take'),
    flag('quiet,q', 'Less'),
    { ...valued('tag,T', 'TAG', 'Nothing'), ignored: true },
    { ...valued('tolerance', 'TIME', 'Nothing: a node that is off already is not fenced again'), ignored: true },
    { ...valued('delay,y', 'TIME', 'Nothing'), ignored: true },
    { ...flag('cleanup,c', 'Nothing'), ignored: true },
    { ...flag('broadcast,b', 'Nothing: every node knows the whole history'), ignored: true },
  ],
  printsXml: true,
  run: async (call, world) => await run(call, world),
}

async function run(call: ParsedCall, world: ToolWorld): Promise<ToolReply> {
  const command = lastOf(call.given, commands)
  if (command === undefined)
    return refused(
      exitCodes.usage,
      'stonith_admin: a command is needed, such as --reboot or --history. --help names them.',
    )
  if (!world.isCluster)
    return refused(exitCodes.notConnected, 'Could not connect to fencer: Transport endpoint is not connected')
  const { value = '' } = command
  switch (command.name) {
    case 'history':
      return history(value, await world.fencingHistory())
    case 'last':
      return last(value, await world.fencingHistory())
    case 'list-registered':
    case 'list':
      return devices(world)
    default:
      return await fence(call, { command: command.name, node: value }, world)
  }
}

const actions: Readonly<Record<string, 'reboot' | 'off' | 'on' | 'confirm'>> = {
  reboot: 'reboot',
  fence: 'off',
  unfence: 'on',
  confirm: 'confirm',
}

async function fence(
  call: ParsedCall,
  asked: { readonly command: string; readonly node: string },
  world: ToolWorld,
): Promise<ToolReply> {
  const { node } = asked
  const action = actions[asked.command] ?? 'reboot'
  if (!knowsNode(world, node)) return refused(exitCodes.noSuchHost, `stonith_admin: there is no node ${node}`)
  const timeoutMs = parseDurationMs(optionValue(call.given, 'timeout') ?? '') ?? defaultTimeoutMs
  const trouble = await world.fence({ node, action, timeoutMs })
  if (trouble === undefined) return printed('', [])
  return refused(
    /time/i.test(trouble) ? exitCodes.timeout : exitCodes.error,
    `stonith_admin: Couldn't fence ${node}: ${trouble}`,
  )
}

function history(node: string, all: readonly FencingEvent[]): ToolReply {
  const events = all.filter(({ target }) => node === '*' || target === node)
  const count = `${events.length} event${events.length === 1 ? '' : 's'} found`
  return printed(`${[...events.map(describeEvent), count].join('\n')}\n`, [
    element('list', { name: 'fencing history', count: String(events.length) }, events.map(fenceEventElement)),
  ])
}

function describeEvent({ target, action, client, node, outcome, begun, ended }: FencingEvent): string {
  if (outcome === 'pending')
    return `${client} at ${node} wishes to ${action} node ${target} - pending, started at ${ctime(begun)}`
  const what = outcome === 'success' ? 'was able to' : 'was not able to'
  return `${node} ${what} ${action} node ${target} on behalf of ${client} from ${node} at ${ctime(ended ?? begun)}`
}

function last(node: string, all: readonly FencingEvent[]): ToolReply {
  const done = all.filter(({ target, outcome }) => target === node && outcome === 'success')
  const at = Math.max(0, ...done.map(({ ended, begun }) => ended ?? begun))
  return done.length === 0
    ? printed(`Node ${node} has never been fenced\n`, [element('last-fenced', { target: node })])
    : printed(`Node ${node} last fenced at: ${ctime(at)}\n`, [
        element('last-fenced', { target: node, when: ctime(at) }),
      ])
}

function devices(world: ToolWorld): ToolReply {
  const found = [...statusOf(world).primitivesById.values()]
    .filter(({ agent }) => agent.class === 'stonith')
    .map(({ id }) => String(id))
  const count = `${found.length} fence device${found.length === 1 ? '' : 's'} found`
  const items = found.map((id) => element('item', { name: 'device' }, [{ kind: 'text', text: id }]))
  return printed(`${[...found, count].join('\n')}\n`, [
    element('list', { name: 'registered fence devices', count: String(found.length) }, items),
  ])
}
