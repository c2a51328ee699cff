/** The cluster's authority and the certificates of its members. */
import type { PkiStatus } from '../../../rpc/index.ts'
import { type Command, done } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { alignColumns } from '../../call/table.ts'
import { expectWords } from '../../grammar/words.ts'

export const pkiStatus: Command = {
  path: ['pki', 'status'],
  usage: '',
  summary: 'Show the cluster’s authority, which nodes have shares of its key, and when certificates expire',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'pki status' })
    const status = await liveCluster(call).getPkiStatus({})
    return done(describe(status), status)
  },
}

export const pkiRotate: Command = {
  path: ['pki', 'rotate'],
  usage: '[--without=<remote node>,...]',
  summary: 'Replace the cluster’s authority and the keys and certificates of all hosts',
  details:
    'Use it after a key has leaked, or when too few shares of the authority’s key are left; it does not need the old key. All members, the witness, remote nodes and guests must be online. First all hosts trust both authorities, then each gets a key and a certificate from the new one, ' +
    'then the old one is no longer trusted. The store members restart one after another; daemons and resources keep running. `pki status` shows the progress and the hosts that it waits for: a host that goes offline delays the replacement, and both authorities are trusted until then.\n' +
    'A remote node or guest that stays offline can be left behind, even after the replacement has started; it joins again afterwards with another token. Older join tokens become invalid.',
  examples: ['systole pki rotate', 'systole pki rotate --without=east-05'],
  flags: [
    { name: 'without', value: 'nodes', summary: 'Remote nodes to leave behind; they must join again afterwards' },
  ],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'pki rotate' })
    const named = call.flags.get('without')
    const without = typeof named === 'string' ? named.split(',').filter((name) => name !== '') : []
    const status = await liveCluster(call).rotateAuthority({ without })
    return done(
      `The authority is being replaced. 'systole pki status' shows the progress.\n${joinAgain(status.leftBehind)}`,
      status,
    )
  },
}

const joinAgain = (nodes: readonly string[]): string =>
  nodes
    .map(
      (node) =>
        `${node} is left behind. After the replacement it must join again (systole cluster token --remote --node ${node} here, systoled --remote --join there).\n`,
    )
    .join('')

const phases: Readonly<Record<string, string>> = {
  trust: 'is being replaced: the hosts start to trust both',
  certify: 'is being replaced: the hosts get certificates of the new one',
  distrust: 'is being replaced: the hosts remove the old one',
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
    return [node, `valid until ${validUntil}${by}, renewed automatically at ${renewsAt}`, share]
  })
  const key =
    holders.length > 1
      ? `in ${holders.length} shares (${holders.join(', ')}), of which ${threshold ?? 0} sign; generation ${generation ?? ''}`
      : 'whole, on the node that set up the cluster or is its only node'
  const lines = alignColumns([
    ['Authority:', `${authority}, valid until ${nodes[0]?.authorityValidUntil ?? 'unknown'}`],
    ['Its key:', key],
    ...(rotation === undefined ? [] : [['Rotation:', phases[rotation] ?? rotation]]),
    ...waitsFor.map((why) => ['Waits for:', why]),
  ])
  const quiet = silent.length === 0 ? '' : `Not heard: ${silent.join(', ')}\n`
  return `${lines}${joinAgain(leftBehind)}Certificates:\n${alignColumns(own)}${quiet}`
}
