import { expect, test } from 'vitest'
import { explainNode } from '../../../src/scheduler/explain/explain-node.ts'
import { explainResource } from '../../../src/scheduler/explain/explain-resource.ts'
import type { Explained } from '../../../src/scheduler/explain/explained.ts'
import { dummy, meta, place as placeOnly, type SmallCluster } from '../assignment/small-cluster.ts'

/** No transition is planned here: the goldens of `systole why` have it. */
function place(cluster: SmallCluster): Explained {
  return { ...placeOnly(cluster), changes: [] }
}

test('a resource is explained by the sources of its scores, best node first', () => {
  const placed = place({
    dummies: ['db'],
    resources: dummy('web', meta('web', { 'resource-stickiness': '5' })),
    running: { web: 'n2' },
    constraints: `<rsc_location id="likes-n1" rsc="db" node="n1" score="100"/>
      <rsc_colocation id="web-with-db" rsc="web" with-rsc="db" score="50"/>
      <rsc_location id="never-n3" rsc="web" node="n3" score="-INFINITY"/>`,
  })
  const [web] = explainResource(placed, 'web')?.instances ?? []
  expect(web?.nodes.map(({ node, score }) => [node, score])).toEqual([
    ['n1', 50],
    ['n2', 5],
    ['n3', -1_000_000],
  ])
  expect(web?.nodes.map(({ contributions }) => contributions.map(({ source }) => source.kind))).toEqual([
    ['colocation'],
    ['stickiness'],
    ['location'],
  ])
  expect(web?.chain).toEqual([
    { dependent: 'web', primary: 'db', constraint: 'web-with-db', score: 50, fromConstraint: true, nodes: ['n1'] },
  ])
})

test('a resource that runs nowhere is explained by what stands in its way on every node', () => {
  const placed = place({
    resources: dummy('web', meta('web', { 'migration-threshold': '2' })),
    running: { web: 'n1' },
    failCounts: { n1: { web: '2' } },
    attributes: { n2: { standby: 'on' } },
    offline: ['n3'],
  })
  const [instance] = explainResource(placed, 'web')?.instances ?? []
  expect(instance?.next).toEqual({ role: 'Stopped', reason: 'unable to assign' })
  expect(instance?.whyNot).toEqual([
    {
      kind: 'banned',
      node: 'n1',
      by: [{ source: { kind: 'fail-count', count: 2, threshold: 2 }, score: -1_000_000 }],
    },
    { kind: 'node-unavailable', node: 'n2', state: 'standby' },
    { kind: 'node-unavailable', node: 'n3', state: 'offline' },
  ])
})

test('the reasons name the option that stops a resource', () => {
  const stopped = place({ resources: dummy('web', meta('web', { 'target-role': 'Stopped' })) })
  expect(explainResource(stopped, 'web')?.instances[0]?.whyNot).toEqual([{ kind: 'target-role', role: 'Stopped' }])
  const all = place({ dummies: ['web'], options: { 'stop-all-resources': 'true' } })
  expect(explainResource(all, 'web')?.instances[0]?.whyNot[0]).toEqual({ kind: 'stop-all-resources' })
})

test('a clone is explained instance by instance', () => {
  const placed = place({ resources: `<clone id="c">${dummy('a')}</clone>` })
  expect(explainResource(placed, 'c')?.instances.map(({ id }) => id)).toEqual(['a:0', 'a:1', 'a:2'])
  expect(explainResource(placed, 'a')?.instances).toHaveLength(3)
})

test('nothing is explained that does not exist', () => {
  const placed = place({ dummies: ['web'] })
  expect(explainResource(placed, 'db')).toBeUndefined()
  expect(explainNode(placed, 'n9')).toBeUndefined()
})

test('a node is explained by its state and by what is and shall be there', () => {
  const placed = place({ dummies: ['web'], running: { web: 'n1' }, attributes: { n1: { standby: 'on' } } })
  expect(explainNode(placed, 'n1')).toMatchObject({
    unavailable: 'standby',
    fencing: [],
    now: [{ resource: 'web', role: 'Started' }],
    next: [],
  })
  expect(explainNode(placed, 'n2')?.next).toEqual([{ resource: 'web', role: 'Started' }])
})
