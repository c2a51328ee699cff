/** crmadmin: who is the DC, what it is doing, which nodes there are (crmadmin(8)). */
import { childElement, childElements, configurationElement, element } from '../../cib/index.ts'
import { connectionNames, guestNames } from '../attributes/known-nodes.ts'
import { exitCodes } from '../exit-codes.ts'
import { isoTime } from '../monitor/times.ts'
import { flag, hasOption, lastOf, type OptionSpec, valued, valueNotDone } from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import type { ParsedCall, Tool } from '../tool.ts'
import type { ToolWorld } from '../world.ts'

const optional = (option: OptionSpec): OptionSpec => ({ ...option, value: 'optional' })

export const crmadmin: Tool = {
  name: 'crmadmin',
  summary: "Show the cluster's coordinator and its nodes",
  options: [
    flag('dc_lookup,D', 'Who is the DC'),
    valued('status,S', 'NODE', 'Show the status of the controller of a node'),
    optional(valued('pacemakerd,P', 'NODE', 'Whether the daemon of this node runs')),
    optional(valued('nodes,N', 'TYPE', 'All nodes, or those of a type: cluster, guest, remote')),
    flag('bash-export,B', 'Nodes as assignments for a shell'),
    flag('quiet,q', 'Only the value'),
    // Kept by shims/systole-tool, so that it holds where this node does not answer at all.
    { ...valued('timeout,t', 'TIME', 'Give up after this time (default: 30s)'), checked: 'duration' },
    valueNotDone('ipc-name,i', 'NAME', 'who asks is known by the connection'),
  ],
  printsXml: true,
  // Debian 12's schema has no word for what it prints itself as the type of a node.
  xmlVersions: { nodes: '2.26' },
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
  // `-N=guest` has the `=` in its value, and is understood.
  const wanted = types ?? 'all'
  const found = configuredNodes(world).filter(({ type }) => wanted.includes('all') || wanted.includes(type))
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

interface ConfiguredNode {
  readonly name: string
  readonly id: string
  readonly type: 'cluster' | 'guest' | 'remote'
}

/** What only the history or a bundle knows is left out. */
function configuredNodes(world: ToolWorld): readonly ConfiguredNode[] {
  const section = childElement(configurationElement(world.configuration()), 'nodes')
  const listed = (section === undefined ? [] : childElements(section, 'node')).flatMap(
    ({ attributes: { id = '', uname = '', type } }) => (type === 'remote' ? [] : [{ name: uname, id }]),
  )
  const joined = world.nodes().filter(({ name }) => !listed.some((one) => one.name === name))
  return [
    ...[...listed, ...joined].map(({ name, id }) => ({ name, id, type: 'cluster' as const })),
    ...guestNames(world).map((name) => ({ name, id: name, type: 'guest' as const })),
    ...connectionNames(world).map((name) => ({ name, id: name, type: 'remote' as const })),
  ]
}
