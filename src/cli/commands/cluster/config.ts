import { isIP } from 'node:net'
import { readConfiguration, type XmlElement } from '../../../cib/index.ts'
import type { ClusterState, Member } from '../../../rpc/index.ts'
import { type Call, type Command, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { formatFlag, inFormat } from '../../call/output-format.ts'
import { alignColumns } from '../../call/table.ts'
import { linksOf } from '../../facts/member-links.ts'
import { expectWords } from '../../grammar/words.ts'
import { defaultTokenMs } from './corosync-options.ts'

export const clusterConfig: Command = {
  path: ['cluster', 'config', 'show'],
  bare: [['cluster', 'config']],
  usage: '[--output-format text|cmd|json]',
  summary: 'Show the cluster’s name, its nodes, its store and its token',
  flags: [formatFlag],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'cluster config show' })
    const state = await liveCluster(call).getState({})
    if (!state.configured) throw new Refusal('This host does not belong to a cluster yet.')
    const { tokenMs = defaultTokenMs } = state
    const nodes = state.members.map((member) => ({
      node: member.node,
      address: member.address,
      links: linksOf(member).map(({ number, address: at, priority }) => ({ number, address: at, priority })),
      votes: member.votes,
    }))
    return await inFormat(call, {
      text: () =>
        `Cluster Name: ${state.clusterName}\nStore: ${state.store.kind}\nToken: ${tokenMs} ms\nNodes:\n${alignColumns(
          nodes.map(({ node, links, votes }) => [
            node,
            links.map(({ address }) => address).join(', '),
            votes ? 'votes' : 'does not vote',
          ]),
          '  ',
        )}${linkLines(state.members)}`,
      json: { cluster_name: state.clusterName, store: state.store.kind, token: tokenMs, nodes },
      pcsJson: async () => corosyncForm(state, (await call.cluster.readCib()).cib),
      cmd: () => {
        const links = nodes[0]?.links ?? []
        tellNewNumbers(call, links)
        return Promise.resolve([
          [
            'cluster',
            'setup',
            state.clusterName,
            ...nodes.flatMap(({ node, links }) => [node, ...links.map(({ address }) => `addr=${address}`)]),
            ...(tokenMs === defaultTokenMs ? [] : ['totem', `token=${tokenMs}`]),
            ...(state.store.kind === 'embedded' ? ['--store=embedded'] : []),
          ],
          ...priorityLines(links),
        ])
      },
    })
  },
}

/** As `pcs cluster config --output-format json` gives it out. Nodes speak TLS, which is nearest to knet with its encryption. */
function corosyncForm(state: ClusterState, cib: XmlElement): unknown {
  const ids = new Map(readConfiguration(cib).nodes.map(({ name, id }) => [String(name), id]))
  const [first] = state.members
  const links = first === undefined ? [] : linksOf(first)
  return {
    cluster_name: state.clusterName,
    cluster_uuid: null,
    transport: 'KNET',
    totem_options: state.tokenMs === undefined ? {} : { token: String(state.tokenMs) },
    transport_options: {},
    compression_options: {},
    crypto_options: {},
    nodes: state.members.map((member) => ({
      name: member.node,
      nodeid: ids.get(member.node) ?? '',
      addrs: linksOf(member).map(({ number, address }) => ({
        addr: address,
        link: String(number),
        type: isIP(address) === 0 ? 'FQDN' : `IPv${isIP(address)}`,
      })),
    })),
    links_options: Object.fromEntries(
      links.map(({ number, priority }) => [
        String(number),
        { linknumber: String(number), link_priority: String(priority) },
      ]),
    ),
    quorum_options: {},
    quorum_device:
      state.witness === undefined
        ? null
        : {
            model: 'net',
            model_options: { algorithm: 'ffsplit', host: state.witness.address },
            generic_options: {},
            heuristics_options: {},
          },
  }
}

/** Only where there are several, or another than link 0. */
function linkLines(members: readonly Member[]): string {
  const links = members[0] ? linksOf(members[0]) : []
  if (links.length <= 1 && links[0]?.number === 0) return ''
  const rows = links.map(({ number, priority }) => [`link ${number}`, `priority ${priority}`])
  return `Links:\n${alignColumns(rows, '  ')}`
}

interface Link {
  readonly number: number
  readonly priority: number
}

/** `cluster setup` counts the links from 0. */
function tellNewNumbers(call: Call, links: readonly Link[]): void {
  const renumbered = links.flatMap(({ number }, made) =>
    number === made ? [] : [`link ${number} becomes link ${made}`],
  )
  if (renumbered.length > 0)
    call.terminal.progress(
      `If the cluster is set up again, link numbers start at 0: ${renumbered.join(', ')}. The order of the links is the same.`,
    )
}

/** They are taken once the nodes are there. */
function priorityLines(links: readonly Link[]): readonly (readonly string[])[] {
  return links.flatMap(({ priority }, made) =>
    priority === 1 ? [] : [['cluster', 'link', 'update', String(made), 'options', `link_priority=${priority}`]],
  )
}
