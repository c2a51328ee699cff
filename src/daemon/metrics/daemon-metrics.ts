/**
 * What this daemon counts of its own work, for `systole metrics` and /metrics: operations, computed transitions, transactions of the store. All of it
 * ends with the daemon, as counters do. The names are described in docs/guides/metrics.md.
 */
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { AgentCall, AgentOutcome, AgentRunner } from '../../resource-agents/index.ts'
import type { Store } from '../../store/index.ts'

/** Of operations: agents are asked in milliseconds, and databases take minutes. */
const operationBuckets = [0.02, 0.1, 0.5, 1, 2.5, 5, 10, 20, 60, 120, 300]
const decisionBuckets = [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
const storeBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
/** Label values of resources that are gone are forgotten beyond so many. */
const mostSeries = 2000

interface OperationLabels {
  readonly resource: string
  readonly operation: string
  readonly outcome: string
}

export class DaemonMetrics {
  readonly #registry = new Registry()
  readonly #operations: Histogram<'resource' | 'operation' | 'outcome'>
  readonly #decisions: Histogram<'outcome'>
  readonly #transactions: Histogram<'outcome'>
  readonly #series = new Set<string>()

  /** `leaseLeftMs`: until this node has no quorum by its own clock; undefined where it takes no part. */
  constructor(leaseLeftMs: () => number | undefined) {
    const registers = [this.#registry]
    collectDefaultMetrics({ register: this.#registry })
    this.#operations = new Histogram({
      name: 'systole_operation_duration_seconds',
      help: 'How long operations of resources took on this node, by resource, operation and outcome',
      labelNames: ['resource', 'operation', 'outcome'],
      buckets: operationBuckets,
      registers,
    })
    this.#decisions = new Histogram({
      name: 'systole_transition_computation_seconds',
      help: 'How long the scheduler took for each transition that this node computed as the DC',
      labelNames: ['outcome'],
      buckets: decisionBuckets,
      registers,
    })
    this.#transactions = new Histogram({
      name: 'systole_store_transaction_seconds',
      help: 'How long transactions of the store took that this node made',
      labelNames: ['outcome'],
      buckets: storeBuckets,
      registers,
    })
    new Gauge({
      name: 'systole_lease_remaining_seconds',
      help: 'How long this node has quorum by its own clock if nothing confirms its lease from now on',
      registers,
      collect() {
        const left = leaseLeftMs()
        if (left === undefined) this.reset()
        else this.set(Math.max(left, 0) / 1000)
      },
    })
  }

  /** The same runner, whose operations are counted. */
  readonly measureAgents = (runner: AgentRunner): AgentRunner => ({
    run: (call) => {
      const running = runner.run(call)
      void running.finished.then((outcome) => this.#noteOperation(call, outcome))
      return running
    },
  })

  #noteOperation({ resource, operation }: AgentCall, outcome: AgentOutcome): void {
    const labels = { resource, operation, outcome: outcomeWord(operation, outcome) }
    const series = JSON.stringify(labels)
    if (!this.#series.has(series) && this.#series.size >= mostSeries) this.#forgetOldest()
    this.#series.add(series)
    this.#operations.observe(labels, outcome.execTimeMs / 1000)
  }

  #forgetOldest(): void {
    const [oldest] = this.#series
    if (oldest === undefined) return
    this.#series.delete(oldest)
    this.#operations.remove(JSON.parse(oldest) as OperationLabels)
  }

  readonly measureDecision = async <T>(compute: () => Promise<T>): Promise<T> =>
    await measured(compute, this.#decisions)

  /** The store, its transactions counted. */
  measureStore(store: Store): Store {
    const { useEndpoints } = store
    return {
      get: async (key) => await store.get(key),
      list: async (prefix, options) => await store.list(prefix, options),
      transaction: async (transaction) =>
        await measured(async () => await store.transaction(transaction), this.#transactions),
      watch: (prefix, from, listener) => store.watch(prefix, from, listener),
      grantLease: async (ttlMs) => await store.grantLease(ttlMs),
      keepAlive: async (lease) => await store.keepAlive(lease),
      revokeLease: async (lease) => await store.revokeLease(lease),
      ...(useEndpoints && { useEndpoints: (endpoints) => store.useEndpoints?.(endpoints) }),
      close: async () => await store.close(),
    }
  }

  /** As prom-client prints its registries as JSON. */
  async snapshot(): Promise<readonly object[]> {
    return await this.#registry.getMetricsAsJSON()
  }
}

async function measured<T>(act: () => Promise<T>, histogram: Histogram<'outcome'>): Promise<T> {
  const stop = histogram.startTimer()
  try {
    const value = await act()
    stop({ outcome: 'ok' })
    return value
  } catch (error) {
    stop({ outcome: 'failed' })
    throw error
  }
}

/** A monitor that finds nothing running has done its work: whether that was expected is not the executor's to know. */
export function outcomeWord(
  operation: string,
  { status, exitCode }: Pick<AgentOutcome, 'status' | 'exitCode'>,
): 'ok' | 'not_running' | 'timeout' | 'cancelled' | 'failed' {
  if (status === 'timeout' || status === 'cancelled') return status
  if (status !== 'done') return 'failed'
  if ([0, 8, 190, 191].includes(exitCode)) return 'ok'
  return operation === 'monitor' && exitCode === 7 ? 'not_running' : 'failed'
}
