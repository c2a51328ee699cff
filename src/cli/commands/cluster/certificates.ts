import type { Certificates } from '../../../rpc/index.ts'
import { type Command, done } from '../../command.ts'
import { liveCluster } from '../../live.ts'
import { alignColumns } from '../../table.ts'
import { expectWords } from '../../words.ts'

export const clusterCertificates: Command = {
  path: ['cluster', 'certificates'],
  usage: '',
  summary: 'Show until when this node’s certificate and the cluster’s authority hold',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'cluster certificates' })
    const facts = await liveCluster(call).getCertificates({})
    return done(describe(facts), facts)
  },
}

export const clusterCertificatesRenew: Command = {
  path: ['cluster', 'certificates', 'renew'],
  usage: '',
  summary: 'Give this node a new certificate and key from the cluster’s authority, now',
  details:
    'Not needed as a rule: each node renews its own with a third of its life left. Nothing begins anew for it: what is open goes on, and the command answers when the new certificate is in use. The old key opens nothing from then on.',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'cluster certificates renew' })
    const facts = await liveCluster(call).renewCertificate({})
    return done(`The certificate of ${facts.node} was renewed.\n${describe(facts)}`, facts)
  },
}

function describe({ node, validUntil, renewsAt, authorityValidUntil }: Certificates): string {
  return alignColumns([
    [`Certificate of ${node}:`, `valid until ${validUntil}, renewed by itself at ${renewsAt}`],
    ['Cluster’s authority:', `valid until ${authorityValidUntil}`],
  ])
}
