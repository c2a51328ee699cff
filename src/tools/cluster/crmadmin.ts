/** crmadmin: who is the DC, what it is doing, which nodes there are (crmadmin(8)). */
import { nodeName } from '../../base/index.ts'
import { childElement, childElements, configurationElement, element } from '../../cib/index.ts'
import { nodeNames } from '../attributes/known-nodes.ts'
import { exitCodes } from '../exit-codes.ts'
import { statusOf } from '../monitor/status-of.ts'
import { isoTime } from '../monitor/times.ts'
import { flag, hasOption, lastOf, type OptionSpec, valued } from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import type { ParsedCall, Tool } from '../tool.ts'
import type { ToolWorld } from '../world.ts'

const optional = (option: OptionSpec): OptionSpec => ({ ...option, value: 'optional' })

export const crmadmin: Tool = {
  name: 'crmadmin',
  summary: "Show the cluster's coordinator and its nodes",
  options: [
    flag('dc_lookup,D', 'Who is the DC'),
    valued('status,S', 'NODE', 'What the controller of a node is doing'),
    optional(valued('pacemakerd,P', 'NODE', 'Whether the daemon of this node runs')),
    optional(valued('nodes,N', 'TYPE', 'All nodes, or those of a type: cluster, guest, remote')),
    flag('bash-export,B', 'Nodes as assignments for a shell'),
    flag('quiet,q', 'Only the value'),
    { ...valued('timeout,t', 'TIME', 'Nothing: the answer is there at once'), ignored: true },
    { ...valued('ipc-name,i', 'NAME', 'Nothing'), ignored: true },
  ],
  printsXml: true,
  run,
}

function run(call: ParsedCall, world: ToolWorld): ToolReply {
  const command = lastOf(call.given, ['dc_lookup', 'status', 'pacemakerd', 'nodes'])
  const quiet = hasOption(call.given, 'quiet')
  if (command === undefined) return refused(exitCodes.usage, 'error: Must specify a command option')
  if (command.name === 'nodes') return nodes(call, command.value, world)
  if (!world.isCluster)
    return refused(
      exitCodes.notConnected,
      'error: Could not connect to controller: Connection refused\nerror: Command failed: Connection refused',
    )
  switch (command.name) {
    case 'dc_lookup': {
      const dc = world.dc()
      if (dc === undefined) return printed(quiet ? '' : 'DC not yet elected\n', [element('dc', {})])
      return printed(quiet ? `${dc.name}\n` : `Designated Controller is: ${dc.name}\n`, [
        element('dc', { node_name: dc.name }),
      ])
    }
    case 'status':
      return controllerStatus(command.value ?? '', quiet, world)
    default: {
      const at = isoTime(world.now())
      return printed(quiet ? 'running\n' : `Status of pacemakerd: 'Pacemaker is running' (last updated ${at})\n`, [
        element('pacemakerd', { sys_from: 'pacemakerd', state: 'running', last_updated: at }),
      ])
    }
  }
}

/** Only the DC's controller does something of its own. */
function controllerStatus(node: string, quiet: boolean, world: ToolWorld): ToolReply {
  const known = world.nodes().find(({ name }) => name === node)
  if (known === undefined || known.state === 'lost')
    return refused(exitCodes.noSuchHost, `error: Command failed: No answer from the controller of ${node}`)
  const state = world.dc()?.name === known.name ? world.controllerState() : 'S_NOT_DC'
  return printed(quiet ? `${state}\n` : `Controller on ${node} in state ${state}: ok\n`, [
    element('crmd', { node_name: node, state, result: 'ok' }),
  ])
}

function nodes(call: ParsedCall, types: string | undefined, world: ToolWorld): ToolReply {
  const wanted = new Set((types ?? 'all').split(','))
  const kinds = { member: 'cluster', remote: 'remote', guest: 'guest' } as const
  const { nodesByName } = statusOf(world)
  // Configured ones: what only the history or a bundle knows is left out.
  const found = configuredNames(world)
    .flatMap((name) => nodesByName.get(nodeName(name)) ?? [])
    .map(({ name, id, kind }) => ({ name, id, type: kinds[kind] }))
    .filter(({ type }) => wanted.has('all') || wanted.has(type))
  const lines = found.map(({ name, id, type }) =>
    hasOption(call.given, 'bash-export')
      ? `export ${name.replaceAll('-', '_')}=${id}\n`
      : hasOption(call.given, 'quiet')
        ? `${name}\n`
        : `${type} node: ${name} (${id})\n`,
  )
  const items = found.map(({ name, id, type }) => element('node', { type, name, id }))
  const none = hasOption(call.given, 'quiet') || hasOption(call.given, 'bash-export') ? '' : 'No nodes configured\n'
  return printed(lines.length === 0 ? none : lines.join(''), [element('nodes', {}, items)])
}

function configuredNames(world: ToolWorld): readonly string[] {
  const section = childElement(configurationElement(world.configuration()), 'nodes')
  const members =
    section === undefined ? [] : childElements(section, 'node').map(({ attributes }) => attributes.uname ?? '')
  const known = world.nodes().map(({ name }) => String(name))
  const others = nodeNames(world).filter((name) => !known.includes(name))
  return [...new Set([...members, ...others])]
}
