/**
 * Promotion scores: what a promotable resource's agent said with `crm_attribute --promotion` (the node attribute
 * `master-<name>`) about being promoted on a node. It counts for the instance that is, was probed or could be there.
 */

import type { NodeName } from '../../base/index.ts'
import { INFINITY_SCORE, parseScore, type Score } from '../../cib/index.ts'
import { type Entry, isUnique, type PrimitiveEntry, topOf } from '../resources/tree.ts'
import { absent, scoreAt } from '../scores/score-table.ts'
import { type AssignmentDraft, isAssigned, tableOf } from './assignment-draft.ts'
import { nodeAttribute } from './node-attribute.ts'

/** Undefined where no member has one. Of a cloned group the sum of its members. */
export function promotionScore(draft: AssignmentDraft, entry: Entry, node: number): Score | undefined {
  if (entry.kind === 'primitive') return ownScore(draft, entry, node)
  let sum: Score | undefined
  for (const member of entry.members) {
    const score = promotionScore(draft, member, node)
    if (score !== undefined) sum = (sum ?? 0) + score
  }
  return sum
}

function ownScore(draft: AssignmentDraft, entry: PrimitiveEntry, node: number): Score | undefined {
  if (!applies(draft, entry, node)) return undefined
  const { id, state } = entry.resource
  const names = [state.historyName ?? id, ...(isUnique(entry) ? [] : [withoutNumber(id)])]
  const onHost = entry.resource.meta.raw.get('container-attribute-target')?.toLowerCase() === 'host'
  for (const name of names) {
    const value = nodeAttribute(draft, {
      node,
      attribute: `master-${name}`,
      onHost,
      hostIs: isAssigned(draft, entry) ? 'assigned' : 'current',
    })
    if (value !== undefined) return parseScore(value) ?? 0
  }
  return undefined
}

/**
 * Of an anonymous clone, the score on a node belongs to the instance that is active there, or to any if none is and the
 * node was probed. Before anything is known anywhere all scores count, so that permanent ones place the first start.
 */
function applies(draft: AssignmentDraft, entry: PrimitiveEntry, node: number): boolean {
  const score = scoreAt(tableOf(draft, entry), node)
  if (score === absent || score < 0) return false
  const name = draft.tree.nodes[node]?.name
  if (name === undefined) return false
  const { state } = entry.resource
  const isActiveHere = state.active.some((place) => place.node === name)
  if (!isUnique(entry)) {
    if (isActiveHere) return true
    if (!siblingActive(entry, name) && siblingKnown(entry, name)) return true
  }
  if (state.active.length === 0 && state.knownOn.size === 0) return true
  return isActiveHere || state.knownOn.has(name)
}

function siblings(entry: PrimitiveEntry): readonly PrimitiveEntry[] {
  const name = withoutNumber(entry.id)
  const top = topOf(entry)
  const clone = top.kind === 'bundle' ? top.clone : top
  return (clone?.members ?? [entry]).flatMap((member) =>
    [member, ...member.members].filter(
      (inner): inner is PrimitiveEntry => inner.kind === 'primitive' && withoutNumber(inner.id) === name,
    ),
  )
}

const siblingActive = (entry: PrimitiveEntry, node: NodeName): boolean =>
  siblings(entry).some(({ resource }) => resource.state.active.some((place) => place.node === node))

const siblingKnown = (entry: PrimitiveEntry, node: NodeName): boolean =>
  siblings(entry).some(({ resource }) => resource.state.knownOn.has(node))

const withoutNumber = (id: string): string => id.replace(/:\d+$/, '')

/** Nobody said anything, so it is promoted only where a constraint asks for it. */
export const withoutPromotionScore: Score = -1

export const unpromotable: Score = -INFINITY_SCORE
