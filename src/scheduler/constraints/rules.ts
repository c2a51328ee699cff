/** Rules in location constraints and lifetimes, asked about a node and the resource that is to be placed. */
import { type ClusterStatus, ruleHolds, type UtcOffsetAt } from '../../status/index.ts'
import type { RuleHolds } from './locations.ts'

export function rulesAt(status: ClusterStatus, utcOffsetAt: UtcOffsetAt): RuleHolds {
  const zone = { now: status.now, utcOffsetAt }
  return (rule, { node, resource, matches }) =>
    ruleHolds(rule, {
      zone,
      nodeAttributes: node?.attributes,
      parameters: resource?.kind === 'primitive' ? resource.parametersOn(node?.name) : undefined,
      meta: resource?.meta.raw,
      submatches: matches,
    })
}
