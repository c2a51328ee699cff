import type { Certificates } from '../../../rpc/index.ts'
import { type Command, done } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { alignColumns } from '../../call/table.ts'
import { expectWords } from '../../grammar/words.ts'

export const clusterCertificates: Command = {
  path: ['cluster', 'certificates'],
  usage: '',
  summary: 'Show when this node’s certificate and the cluster’s authority expire',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'cluster certificates' })
    const facts = await liveCluster(call).getCertificates({})
    return done(describe(facts), facts)
  },
}

export const clusterCertificatesRenew: Command = {
  path: ['cluster', 'certificates', 'renew'],
  usage: '',
  summary: 'Renew this node’s certificate and key now',
  details:
    'Usually not needed: each node renews its certificate when a third of its lifetime is left. Nothing restarts and open connections continue. The command returns when the new certificate is in use; the old key is no longer accepted.',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'cluster certificates renew' })
    const facts = await liveCluster(call).renewCertificate({})
    return done(`Renewed the certificate of ${facts.node}.\n${describe(facts)}`, facts)
  },
}

function describe({ node, validUntil, renewsAt, authorityValidUntil }: Certificates): string {
  return alignColumns([
    [`Certificate of ${node}:`, `valid until ${validUntil}, renewed automatically at ${renewsAt}`],
    ['Cluster’s authority:', `valid until ${authorityValidUntil}`],
  ])
}
