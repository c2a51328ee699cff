/** All metrics of a node in one text: the cluster's as this node sees it, and those that its daemon counts. Loaded with the command alone. */
import { AggregatorRegistry, Registry } from 'prom-client'
import type { ClusterState } from '../../rpc/index.ts'
import { type ClusterKnown, corosyncMetrics, pacemakerMetrics, sbdMetrics } from './exporter-metrics.ts'
import { asNumber, gauge } from './gauges.ts'
import { configurationMetrics, stateMetrics } from './own-metrics.ts'

export interface MetricsKnown {
  /** Undefined where this node does not know the configuration, or in no cluster. */
  readonly cluster: ClusterKnown | undefined
  /** Undefined for a CIB in a file. */
  readonly state: ClusterState | undefined
  /** Of the daemon: as prom-client prints its registries as JSON. */
  readonly daemon: readonly object[]
}

export interface MetricsPrinted {
  readonly text: string
  readonly facts: readonly object[]
}

export async function printMetrics({ cluster, state, daemon }: MetricsKnown): Promise<MetricsPrinted> {
  const registry = new Registry()
  const collectors = { pacemaker: cluster !== undefined, corosync: state?.configured === true }
  if (cluster !== undefined) {
    pacemakerMetrics(registry, cluster, state)
    configurationMetrics(registry, cluster)
  }
  if (state?.configured === true) {
    const ids = new Map(cluster?.status.nodes.map(({ name, id }) => [String(name), id]))
    corosyncMetrics(registry, state, (node) => ids.get(node) ?? '')
    sbdMetrics(registry, state)
    stateMetrics(registry, state)
  }
  gauge(
    registry,
    {
      name: 'ha_cluster_scrape_success',
      help: 'Whether this node knows what the metrics of a group are made of',
      labels: ['collector'],
    },
    Object.entries(collectors).map(([collector, is]) => [asNumber(is), { collector }]),
  )
  const facts = [...(await registry.getMetricsAsJSON()), ...daemon]
  // Of two registries one text: prom-client joins registries of processes in this way.
  const all = AggregatorRegistry.aggregate([facts.map(withoutTotal)])
  all.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never)
  return { text: await all.metrics(), facts }
}

/** In OpenMetrics the name of a counter is without its ending, which prom-client puts on again. */
function withoutTotal(fact: object): object {
  const { name, type } = fact as { readonly name: string; readonly type: string }
  return type === 'counter' ? { ...fact, name: name.replace(/_total$/, '') } : fact
}
