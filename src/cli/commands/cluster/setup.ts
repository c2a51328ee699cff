import { resolve } from 'node:path'
import type { ClusterNode } from '../../../rpc/index.ts'
import { type Call, type Command, done, type Outcome, Refusal } from '../../command.ts'
import { corosyncFile } from '../../corosync-file.ts'
import { withTokenOnInput } from '../../join-token.ts'
import { liveCluster } from '../../live.ts'
import { expectWords, type Section, splitSections } from '../../words.ts'
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
    'Makes the cluster’s certificate authority and prints the command to run on each other node, with a token that lets in that node, once. The first named node must be this host.\n' +
    'An address is an IP address or a host name that this host can look up; the node’s name where none is given. Several are the node’s links: the first one of each node is link 0, the second link 1, on a network of its own.\n' +
    'The state is kept by an etcd that the nodes run themselves, and by a store in the daemon while there is only one node: it moves to etcd with the first `cluster node add`. ' +
    '--etcd names an etcd that is there already.',
  examples: [
    'systole cluster setup prod n1 addr=10.0.0.1 n2 addr=10.0.0.2 n3 addr=10.0.0.3',
    'systole cluster setup prod n1 addr=10.0.0.1 addr=10.1.0.1 n2 addr=10.0.0.2 addr=10.1.0.2 n3 addr=10.0.0.3 addr=10.1.0.3',
    'systole cluster setup prod n1 n2 --etcd=https://etcd1:2379,https://etcd2:2379 --etcd-ca=/etc/etcd/ca.crt --etcd-cert=/etc/etcd/client.crt --etcd-key=/etc/etcd/client.key',
  ],
  flags: [
    { name: 'name', value: 'cluster name', summary: 'The cluster’s name, as older scripts write it' },
    {
      name: 'store',
      value: 'etcd|embedded',
      summary: 'What keeps the replicated state; embedded is the default for one node, etcd for more',
    },
    {
      name: 'etcd',
      value: 'URL,...',
      summary: 'Keep it in this etcd, which is not Systole’s to look after: https://host:port or host:port',
    },
    {
      name: 'etcd-ca',
      value: 'file',
      summary: 'The authority that has signed that etcd’s certificates; the file must be there on each node',
    },
    { name: 'etcd-cert', value: 'file', summary: 'The certificate to show to that etcd, on each node' },
    { name: 'etcd-key', value: 'file', summary: 'Its key, on each node' },
    { name: 'start', summary: 'Start the cluster on this node at once' },
    {
      name: 'enable',
      summary: 'Without effect, for pcs’s sake: a node that was started stays started across reboots',
      withoutEffect: 'a node that was started stays started across reboots.',
    },
    { name: 'force', summary: 'Forget the cluster that this host belongs to' },
    {
      name: 'wait',
      value: '[seconds]',
      summary: 'Without effect, for pcs’s sake: with --start the cluster of one node is there at once',
      withoutEffect: 'with --start the cluster of one node is there at once.',
    },
    {
      name: 'no-keys-sync',
      summary: 'Without effect, for pcs’s sake: no keys are copied: nodes are let in by tokens',
      withoutEffect: 'no keys are copied: nodes are let in by tokens.',
    },
    {
      name: 'no-cluster-uuid',
      summary: 'Without effect, for pcs’s sake: a cluster has no such number',
      withoutEffect: 'a cluster has no such number.',
    },
    {
      name: 'overwrite',
      summary: 'Without effect, for pcs’s sake: a host that belongs to a cluster leaves it first, by cluster destroy',
      withoutEffect: 'a host that belongs to a cluster leaves it first, by cluster destroy.',
    },
    {
      name: 'corosync_conf',
      value: 'file',
      summary: 'Write a corosync.conf of these nodes to the file, and set up nothing',
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
    return done(`The cluster ${clusterName} is set up on this node.\n${next.join('')}${start}`, {
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
  return done(`${file} is written. Nothing is set up: leave --corosync_conf out for that.\n`, { file, text })
}

/** Scripts that were written for pcs choose a transport; here there is one, and they are told so. */
function withoutCorosyncs(call: Call, sections: readonly Section[]): readonly Section[] {
  if (call.speech.program !== 'pcs') return sections
  const idle = sections.filter(({ keyword }) => keyword === 'transport')
  for (const { keyword, words } of idle)
    call.terminal.progress(`Warning: '${keyword} ${words.join(' ')}' is left out: Systole has one transport, with TLS.`)
  return sections.filter((section) => !idle.includes(section))
}

/** Of Corosync's options only the token has a counterpart here; the others would change nothing, and are refused. */
function readTimings(sections: readonly Section[]): { readonly timings?: Readonly<Record<string, number>> } {
  const [other] = sections.filter(({ keyword }) => keyword !== 'totem')
  if (other)
    throw new Refusal(
      `'${other.keyword}' options are Corosync's and have no meaning here: leave out '${other.keyword} ${other.words.join(' ')}'.`,
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
      throw new Refusal(...wrong.map((endpoint) => `'${endpoint}' is no address of an etcd: write host:port.`))
    const tls = readTls(flags)
    return { store: { kind: 'external', endpoints, ...(Object.keys(tls).length > 0 ? { tls } : {}) } }
  }
  const [file] = tlsFlags.filter(({ flag }) => flags.has(flag))
  if (file) throw new Refusal(`--${file.flag} is for an etcd that is there already: name it with --etcd.`)
  if (store === undefined) return {}
  if (store !== 'etcd' && store !== 'embedded')
    throw new Refusal(`'${String(store)}' is no store: there are etcd and embedded.`)
  return { store: { kind: store } }
}

const tlsFlags = [
  { flag: 'etcd-ca', name: 'ca' },
  { flag: 'etcd-cert', name: 'certificate' },
  { flag: 'etcd-key', name: 'key' },
] as const

function readTls(flags: ReadonlyMap<string, string | true>): Readonly<Record<string, string>> {
  if (flags.has('etcd-cert') !== flags.has('etcd-key'))
    throw new Refusal('--etcd-cert and --etcd-key belong together: give both.')
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
        ({ name, written }) => `This host does not know the address of '${written}': write ${name} addr=<IP address>.`,
      ),
    )
  // Debian gives a host's own name an address that is nobody else's.
  const own = resolved.filter(({ address }) => nodes.length > 1 && /^(127\.|::1$)/.test(address ?? ''))
  if (own.length > 0)
    throw new Refusal(
      ...own.map(
        ({ name, address }) =>
          `'${name}' is ${address} on this host, where no other node reaches it: write ${name} addr=<IP address>.`,
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
      if (!last) throw new Refusal(`'${word}' stands before any node: write the node's name first.`)
      last.addresses.push(word.slice('addr='.length))
    } else if (word.includes('=')) throw new Refusal(`'${word}' is no option of a node: only addr=<address> is.`)
    else nodes.push({ name: word, addresses: [] })
  }
  const wrong = nodes
    .filter(({ name }) => !/^[a-zA-Z0-9][a-zA-Z0-9.-]*$/.test(name))
    .map(({ name }) => `'${name}' is no node name: use letters, digits, '.' and '-'.`)
  const twice = nodes
    .filter(({ name }, index) => nodes.findIndex((other) => other.name === name) !== index)
    .map(({ name }) => `The node ${name} is named twice.`)
  const empty = nodes
    .filter(({ addresses }) => addresses.includes(''))
    .map(({ name }) => `The address of ${name} is empty.`)
  const all = nodes.flatMap(({ addresses }) => addresses)
  const shared = all
    .filter((address, index) => address !== '' && all.indexOf(address) < index)
    .map((address) => `The address ${address} is given twice: each link of each node has one of its own.`)
  const mistakes = [...wrong, ...twice, ...empty, ...shared, ...linkMistakes(nodes)]
  if (mistakes.length > 0) throw new Refusal(...mistakes)
  return nodes.map(({ name, addresses }) => nodeAt(name, addresses))
}

/** A link is one network: every node has an address on it. */
function linkMistakes(
  nodes: readonly { readonly name: string; readonly addresses: readonly string[] }[],
): readonly string[] {
  const most = Math.max(1, ...nodes.map(({ addresses }) => addresses.length))
  if (most > mostLinks) return [`A node has at most ${mostLinks} addresses, one for each link.`]
  return nodes
    .filter(({ addresses }) => Math.max(1, addresses.length) < most)
    .map(
      ({ name, addresses }) =>
        `${name} has ${Math.max(1, addresses.length)} of ${most} addresses: every node has one on each link.`,
    )
}
