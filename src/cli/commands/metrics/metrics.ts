import { RefusedError } from '../../../rpc/index.ts'
import { type Call, type Command, done } from '../../call/command.ts'
import { statusOf } from '../../facts/status-view.ts'
import { expectWords } from '../../grammar/words.ts'
import type { ClusterKnown } from '../../metrics/exporter-metrics.ts'

export const metrics: Command = {
  path: ['metrics'],
  usage: '',
  summary: 'Show the metrics of this node for Prometheus, in the form of OpenMetrics',
  details:
    'The metrics of the cluster have the names and labels of ha_cluster_exporter. Those of this node begin with systole_, process_ and nodejs_. A node without a cluster or without a configuration leaves out what it does not know, and ha_cluster_scrape_success is then 0.',
  examples: ['systole metrics', 'systole metrics --json'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'metrics' })
    const { printMetrics } = await import('../../metrics/metrics-text.ts')
    const state = await call.cluster.live?.getState({})
    const answer = await call.cluster.live?.getMetrics({})
    const daemon = answer === undefined ? [] : (JSON.parse(answer.json) as readonly object[])
    const isKnown = state === undefined || state.configured
    const cluster = isKnown ? await knownCluster(call) : undefined
    const { text, facts } = await printMetrics({ cluster, state, daemon })
    return done(text, facts)
  },
}

/** Refused: the cluster is stopped here, or has no configuration yet. */
async function knownCluster(call: Call): Promise<ClusterKnown | undefined> {
  try {
    const { cib } = await call.cluster.readCib()
    return { cib, status: statusOf(call, cib) }
  } catch (error) {
    if (error instanceof RefusedError && ['not-started', 'no-configuration'].includes(error.code)) return undefined
    throw error
  }
}
