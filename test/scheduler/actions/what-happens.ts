/** What a transition does, in the words of the tables of this folder. */

import { describeChanges } from '../../../src/scheduler/actions/graph/summary.ts'
import { type PlannedTransition, planTransition } from '../../../src/scheduler/actions/plan-transition.ts'
import { playGraph } from '../../../src/scheduler/simulate/play.ts'
import { dummy, meta, place, type SmallCluster } from '../assignment/small-cluster.ts'

export interface HappeningCase {
  readonly name: string
  readonly cluster: SmallCluster
  readonly happens: readonly string[]
}

/** What happens, one after the other: `web_stop_0 n1`; points in the order of groups and clones are left out. */
export function happens(cluster: SmallCluster): readonly string[] {
  const { graph } = planOf(cluster)
  return playGraph(graph).flatMap(({ action }) =>
    action.kind === 'pseudo' ? [] : [`${action.internalKey ?? action.key} ${action.node}`],
  )
}

export const changes = (cluster: SmallCluster): readonly string[] =>
  describeChanges(planOf(cluster).changes).map((line) => line.replace(/ +/g, ' '))

export function planOf(cluster: SmallCluster): PlannedTransition {
  const { status, assignment } = place(cluster)
  return planTransition({ status, assignment, md5: () => '', isSanitized: false })
}

export const away = (resource: string, node: string): string =>
  `<rsc_location id="away-${resource}" rsc="${resource}" node="${node}" score="-INFINITY"/>`
export const order = (first: string, then: string, more = ''): string =>
  `<rsc_order id="${first}-${then}" first="${first}" then="${then}" ${more}/>`
export const apart = (a: string, b: string): string =>
  `<rsc_colocation id="${a}-${b}" rsc="${a}" with-rsc="${b}" score="-INFINITY"/>`
export const stopped = (id: string): string => dummy(id, meta(id, { 'target-role': 'Stopped' }))
export const monitored = (id: string, more = ''): string =>
  dummy(id, `<operations><op id="${id}-m" name="monitor" interval="10s" ${more}/></operations>`)
export const clone = (id: string, inside: string, options: Readonly<Record<string, string>> = {}): string =>
  `<clone id="${id}">${meta(id, options)}${inside}</clone>`
