/**
 * What tools ask Corosync for, answered from this cluster: corosync-cfgtool -s, corosync-quorumtool -s, corosync-cmapctl. There is no
 * Corosync; links, votes and names are ours in its words.
 */
import { exitCodes } from '../exit-codes.ts'
import { ctime } from '../monitor/times.ts'
import { always, flag, hasOption, notDone, optionValue, plainWords, valued, valueNotDone } from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import { statusOf } from '../status-of.ts'
import type { ParsedCall, Tool } from '../tool.ts'
import type { ToolLink, ToolNode, ToolWitness, ToolWorld } from '../world.ts'

function notConnected(tool: string): ToolReply {
  return refused(exitCodes.error, `${tool}: this is a CIB in a file, not a cluster.`)
}

/** As Corosync's: whatever goes wrong is 1. */
const exits = { usage: exitCodes.error } as const

/** `-V` asks for the version in all of them. */
const version = { names: ['version', 'V', '$'], value: 'none', help: 'Show the version' } as const

export const corosyncCfgtool: Tool = {
  name: 'corosync-cfgtool',
  summary: 'Show the links of this node',
  exits,
  options: [
    flag('s', 'The state of the links, by link'),
    flag('n', 'The state of the links, by node'),
    flag('R', 'Answer that it is done: a changed list of nodes is known everywhere at once'),
    valued('a', 'ID', 'The address of a node'),
    flag('L', 'Answer that it is done: systoled keeps no log file open'),
    flag('H', "Refused: 'systole cluster stop' stops this node"),
    valued('k', 'ID', "Refused: 'stonith_admin --fence' switches a node off"),
    valued('i', 'LINK', 'Only the link of this number or address (with -s)'),
    flag('b', 'The nodes of a link as one word (with -s): n for this node, 3 for a connected one, 1 for another'),
    notDone('force', 'nothing is done here that it could force'),
    version,
  ],
  run: ({ given }, world) => {
    if (!world.isCluster) return notConnected('corosync-cfgtool')
    if (hasOption(given, 'R')) return printed('Reloading corosync.conf...\nDone\n')
    if (hasOption(given, 'L')) return printed('')
    const asked = optionValue(given, 'a')
    if (asked !== undefined) return addressOf(asked, world)
    if (!hasOption(given, 's') && !hasOption(given, 'n'))
      return refused(
        exitCodes.usage,
        "corosync-cfgtool: only -s, -n, -a, -L and -R are answered: 'systole cluster stop' stops a node, 'stonith_admin --fence' switches one off.",
      )
    const own = world.nodes().find(({ name }) => name === world.localNode)
    const title = `Local node ID ${own?.id ?? ''}, transport tls\n`
    const links = (own && linksOf(own)) ?? []
    if (hasOption(given, 'n')) return printed(title + nodesText(links, world))
    const wanted = optionValue(given, 'i')
    const shown = links.filter(
      ({ number, address }) => wanted === undefined || wanted === String(number) || wanted === address,
    )
    if (wanted !== undefined && shown.length === 0)
      return refused(exitCodes.error, `corosync-cfgtool: this node has no link ${wanted}.`)
    return printed(title + shown.map((link) => linkText(link, hasOption(given, 'b'), world)).join(''))
  },
}

const linksOf = ({ links, address = '', state }: ToolNode): readonly ToolLink[] =>
  links ?? [{ number: 0, address, isUp: state === 'member' }]

const isUpOn = (node: ToolNode, number: number): boolean =>
  linksOf(node).some((link) => link.number === number && link.isUp)

function linkText({ number, address }: ToolLink, isBrief: boolean, world: ToolWorld): string {
  const stateOf = (node: ToolNode, [local, up, down]: readonly [string, string, string]): string =>
    node.name === world.localNode ? local : isUpOn(node, number) ? up : down
  const title = `LINK ID ${number} tcp\n\taddr\t= ${address}\n`
  if (isBrief)
    return `${title}\tstatus\t= ${world
      .nodes()
      .map((node) => stateOf(node, ['n', '3', '1']))
      .join('')}\n`
  const lines = world
    .nodes()
    .map(
      (node) => `\t\tnodeid:${node.id.padStart(11)}:\t${stateOf(node, ['localhost', 'connected', 'disconnected'])}\n`,
    )
  return `${title}\tstatus:\n${lines.join('')}`
}

/** The others, each with the links to it. */
function nodesText(own: readonly ToolLink[], world: ToolWorld): string {
  const others = world.nodes().filter(({ name }) => name !== world.localNode)
  return others
    .map((node) => {
      const lines = linksOf(node).map(({ number, address, isUp }) => {
        const from = own.find((link) => link.number === number)?.address ?? ''
        return `   LINK: ${number} tcp (${from}->${address}) enabled ${isUp ? 'connected' : 'disconnected'}\n`
      })
      const isReachable = linksOf(node).some(({ isUp }) => isUp)
      return `nodeid:${node.id.padStart(11)} ${isReachable ? 'reachable' : 'unreachable'}\n${lines.join('')}\n`
    })
    .join('')
}

function addressOf(id: string, world: ToolWorld): ToolReply {
  const address = world.nodes().find((node) => node.id === id)?.address
  return address === undefined
    ? refused(exitCodes.error, `corosync-cfgtool: there is no node with the id ${id}.`)
    : printed(`${address}\n`)
}

export const corosyncQuorumtool: Tool = {
  name: 'corosync-quorumtool',
  summary: 'Show quorum and votes. 2 without quorum',
  exits,
  options: [
    flag('s', 'Quorum and votes'),
    flag('l', 'The members'),
    flag('H', 'Ids as hexadecimal numbers'),
    valued('o', 'ORDER', 'The members by a: address, n: name, i: id'),
    valued('e', 'VOTES', 'Refused: votes are those of the nodes that were added'),
    valued('v', 'VOTES', 'Refused: every node has one vote'),
    valueNotDone('n', 'ID', 'every node has one vote'),
    flag('f', 'Refused: a witness votes while it is of use'),
    notDone('m', 'it is shown once'),
    always('a', 'a node has one name'),
    flag('p', 'For programs: the column Qdevice is there without a witness, too, and says NR'),
    flag('i', 'Nodes by their addresses'),
    version,
  ],
  run: ({ given }, world) => {
    if (!world.isCluster) return notConnected('corosync-quorumtool')
    if (['e', 'v', 'f'].some((name) => hasOption(given, name)))
      return refused(
        exitCodes.usage,
        "corosync-quorumtool: votes cannot be changed: every node of the cluster has one. 'systole quorum status' shows who counts.",
      )
    const present = ordered(
      world.nodes().filter(({ state }) => state === 'member'),
      optionValue(given, 'o') ?? 'i',
    )
    const witness = world.witness()
    const withDevice = witness !== undefined || hasOption(given, 'p')
    const lines = present.map((node) =>
      memberLine(hasOption(given, 'H') ? hexadecimal(node) : node, {
        world,
        withDevice,
        byAddress: hasOption(given, 'i'),
      }),
    )
    const heads = `    Nodeid      Votes ${withDevice ? '   Qdevice ' : ''}Name\n`
    const table = [heads, ...lines, ...(witness === undefined ? [] : [witnessLine(witness)])].join('')
    const members = `\nMembership information\n----------------------\n${table}`
    if (hasOption(given, 'l')) return printed(members)
    const output = `${quorumText(world, present)}${members}`
    return { exitCode: world.quorate ? exitCodes.ok : 2, output, errors: '' }
  },
}

function ordered(nodes: readonly ToolNode[], order: string): readonly ToolNode[] {
  const key = ({ name, id, address = '' }: ToolNode): string =>
    order === 'n' ? name : order === 'a' ? address : id.padStart(10, '0')
  return nodes.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
}

const hexadecimal = (node: ToolNode): ToolNode => ({
  ...node,
  id: `0x${Number(node.id).toString(16).padStart(8, '0')}`,
})

function memberLine(
  { id, name, address = name }: ToolNode,
  how: { readonly world: ToolWorld; readonly withDevice: boolean; readonly byAddress: boolean },
): string {
  const { world, withDevice } = how
  const witness = world.witness()
  // NR: not registered.
  const seen = withDevice ? `   ${(witness === undefined ? 'NR' : witnessFlags(witness)).padStart(7)} ` : ''
  return `${id.padStart(10)}${'1'.padStart(11)} ${seen}${how.byAddress ? address : name}${name === world.localNode ? ' (local)' : ''}\n`
}

/** Alive or not, voting or not, and never a master that wins. */
const witnessFlags = (witness: ToolWitness): string =>
  `${witness.isHeard ? 'A' : 'NA'},${witnessVotes(witness) === 1 ? 'V' : 'NV'},NMW`

const witnessVotes = ({ votes, isHeard }: ToolWitness): number => (votes && isHeard ? 1 : 0)

function witnessLine(witness: ToolWitness): string {
  const votes = witnessVotes(witness)
  const line = `${'0'.padStart(10)}${String(votes).padStart(11)}            Qdevice`
  return votes === 1 ? `${line}\n` : `${line} (votes 1)\n`
}

function quorumText(world: ToolWorld, present: readonly ToolNode[]): string {
  const witness = world.witness()
  const expected = expectedVotes(world)
  const total = present.length + (witness === undefined ? 0 : witnessVotes(witness))
  const own = world.nodes().find(({ name }) => name === world.localNode)
  const needed = expected === 2 ? 1 : Math.floor(expected / 2) + 1
  const flags = [
    ...(expected === 2 ? ['2Node'] : []),
    ...(world.quorate ? ['Quorate'] : []),
    ...(witness === undefined ? [] : ['Qdevice']),
  ]
  const rows = (pairs: readonly (readonly [string, string])[]): string =>
    pairs.map(([name, value]) => `${`${name}:`.padEnd(18)}${value}\n`).join('')
  return [
    'Quorum information\n------------------\n',
    rows([
      ['Date', ctime(world.now())],
      ['Quorum provider', 'systole'],
      ['Nodes', String(present.length)],
      ['Node ID', own?.id ?? ''],
      ['Ring ID', `${own?.id ?? ''}.1`],
      ['Quorate', world.quorate ? 'Yes' : 'No'],
    ]),
    '\nVotequorum information\n----------------------\n',
    rows([
      ['Expected votes', String(expected)],
      ['Highest expected', String(expected)],
      ['Total votes', String(total)],
      ['Quorum', `${needed}  ${world.quorate ? '' : 'Activity blocked'}`],
      ['Flags', `${flags.join(' ')} `],
    ]),
  ].join('')
}

/** Each node has one in Corosync's eyes, whoever votes in the store. */
function expectedVotes(world: ToolWorld): number {
  return world.nodes().length + (world.witness()?.votes === true ? 1 : 0)
}

export const corosyncCmapctl: Tool = {
  name: 'corosync-cmapctl',
  summary: 'Show settings under the names that Corosync has for them: all, or those whose names begin with a word',
  exits,
  options: [
    valued('g', 'KEY', 'One setting; further words are further settings'),
    flag('q', 'Only values (with -g)'),
    valued('s', 'KEY', 'Refused: settings are not written here'),
    valued('d', 'KEY', 'Refused: settings are not written here'),
    valued('D', 'PREFIX', 'Refused: settings are not written here'),
    valued('p', 'FILE', 'Refused: settings are not written here'),
    valued('C', 'KIND', 'Refused: settings are not written here'),
    valued('t', 'KEY', 'Refused: nothing is followed here'),
    valued('T', 'PREFIX', 'Refused: nothing is followed here'),
    notDone('b', 'no value is binary'),
    valueNotDone('m', 'MAP', 'there is one map'),
    version,
  ],
  run: (call, world) => {
    if (!world.isCluster) return notConnected('corosync-cmapctl')
    if (['s', 'd', 'D', 'p', 'C', 't', 'T'].some((name) => hasOption(call.given, name)))
      return refused(
        exitCodes.usage,
        "corosync-cmapctl: settings are only read here: 'systole property set' and 'systole cluster' change them.",
      )
    const key = optionValue(call.given, 'g')
    return key === undefined
      ? begun(plainWords(call.given), world)
      : exactly([key, ...plainWords(call.given)], call, world)
  },
}

/** Those whose names begin with one of these, or all. */
function begun(prefixes: readonly string[], world: ToolWorld): ToolReply {
  const found = cmapKeys(world).filter(
    ({ key }) => prefixes.length === 0 || prefixes.some((prefix) => key.startsWith(prefix)),
  )
  return { ...printed(found.map(keyLine).join('')), exitCode: found.length === 0 ? exitCodes.error : exitCodes.ok }
}

function exactly(names: readonly string[], { given }: ParsedCall, world: ToolWorld): ToolReply {
  const known = cmapKeys(world)
  const shown = hasOption(given, 'q') ? ({ value }: CmapKey): string => `${value}\n` : keyLine
  const found = names.map((name) => known.find(({ key }) => key === name))
  const missing = names.filter((_, index) => found[index] === undefined)
  return {
    exitCode: missing.length === 0 ? exitCodes.ok : exitCodes.error,
    output: found.map((one) => (one === undefined ? '' : shown(one))).join(''),
    errors: missing.map((name) => `Can't get key ${name}. Error CS_ERR_NOT_EXIST\n`).join(''),
  }
}

const keyLine = ({ key, type, value }: CmapKey): string => `${key} (${type}) = ${value}\n`

interface CmapKey {
  readonly key: string
  readonly type: 'str' | 'u32' | 'u8'
  readonly value: string
}

/** By key, as Corosync prints them. */
function cmapKeys(world: ToolWorld): readonly CmapKey[] {
  const nodes = world.nodes()
  const at = nodes.findIndex(({ name }) => name === world.localNode)
  const listed = nodes.flatMap((node, number): readonly CmapKey[] => [
    { key: `nodelist.node.${number}.name`, type: 'str', value: node.name },
    { key: `nodelist.node.${number}.nodeid`, type: 'u32', value: node.id },
    ...linksOf(node).map(
      (link): CmapKey => ({
        key: `nodelist.node.${number}.ring${link.number}_addr`,
        type: 'str',
        value: link.address,
      }),
    ),
  ])
  const members = nodes.flatMap(({ id, state }): readonly CmapKey[] =>
    state === 'member' ? [{ key: `runtime.members.${id}.status`, type: 'str', value: 'joined' }] : [],
  )
  const all: readonly CmapKey[] = [
    { key: 'nodelist.local_node_pos', type: 'u32', value: String(at) },
    ...listed,
    { key: 'quorum.expected_votes', type: 'u32', value: String(expectedVotes(world)) },
    ...deviceKeys(world),
    { key: 'quorum.provider', type: 'str', value: 'systole' },
    ...members,
    { key: 'runtime.votequorum.this_node_id', type: 'u32', value: nodes[at]?.id ?? '' },
    { key: 'totem.cluster_name', type: 'str', value: clusterName(world) },
    { key: 'totem.transport', type: 'str', value: 'tls' },
    { key: 'totem.version', type: 'u32', value: '2' },
  ]
  return [...all].sort((a, b) => (a.key < b.key ? -1 : 1))
}

function deviceKeys(world: ToolWorld): readonly CmapKey[] {
  const witness = world.witness()
  if (witness === undefined) return []
  return [
    { key: 'quorum.device.model', type: 'str', value: 'net' },
    { key: 'quorum.device.net.algorithm', type: 'str', value: 'ffsplit' },
    { key: 'quorum.device.net.host', type: 'str', value: witness.name },
    { key: 'quorum.device.votes', type: 'u32', value: '1' },
  ]
}

function clusterName(world: ToolWorld): string {
  return statusOf(world).options.raw.get('cluster-name') ?? 'systole'
}
