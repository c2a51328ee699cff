import { expect, test } from 'vitest'
import { PartActions } from '../../../src/scheduler/actions/apply-orderings/part-actions.ts'
import { reachOf } from '../../../src/scheduler/actions/apply-orderings/reach.ts'
import { settingOf } from '../../../src/scheduler/actions/draft/setting.ts'
import { draftActions } from '../../../src/scheduler/actions/draft-actions.ts'
import { configuredOrders } from '../../../src/scheduler/actions/orders/configured-orders.ts'
import { dummy, place, type SmallCluster } from '../assignment/small-cluster.ts'
import { apart, away, clone, order, stopped } from './what-happens.ts'

/** The resources of which applying orderings may change something. */
function reached(cluster: SmallCluster): readonly string[] {
  const { status, assignment } = place(cluster)
  const setting = settingOf({ status, assignment, md5: () => '', isSanitized: false })
  const draft = draftActions(setting, configuredOrders(setting))
  const reaches = reachOf(draft, new PartActions(draft))
  return [...new Set(draft.actions.filter(reaches).flatMap(({ rsc }) => (rsc ? [rsc.id] : [])))].sort()
}

const three = { nodes: ['n1', 'n2', 'n3'], dummies: ['db', 'web', 'mail'] }
const running = { db: 'n1', web: 'n2', mail: 'n3' }

const cases: readonly { readonly name: string; readonly cluster: SmallCluster; readonly reached: readonly string[] }[] =
  [
    {
      name: 'where nothing changes, no ordering is applied',
      cluster: { ...three, running, constraints: order('db', 'web') + apart('web', 'mail') },
      reached: [],
    },
    {
      name: 'a move comes to what is ordered after it, and to nothing else',
      cluster: { ...three, running, constraints: order('db', 'web') + away('db', 'n1') },
      reached: ['db', 'web'],
    },
    {
      name: 'a move comes along a chain of orders, against their direction too',
      cluster: { ...three, running, constraints: order('db', 'web') + order('web', 'mail') + away('mail', 'n3') },
      reached: ['db', 'mail', 'web'],
    },
    {
      name: 'what an optional order says makes nothing happen',
      cluster: {
        ...three,
        running,
        constraints: order('db', 'web', 'kind="Optional"') + away('db', 'n1') + away('web', 'n1') + away('web', 'n3'),
      },
      reached: ['db'],
    },
    {
      name: 'what cannot start reaches what is colocated with it',
      cluster: {
        nodes: ['n1'],
        resources: stopped('db') + dummy('web') + dummy('mail'),
        running: { web: 'n1', mail: 'n1' },
        constraints: '<rsc_colocation id="c" rsc="web" with-rsc="db" score="INFINITY"/>',
      },
      reached: ['db', 'web'],
    },
    {
      name: 'of a clone, all of it is concerned',
      cluster: {
        nodes: ['n1', 'n2'],
        resources: clone('pings', dummy('ping')) + dummy('web'),
        running: { web: 'n1', ping: 'n1' },
      },
      reached: ['ping:0', 'ping:1', 'pings'],
    },
  ]

for (const { name, cluster, reached: expected } of cases) test(name, () => expect(reached(cluster)).toEqual(expected))
