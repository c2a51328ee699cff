/** What is wrong on nodes, as the original orchestrator counts it: each node, each resource on it, its configuration and its validation are a check. */
import { failedPart, type LifecycleKnown } from '../../../rollout/index.ts'
import { type ClusterStatus, type NodeStatus, type PrimitiveResource, roleOrChange } from '../../../status/index.ts'
import { withoutInstance } from '../../change/wait.ts'

export interface Check {
  readonly node: string
  readonly name: string
  readonly output: string
}

export interface Health {
  readonly failures: readonly Check[]
  readonly warnings: readonly Check[]
}

export function healthOf(status: ClusterStatus, { versions }: LifecycleKnown): Health {
  const nodes = status.nodes.filter(({ isBundleNode }) => !isBundleNode)
  const resources = [...status.primitivesById.values()]
  return {
    failures: [
      ...nodes.flatMap(nodeFailure),
      ...versions.flatMap((record): readonly Check[] => {
        const part = failedPart(record)
        if (part === undefined) return []
        const version = record.version === undefined ? '' : ` of ${record.version}`
        return [{ node: record.node, name: part, output: `failed${version}, since ${record.since}` }]
      }),
      ...resources.flatMap(resourceFailures),
    ],
    warnings: [...nodes.flatMap(nodeWarning), ...resources.flatMap(resourceWarnings)],
  }
}

function nodeFailure({ name, online, unclean }: NodeStatus): readonly Check[] {
  if (unclean) return [{ node: name, name: 'node', output: 'unclean: it must be fenced' }]
  return online ? [] : [{ node: name, name: 'node', output: 'offline' }]
}

function nodeWarning({ name, standby, standbyOnFail, maintenance }: NodeStatus): readonly Check[] {
  if (maintenance) return [{ node: name, name: 'node', output: 'in maintenance' }]
  return standby || standbyOnFail ? [{ node: name, name: 'node', output: 'in standby' }] : []
}

const resourceFailures = (resource: PrimitiveResource): readonly Check[] =>
  resource.state.failed
    ? resource.state.active.map(({ node }) => ({
        node,
        name: withoutInstance(resource.id),
        output: `failed, is ${roleOrChange(resource)}`,
      }))
    : []

/** It failed, and runs again or elsewhere. */
const resourceWarnings = ({ id, state }: PrimitiveResource): readonly Check[] =>
  [...state.failCounts].flatMap(([node, { count, expired }]) =>
    expired || count === 0 || (state.failed && state.active.some((one) => one.node === node))
      ? []
      : [{ node, name: withoutInstance(id), output: `failed ${count} ${count === 1 ? 'time' : 'times'} before` }],
  )

export const linesOf = (title: string, checks: readonly Check[]): string =>
  checks.length === 0
    ? ''
    : `${title}:\n${checks.map(({ node, name }) => `  Node: ${node}, Check: ${name}\n`).join('')}`
