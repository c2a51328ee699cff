/** The facts of a simulation, for `--json`. Made only where they are printed: in a large cluster they are megabytes. */
import { isoTime } from '../../../base/index.ts'
import { type IsSecret, secretNames, textWithoutSecrets } from '../../../cib/index.ts'
import { type SimulationText, utilizationOf } from '../../../scheduler/index.ts'
import type { ClusterStatus } from '../../../status/index.ts'
import type { GraphAction } from '../../../transition/index.ts'
import { nodeFacts, resourceFacts } from '../../facts/status-facts.ts'

export function simulationFacts(texts: SimulationText): Readonly<Record<string, unknown>> {
  const { simulation, before, after, modifications } = texts
  const { original, assigned, remaining } = utilizationOf(simulation)
  const isSecret = secretNames(texts.input)
  const amounts = (of: typeof original): unknown =>
    Object.fromEntries([...of].map(([node, values]) => [node, Object.fromEntries(values)]))
  return {
    modifications,
    before: statusFacts(before, isSecret),
    changes: simulation.changes,
    executed: simulation.played.map(({ action, exitCode, failed }) => ({
      id: action.id,
      kind: action.kind,
      key: action.key,
      ...(action.node === undefined ? {} : { node: action.node }),
      exitCode,
      failed,
    })),
    actions: simulation.graph.actions.map(actionFacts),
    after: statusFacts(after(), isSecret),
    nextChange: nextChangeFacts(simulation.status),
    utilization: {
      original: amounts(original),
      assigned: assigned.map(({ resource, node, takes }) => ({ resource, node, takes: Object.fromEntries(takes) })),
      remaining: amounts(remaining),
    },
    summary: texts.summary.split('\n'),
    scores: texts.scores().trimEnd().split('\n'),
    graph: textWithoutSecrets(texts.graph(), isSecret),
  }
}

/** The graph that would be executed, without what agents are given: `after` are the actions that come before it. */
export interface ActionFacts {
  readonly id: number
  readonly kind: GraphAction['kind']
  readonly key: string
  readonly operation: string
  readonly resource?: string
  readonly node?: string
  readonly intervalMs?: number
  readonly after: readonly number[]
}

function actionFacts(action: GraphAction): ActionFacts {
  const { id, kind, key, operation, resource, node, inputs } = action
  return {
    id,
    kind,
    key,
    operation,
    ...(resource === undefined ? {} : { resource }),
    ...(node === undefined ? {} : { node }),
    ...(action.kind === 'resource' && action.intervalMs > 0 ? { intervalMs: action.intervalMs } : {}),
    after: inputs,
  }
}

function statusFacts(status: ClusterStatus, isSecret: IsSecret): unknown {
  return {
    quorate: status.haveQuorum,
    nodes: status.nodes.map((node) => nodeFacts(node, undefined, isSecret)),
    resources: resourceFacts(status.resources),
    failures: status.failures,
  }
}

/** Null where nothing changes by time alone. */
function nextChangeFacts({ nextChange }: ClusterStatus): unknown {
  if (nextChange === undefined) return null
  return { at: new Date(nextChange.at * 1000).toISOString(), seconds: nextChange.at, because: nextChange.because }
}

export function describeNextChange({ nextChange }: ClusterStatus): string {
  if (nextChange === undefined) return 'Time alone changes nothing: no date rule, expiry or lock is pending.'
  return `The next change by time alone is at ${isoTime(nextChange.at)}: ${nextChange.because.join('; ')}.`
}
