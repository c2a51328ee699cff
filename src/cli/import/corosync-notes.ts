/** Corosync's settings have no place in the CIB: what becomes of each in this cluster is said, with the command that makes it so. */
import type { CorosyncFacts, CorosyncNode, QuorumDevice } from './corosync-conf.ts'

/** The cluster that takes over, as far as the CIB does not tell. */
export interface OwnCluster {
  readonly nodes: readonly {
    readonly name: string
    readonly links: readonly { readonly number: number; readonly address: string; readonly priority: number }[]
  }[]
  readonly tokenMs: number
  readonly witness: string | undefined
}

/** `addressOf`: what a host name of that file means; the same for an address. */
export function corosyncNotes(
  facts: CorosyncFacts,
  own: OwnCluster,
  addressOf: (written: string) => string,
): readonly string[] {
  const { twoNode, quorumDevice, quorumOptions, nodes, others } = facts
  return [
    ...linkNotes(facts, own, addressOf),
    ...tokenNotes(facts, own),
    ...(twoNode ? ['two_node: not needed, clusters of two nodes behave like this without an option.'] : []),
    ...(quorumDevice === undefined ? [] : deviceNotes(quorumDevice, own)),
    ...quorumOptions
      .filter((option) => option !== 'wait_for_all')
      .map((option) => `${option} has no equivalent: lost voters are replaced once they are fenced.`),
    ...nodes
      .filter(({ votes }) => votes !== 1)
      .map(
        ({ name, votes }) =>
          `${name} has ${votes} votes in Corosync (quorum_votes); in Systole a node has one vote or none.`,
      ),
    ...(others.length === 0
      ? []
      : [`Not imported, because it is specific to Corosync or has no equivalent: ${others.join(', ')}.`]),
  ]
}

/** Of an older file, in which each node finds its address in the network of a ring, only the network is known. */
function linkNotes(
  { nodes, links }: CorosyncFacts,
  own: OwnCluster,
  addressOf: (written: string) => string,
): readonly string[] {
  const numbers = [...new Set(nodes.flatMap((node) => node.links.map(({ number }) => number)))].sort()
  const networks = links.flatMap(({ number, network }) =>
    network === undefined || numbers.includes(number)
      ? []
      : [
          `Link ${number} is defined only by its network in corosync.conf (bindnetaddr: ${network}). If this cluster does not use it: systole cluster link add ${addressesThere(own)}.`,
        ],
  )
  return [
    ...numbers.flatMap((number) =>
      linkNote(
        { number, nodes, addressOf, priority: links.find((link) => link.number === number)?.priority ?? 1 },
        own,
      ),
    ),
    ...networks,
  ]
}

/** Of a CIB in a file the cluster's nodes are not known. */
const addressesThere = ({ nodes }: OwnCluster): string =>
  nodes.length === 0 ? '<node>=<address there> …' : nodes.map(({ name }) => `${name}=<address there>`).join(' ')

interface AskedLink {
  readonly number: number
  readonly priority: number
  readonly nodes: readonly CorosyncNode[]
  readonly addressOf: (written: string) => string
}

function linkNote({ number, priority, nodes, addressOf }: AskedLink, own: OwnCluster): readonly string[] {
  const there = new Map(
    nodes.flatMap(({ name, links }) =>
      links.filter((link) => link.number === number).map(({ address }) => [name, addressOf(address)] as const),
    ),
  )
  const addressed = own.nodes.filter(({ name }) => there.has(name))
  if (addressed.length === 0) return []
  const linksHere = addressed.map(({ name, links }) => links.find(({ address }) => address === there.get(name)))
  const [first] = linksHere
  if (first !== undefined && linksHere.every((link) => link?.number === first.number))
    return first.priority === priority
      ? []
      : [
          `Link ${number} has the priority ${priority} in corosync.conf: systole cluster link update ${first.number} options link_priority=${priority}.`,
        ]
  const known = linksHere.find((link) => link !== undefined)
  if (known !== undefined) {
    const moved = addressed.filter((_node, index) => linksHere[index]?.number !== known.number)
    return [
      `Link ${number} of corosync.conf has other addresses than link ${known.number} of this cluster. To use them: systole cluster link update ${known.number} ${moved.map(({ name }) => `${name}=${there.get(name)}`).join(' ')}.`,
    ]
  }
  const words = own.nodes.map(({ name }) => `${name}=${there.get(name) ?? '<address there>'}`)
  const options = priority === 1 ? '' : ` options link_priority=${priority}`
  return [
    `Link ${number} of corosync.conf is not a link of this cluster. To add it: systole cluster link add ${words.join(' ')}${options}.`,
  ]
}

function tokenNotes({ tokenMs, effectiveTokenMs, nodes }: CorosyncFacts, own: OwnCluster): readonly string[] {
  if (own.tokenMs === (tokenMs ?? effectiveTokenMs) || own.tokenMs === effectiveTokenMs) return []
  const there = tokenMs === undefined ? 'token is not set in corosync.conf' : `token is ${tokenMs} ms in corosync.conf`
  const inAll = tokenMs === effectiveTokenMs ? '' : ` (${effectiveTokenMs} ms with ${nodes.length} nodes)`
  return [
    `${there}${inAll}; in Systole a node is suspected after ${own.tokenMs} ms of silence. To change that: systole cluster config update totem token=${tokenMs ?? effectiveTokenMs}.`,
  ]
}

function deviceNotes({ model, host, algorithm, heuristics }: QuorumDevice, own: OwnCluster): readonly string[] {
  if (model !== 'net')
    return [`The quorum device (${model}) is not imported. Use a witness instead (systole quorum device add).`]
  const name = host ?? '<host>'
  return [
    ...(own.witness !== undefined
      ? []
      : [
          `The quorum device of ${name} is not imported. Use a witness instead: once all nodes run, run 'systole quorum device add model net host=${name}'. It prints the command to run on ${name}, where Systole must be installed; corosync-qnetd may remain.`,
        ]),
    ...(algorithm === undefined || algorithm === 'ffsplit'
      ? []
      : [`algorithm ${algorithm} has no equivalent: a witness votes as with ffsplit.`]),
    ...(heuristics ? ['The heuristics of the quorum device have no equivalent.'] : []),
  ]
}
