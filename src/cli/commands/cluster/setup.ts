import { resolve } from 'node:path'
import type { ClusterNode } from '../../../rpc/index.ts'
import { withTokenOnInput } from '../../access/join-token.ts'
import { type Call, type Command, done, type Outcome, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { expectWords, type Section, splitSections } from '../../grammar/words.ts'
import { corosyncFile } from '../../host/corosync-file.ts'
import { readToken } from './corosync-options.ts'

const usage =
  '<cluster name> (<node> [addr=<address>]...)... [totem token=<milliseconds>] [--store=embedded | --etcd=<URL>,... [--etcd-ca=<file>] [--etcd-cert=<file> --etcd-key=<file>]] [--start]'

/** As many as Corosync's knet has. */
const mostLinks = 8

export const clusterSetup: Command = {
  path: ['cluster', 'setup'],
  usage,
  summary: 'Make this host the first node of a new cluster',
  details:
    'Creates the cluster’s certificate authority and prints the command to run on each other node, with a one-time token for that node. The first node must be this host.\n' +
    'An address is an IP address or a host name that this host can resolve (default: the node name). Several addresses are the node’s links: the first address of each node is on link 0, the second on link 1, each link on a separate network.\n' +
    'The nodes keep the replicated state in etcd, which Systole runs. A cluster of one node keeps it in the daemon, and moves it to etcd with the first `cluster node add`. ' +
    '--etcd uses an existing etcd instead.',
  examples: [
    'systole cluster setup prod n1 addr=10.0.0.1 n2 addr=10.0.0.2 n3 addr=10.0.0.3',
    'systole cluster setup prod n1 addr=10.0.0.1 addr=10.1.0.1 n2 addr=10.0.0.2 addr=10.1.0.2 n3 addr=10.0.0.3 addr=10.1.0.3',
    'systole cluster setup prod n1 n2 --etcd=https://etcd1:2379,https://etcd2:2379 --etcd-ca=/etc/etcd/ca.crt --etcd-cert=/etc/etcd/client.crt --etcd-key=/etc/etcd/client.key',
  ],
  flags: [
    { name: 'name', value: 'cluster name', summary: 'The cluster’s name (for older scripts)' },
    {
      name: 'store',
      value: 'etcd|embedded',
      summary: 'The store for the replicated state: embedded (default for one node) or etcd (default for more)',
    },
    {
      name: 'etcd',
      value: 'URL,...',
      summary: 'Use this existing etcd, which Systole does not manage: https://host:port or host:port',
    },
    {
      name: 'etcd-ca',
      value: 'file',
      summary: 'The authority that signed the etcd certificates; the file must exist on each node',
    },
    { name: 'etcd-cert', value: 'file', summary: 'The client certificate for etcd, on each node' },
    { name: 'etcd-key', value: 'file', summary: 'The key of the client certificate, on each node' },
    { name: 'start', summary: 'Also start the cluster on this node' },
    {
      name: 'enable',
      summary: 'Without effect, accepted for compatibility with pcs: a started node starts again after a reboot',
      withoutEffect: 'a started node starts again after a reboot.',
    },
    { name: 'force', summary: 'Leave the cluster that this host belongs to and discard its data' },
    {
      name: 'wait',
      value: '[seconds]',
      summary:
        'Without effect, accepted for compatibility with pcs: with --start, a cluster of one node is ready at once',
      withoutEffect: 'with --start, a cluster of one node is ready at once.',
    },
    {
      name: 'no-keys-sync',
      summary: 'Without effect, accepted for compatibility with pcs: no keys are copied: nodes join with tokens',
      withoutEffect: 'no keys are copied: nodes join with tokens.',
    },
    {
      name: 'no-cluster-uuid',
      summary: 'Without effect, accepted for compatibility with pcs: a cluster has no such identifier',
      withoutEffect: 'a cluster has no such identifier.',
    },
    {
      name: 'overwrite',
      summary:
        'Without effect, accepted for compatibility with pcs: a host must leave its cluster first, with cluster destroy',
      withoutEffect: 'a host must leave its cluster first, with cluster destroy.',
    },
    {
      name: 'corosync_conf',
      value: 'file',
      summary: 'Only write a corosync.conf with these nodes to the file; do not set up a cluster',
    },
  ],
  run: async (call) => {
    const flagName = call.flags.get('name')
    const words = typeof flagName === 'string' ? [flagName, ...call.words] : call.words
    expectWords(words, { atLeast: 2, usage: `cluster setup ${usage}` })
    const [clusterName = '', ...rest] = words
    const [named, ...sections] = splitSections(rest, ['totem', 'transport', 'quorum'])
    const written = readNodes(named?.words ?? [])
    const timings = readTimings(withoutCorosyncs(call, sections))
    const file = call.flags.get('corosync_conf')
    if (typeof file === 'string') return await writeCorosyncFile(call, { file, clusterName, written, timings })
    const options = { ...timings, ...readStore(call.flags) }
    const live = liveCluster(call)
    const nodes = await withAddresses(call, written)
    const { validUntil, nodes: tokens } = await live.setupCluster({
      clusterName,
      nodes,
      force: call.flags.has('force'),
      ...(Object.keys(options).length > 0 ? { options: JSON.stringify(options) } : {}),
    })
    const [first] = nodes
    if (call.flags.has('start')) await live.startCluster({ nodes: [first?.name ?? ''] })
    const joins = tokens.map(({ node, token }) => ({
      node,
      token,
      command: withTokenOnInput(`systole cluster join ${first?.address ?? ''}`, token),
    }))
    const next = joins.map(({ node, command }) => `Run this on ${node} (once, until ${validUntil}):\n  ${command}\n`)
    const start = call.flags.has('start') ? '' : 'Then start the cluster: systole cluster start --all\n'
    return done(`Set up the cluster ${clusterName} on this node.\n${next.join('')}${start}`, {
      clusterName,
      nodes,
      joins,
      joinTokenValidUntil: validUntil,
    })
  },
}

async function writeCorosyncFile(
  call: Call,
  asked: {
    readonly file: string
    readonly clusterName: string
    readonly written: readonly ClusterNode[]
    readonly timings: ReturnType<typeof readTimings>
  },
): Promise<Outcome> {
  const { file, clusterName, written, timings } = asked
  const tokenMs = timings.timings?.tokenMs
  const nodes = written.map((node) => ({
    name: node.name,
    links: addressesOf(node).map((address, number) => ({ number, address })),
    votes: true,
  }))
  const text = corosyncFile({ name: clusterName, nodes, ...(tokenMs === undefined ? {} : { tokenMs }) })
  await call.terminal.writeFile(file, text, { anybodyMayRead: true })
  return done(`Wrote ${file}. No cluster was set up; omit --corosync_conf to set it up.\n`, { file, text })
}

/** Scripts that were written for pcs choose a transport; here there is one, and they are told so. */
function withoutCorosyncs(call: Call, sections: readonly Section[]): readonly Section[] {
  if (call.speech.program !== 'pcs') return sections
  const idle = sections.filter(({ keyword }) => keyword === 'transport')
  for (const { keyword, words } of idle)
    call.terminal.progress(
      `Warning: '${keyword} ${words.join(' ')}' is ignored: Systole has only one transport, with TLS.`,
    )
  return sections.filter((section) => !idle.includes(section))
}

/** Of Corosync's options only the token has a counterpart here; the others would change nothing, and are refused. */
function readTimings(sections: readonly Section[]): { readonly timings?: Readonly<Record<string, number>> } {
  const [other] = sections.filter(({ keyword }) => keyword !== 'totem')
  if (other)
    throw new Refusal(
      `'${other.keyword}' options belong to Corosync and have no equivalent here. Omit '${other.keyword} ${other.words.join(' ')}'.`,
    )
  const tokenMs = readToken(sections)
  return tokenMs === undefined ? {} : { timings: { tokenMs, heartbeatIntervalMs: Math.floor(tokenMs / 3) } }
}

function readStore(flags: ReadonlyMap<string, string | true>): { readonly store?: Readonly<Record<string, unknown>> } {
  const [store, etcd] = [flags.get('store'), flags.get('etcd')]
  if (typeof etcd === 'string') {
    if (store !== undefined) throw new Refusal('--store and --etcd exclude each other.')
    const endpoints = etcd.split(',')
    const wrong = endpoints.filter((endpoint) => !/^(https?:\/\/)?[^\s:]+:\d+$/.test(endpoint))
    if (wrong.length > 0)
      throw new Refusal(...wrong.map((endpoint) => `'${endpoint}' is not an etcd address. Specify host:port.`))
    const tls = readTls(flags)
    return { store: { kind: 'external', endpoints, ...(Object.keys(tls).length > 0 ? { tls } : {}) } }
  }
  const [file] = tlsFlags.filter(({ flag }) => flags.has(flag))
  if (file) throw new Refusal(`--${file.flag} requires an existing etcd: specify it with --etcd.`)
  if (store === undefined) return {}
  if (store !== 'etcd' && store !== 'embedded')
    throw new Refusal(`'${String(store)}' is not a store. Specify etcd or embedded.`)
  return { store: { kind: store } }
}

const tlsFlags = [
  { flag: 'etcd-ca', name: 'ca' },
  { flag: 'etcd-cert', name: 'certificate' },
  { flag: 'etcd-key', name: 'key' },
] as const

function readTls(flags: ReadonlyMap<string, string | true>): Readonly<Record<string, string>> {
  if (flags.has('etcd-cert') !== flags.has('etcd-key'))
    throw new Refusal('--etcd-cert and --etcd-key require each other. Specify both.')
  const files = tlsFlags.flatMap(({ flag, name }): readonly (readonly [string, string])[] => {
    const path = flags.get(flag)
    return typeof path === 'string' ? [[name, resolve(path)]] : []
  })
  return Object.fromEntries(files)
}

/** The store binds to an address and not to a name, so that names are looked up before anything is made of them. */
export async function withAddresses(call: Call, nodes: readonly ClusterNode[]): Promise<readonly ClusterNode[]> {
  const resolved = await Promise.all(
    nodes.flatMap((node) =>
      addressesOf(node).map(async (written) => ({
        name: node.name,
        written,
        address: await call.terminal.resolve(written),
      })),
    ),
  )
  const unknown = resolved.filter(({ address }) => address === undefined)
  if (unknown.length > 0)
    throw new Refusal(
      ...unknown.map(
        ({ name, written }) => `This host cannot resolve '${written}'. Specify ${name} addr=<IP address>.`,
      ),
    )
  // Debian gives a host's own name an address that is nobody else's.
  const own = resolved.filter(({ address }) => nodes.length > 1 && /^(127\.|::1$)/.test(address ?? ''))
  if (own.length > 0)
    throw new Refusal(
      ...own.map(
        ({ name, address }) =>
          `'${name}' resolves to ${address} on this host, which other nodes cannot reach. Specify ${name} addr=<IP address>.`,
      ),
    )
  return nodes.map(({ name }) =>
    nodeAt(
      name,
      resolved.filter((one) => one.name === name).map(({ written, address }) => address ?? written),
    ),
  )
}

const addressesOf = ({ address, more }: ClusterNode): readonly string[] => [address, ...(more?.addresses ?? [])]

function nodeAt(name: string, [address = name, ...more]: readonly string[]): ClusterNode {
  return { name, address, ...(more.length === 0 ? {} : { more: { addresses: more } }) }
}

/** `n1 addr=10.0.0.1 n2 n3 addr=…`. */
export function readNodes(words: readonly string[]): readonly ClusterNode[] {
  const nodes: { name: string; addresses: string[] }[] = []
  for (const word of words) {
    const last = nodes.at(-1)
    if (word.startsWith('addr=')) {
      if (!last) throw new Refusal(`'${word}' precedes the first node. Specify the node name first.`)
      last.addresses.push(word.slice('addr='.length))
    } else if (word.includes('='))
      throw new Refusal(`'${word}' is not a node option. The only option is addr=<address>.`)
    else nodes.push({ name: word, addresses: [] })
  }
  const wrong = nodes
    .filter(({ name }) => !/^[a-zA-Z0-9][a-zA-Z0-9.-]*$/.test(name))
    .map(({ name }) => `'${name}' is not a valid node name. Use letters, digits, '.' and '-'.`)
  const twice = nodes
    .filter(({ name }, index) => nodes.findIndex((other) => other.name === name) !== index)
    .map(({ name }) => `The node ${name} is specified twice.`)
  const empty = nodes
    .filter(({ addresses }) => addresses.includes(''))
    .map(({ name }) => `The address of ${name} is empty.`)
  const all = nodes.flatMap(({ addresses }) => addresses)
  const shared = all
    .filter((address, index) => address !== '' && all.indexOf(address) < index)
    .map((address) => `The address ${address} is specified twice: each link of each node needs its own address.`)
  const mistakes = [...wrong, ...twice, ...empty, ...shared, ...linkMistakes(nodes)]
  if (mistakes.length > 0) throw new Refusal(...mistakes)
  return nodes.map(({ name, addresses }) => nodeAt(name, addresses))
}

/** A link is one network: every node has an address on it. */
function linkMistakes(
  nodes: readonly { readonly name: string; readonly addresses: readonly string[] }[],
): readonly string[] {
  const most = Math.max(1, ...nodes.map(({ addresses }) => addresses.length))
  if (most > mostLinks) return [`A node can have at most ${mostLinks} addresses, one for each link.`]
  return nodes
    .filter(({ addresses }) => Math.max(1, addresses.length) < most)
    .map(
      ({ name, addresses }) =>
        `${name} has ${Math.max(1, addresses.length)} of ${most} addresses: every node needs one on each link.`,
    )
}
