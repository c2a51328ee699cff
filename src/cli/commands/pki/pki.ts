/** The cluster's authority and the certificates of its members. */
import type { PkiStatus } from '../../../rpc/index.ts'
import { type Command, done } from '../../command.ts'
import { liveCluster } from '../../live.ts'
import { alignColumns } from '../../table.ts'
import { expectWords } from '../../words.ts'

export const pkiStatus: Command = {
  path: ['pki', 'status'],
  usage: '',
  summary: 'Show the cluster’s authority, who has shares of its key, and until when certificates hold',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'pki status' })
    const status = await liveCluster(call).getPkiStatus({})
    return done(describe(status), status)
  },
}

export const pkiRotate: Command = {
  path: ['pki', 'rotate'],
  usage: '[--without=<remote node>,...]',
  summary: 'Replace the cluster’s authority, and with it the keys and certificates of all hosts',
  details:
    'After a key has leaked, or when too few shares of the authority’s key are left: it needs none of the old one. All members, the witness, remote nodes and guests must be there. First all believe both authorities, then each gets a key and a certificate of the new one, ' +
    'then the old one is believed no more; the members of the store are started anew for that, one after the other; daemons and resources run on. `pki status` shows how far it is, and whom it waits for: a host that goes away meanwhile holds it up, and both authorities are believed as long.\n' +
    'A remote node or guest that is away for long can be left behind, also when the replacement has begun: it joins again afterwards, with another token. Join tokens from before are not valid any more.',
  examples: ['systole pki rotate', 'systole pki rotate --without=east-05'],
  flags: [
    { name: 'without', value: 'nodes', summary: 'Remote nodes that are left behind: they join again afterwards' },
  ],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'pki rotate' })
    const named = call.flags.get('without')
    const without = typeof named === 'string' ? named.split(',').filter((name) => name !== '') : []
    const status = await liveCluster(call).rotateAuthority({ without })
    return done(
      `The authority is being replaced: systole pki status shows how far it is.\n${joinAgain(status.leftBehind)}`,
      status,
    )
  },
}

const joinAgain = (nodes: readonly string[]): string =>
  nodes
    .map(
      (node) =>
        `${node} is left behind: when the authority is replaced, it joins again (systole cluster token --remote --node ${node}, and on it systoled --remote --join).\n`,
    )
    .join('')

const phases: Readonly<Record<string, string>> = {
  trust: 'is being replaced: the hosts begin to believe both',
  certify: 'is being replaced: the hosts get certificates of the new one',
  distrust: 'is being replaced: the hosts forget the old one',
}

function describe(status: PkiStatus): string {
  const { nodes, silent, authority, generation, threshold, holders, rotation, waitsFor, leftBehind } = status
  const own = nodes.map(({ node, validUntil, renewsAt, certifiedBy, shares, wholeKey }) => {
    const share = wholeKey
      ? 'has the authority’s key'
      : generation !== undefined && shares.includes(generation)
        ? 'has its share'
        : 'has no share'
    const by = certifiedBy === authority ? '' : ', by another authority'
    return [node, `valid until ${validUntil}${by}, renewed by itself at ${renewsAt}`, share]
  })
  const key =
    holders.length > 1
      ? `in ${holders.length} shares (${holders.join(', ')}), of which ${threshold ?? 0} sign; generation ${generation ?? ''}`
      : 'whole, on the node that founds the cluster or is alone'
  const lines = alignColumns([
    ['Authority:', `${authority}, valid until ${nodes[0]?.authorityValidUntil ?? 'unknown'}`],
    ['Its key:', key],
    ...(rotation === undefined ? [] : [['Rotation:', phases[rotation] ?? rotation]]),
    ...waitsFor.map((why) => ['Waits for:', why]),
  ])
  const quiet = silent.length === 0 ? '' : `Not heard: ${silent.join(', ')}\n`
  return `${lines}${joinAgain(leftBehind)}Certificates:\n${alignColumns(own)}${quiet}`
}
