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
  usage: '',
  summary: 'Replace the cluster’s authority, and with it the keys and certificates of all members',
  details:
    'After a key has leaked, or when too few shares of the authority’s key are left: it needs none of the old one. All members must be there. First all believe both authorities, then each gets a key and a certificate of the new one, ' +
    'then the old one is believed no more; each member’s daemon and its member of the store restart for that, one after the other, and resources run on. `pki status` shows how far it is. Join tokens from before are not valid any more.',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'pki rotate' })
    const status = await liveCluster(call).rotateAuthority({})
    return done('The authority is being replaced: systole pki status shows how far it is.\n', status)
  },
}

const phases: Readonly<Record<string, string>> = {
  trust: 'is being replaced: the members begin to believe both',
  certify: 'is being replaced: the members get certificates of the new one',
  distrust: 'is being replaced: the members forget the old one',
}

function describe(status: PkiStatus): string {
  const { nodes, silent, authority, generation, threshold, holders, rotation } = status
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
  ])
  const quiet = silent.length === 0 ? '' : `Not heard: ${silent.join(', ')}\n`
  return `${lines}Certificates:\n${alignColumns(own)}${quiet}`
}
