/** Other clusters: which there are, and how they are. */
import { type Call, type Command, done, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { alignColumns } from '../../call/table.ts'
import { clusterFacts, type FleetClusterFacts, fleetFacts } from '../../facts/fleet-facts.ts'
import { expectWords } from '../../grammar/words.ts'

const addUsage = 'fleet add <name> <address>... [--fingerprint=<SHA-256> | --ca=<file>] [--token-file=<file>]'

export const fleetAdd: Command = {
  path: ['fleet', 'add'],
  usage: addUsage.slice('fleet add '.length),
  summary: 'Add another cluster to the fleet, by the HTTPS API of its nodes',
  details:
    'The addresses are those of nodes of that cluster on which the console is enabled, with :<port> unless it is 7705. Its nodes are believed by the fingerprint of its authority, which `systole console status` shows there, or by the certificate of the authority in a file; without either the command shows the fingerprint and adds nothing. The token is one of the other cluster (`systole token create`) that may read; it is asked for, or read from a file. Nothing is added unless the cluster answers.',
  examples: [
    'systole fleet add west 10.2.0.1 10.2.0.2 --fingerprint=AB:CD:… --token-file=west.token',
    'systole fleet add east n1.east.example:8443 --ca=/etc/ssl/east.pem',
  ],
  flags: [
    {
      name: 'fingerprint',
      value: 'SHA-256',
      summary: 'The SHA-256 of the authority or certificate that the nodes show',
    },
    {
      name: 'ca',
      value: 'file',
      summary: 'The certificate of the authority (PEM) that signed those of the nodes',
      completes: 'file',
    },
    {
      name: 'token-file',
      value: 'file',
      summary: 'Read the token from this file (default: ask for it)',
      completes: 'file',
    },
  ],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, usage: addUsage })
    const [name = '', ...addresses] = call.words
    const [fingerprint, ca] = [textOf(call, 'fingerprint'), textOf(call, 'ca')]
    if (fingerprint !== undefined && ca !== undefined) throw new Refusal('Specify either --fingerprint or --ca.')
    const live = liveCluster(call)
    const authority = ca === undefined ? undefined : await call.terminal.readFile(ca)
    // Before the token is asked for: whoever has not compared the fingerprint yet is shown it.
    const token = fingerprint === undefined && ca === undefined ? 'none' : await tokenFor(call)
    const added = await live.addFleetCluster({
      name,
      addresses,
      token,
      replaces: false,
      ...(fingerprint === undefined ? {} : { fingerprint }),
      ...(authority === undefined ? {} : { authority }),
    })
    const facts = clusterFacts(added)
    return done(`Added the cluster ${name} to the fleet.\n${linesOf(facts, call.terminal.now()).join('\n')}\n`, facts)
  },
}

const trustUsage = 'fleet trust <name> --fingerprint=<SHA-256> | --ca=<file>'

export const fleetTrust: Command = {
  path: ['fleet', 'trust'],
  usage: trustUsage.slice('fleet trust '.length),
  summary: 'Trust another authority or certificate of a cluster in the fleet',
  details:
    'For a cluster that is *untrusted*. An authority that is replaced over there (`systole pki rotate`) is followed without this command if the clusters hear each other meanwhile. Without an option the command shows which fingerprint stands there now and changes nothing: compare it with `systole console status` over there. Addresses and token stay.',
  examples: ['systole fleet trust west --fingerprint=AB:CD:…'],
  flags: fleetAdd.flags?.filter(({ name }) => name !== 'token-file') ?? [],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: trustUsage })
    const [name = ''] = call.words
    const [fingerprint, ca] = [textOf(call, 'fingerprint'), textOf(call, 'ca')]
    if (fingerprint !== undefined && ca !== undefined) throw new Refusal('Specify either --fingerprint or --ca.')
    const authority = ca === undefined ? undefined : await call.terminal.readFile(ca)
    const trusted = await liveCluster(call).addFleetCluster({
      name,
      addresses: [],
      token: '',
      replaces: true,
      ...(fingerprint === undefined ? {} : { fingerprint }),
      ...(authority === undefined ? {} : { authority }),
    })
    const facts = clusterFacts(trusted)
    return done(
      `The cluster ${name} is believed by this from now on.\n${linesOf(facts, call.terminal.now()).join('\n')}\n`,
      facts,
    )
  },
}

export const fleetRemove: Command = {
  path: ['fleet', 'remove'],
  usage: '<name>',
  summary: 'Remove another cluster from the fleet, with the token for it',
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'fleet remove <name>' })
    const [name = ''] = call.words
    await liveCluster(call).removeFleetCluster({ name })
    return done(
      `Removed the cluster ${name} from the fleet. Its token holds there until it is revoked (\`systole token revoke\`).\n`,
      { removed: name },
    )
  },
}

export const fleetList: Command = {
  path: ['fleet', 'list'],
  usage: '',
  summary: 'List the clusters of the fleet, with their addresses',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'fleet list' })
    const facts = fleetFacts(await liveCluster(call).getFleet({}))
    if (facts.clusters.length === 0) return done(none, facts)
    const rows = facts.clusters.map(({ name, addresses, trust, fingerprint, addedBy, added }) => [
      name,
      addresses.join(' '),
      `${trust} ${fingerprint}`,
      `added by ${addedBy} on ${added}`,
    ])
    return done(alignColumns(rows), facts)
  },
}

export const fleetStatus: Command = {
  path: ['fleet', 'status'],
  usage: '',
  summary: 'Show the state of the clusters in the fleet, worst first',
  details:
    'The DC asks each cluster every 10 seconds. A cluster is *unreachable* once two questions in a row had no answer, *refused* where its token is not accepted, *untrusted* where its certificate is not the one that it was added with.',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'fleet status' })
    const facts = fleetFacts(await liveCluster(call).getFleet({}))
    if (facts.clusters.length === 0) return done(none, facts)
    const now = call.terminal.now()
    const lines = facts.clusters.flatMap((cluster) => linesOf(cluster, now))
    const old = facts.current
      ? []
      : ['Nobody asks the clusters now, as this node has no quorum or no DC: this was heard last.']
    return done(`${[...old, ...lines].join('\n')}\n`, facts)
  },
}

const none = 'The fleet has no other clusters. `systole fleet add` adds one.\n'

function linesOf(cluster: FleetClusterFacts, now: Date): readonly string[] {
  const { name, state, since, lastReached, why, quorate, nodes, urgent, worst } = cluster
  const seen =
    nodes === null ? '' : `, ${nodes.online} of ${nodes.all} nodes online${quorate === true ? '' : ', no quorum'}`
  const called = cluster.cluster === null || cluster.cluster === name ? '' : ` (${cluster.cluster})`
  const head = `${name}${called}: ${state}${since === null ? '' : ` since ${momentOf(since, now)}`}${seen}`
  return [
    head,
    ...(why === null ? [] : [`  ${why}`]),
    ...(state === 'untrusted' ? [`  > systole fleet trust ${name}`] : []),
    ...(lastReached === null ? [] : [`  It answered last at ${momentOf(lastReached, now)}.`]),
    ...worst.map(({ text }) => `  ${text}`),
    ...(urgent > worst.length ? [`  and ${urgent - worst.length} more`] : []),
  ]
}

/** Of today without the day. */
function momentOf(iso: string, now: Date): string {
  const [day = '', time = ''] = iso.split('T')
  return `${now.toISOString().startsWith(day) ? '' : `${day} `}${time.slice(0, 8)} UTC`
}

async function tokenFor(call: Call): Promise<string> {
  const file = textOf(call, 'token-file')
  const text =
    file === undefined
      ? await call.terminal.readInput('Token of the other cluster: ')
      : await call.terminal.readFile(file)
  // What `token create` prints has sentences below it.
  return (text.trim().split('\n')[0] ?? '').trim()
}

const textOf = ({ flags }: Call, name: string): string | undefined => {
  const said = flags.get(name)
  return typeof said === 'string' ? said : undefined
}
