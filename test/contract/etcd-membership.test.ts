/** A cluster's etcd that grows, loses a node for good and gets another, and shrinks to the survivor of two. */

import { afterEach, expect, test } from 'vitest'
import { defined } from '../../src/base/index.ts'
import { type ClusterFile, parseClusterFile } from '../../src/daemon/node-list/cluster-file.ts'
import { canSpare } from '../../src/daemon/store/spare-member.ts'
import { nextMembershipStep, type VoterNode } from '../../src/quorum/index.ts'
import { findMember } from '../../src/store/etcd/member/process.ts'
import type { MemberSettings } from '../../src/store/etcd/member/settings.ts'
import { discardMember, EtcdMember, isCompleteMember, peerUrls, restartAlone } from '../../src/store/index.ts'
import { machineClock } from '../../src/store/port/clock.ts'
import { EtcdCluster } from '../support/etcd-cluster.ts'
import { bytes, eventually, text } from './observing.ts'

const put = (key: string, value: string) => ({ kind: 'put', key, value: bytes(value) }) as const
let cleanUps: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp()
  cleanUps = []
}, 30_000)

function supervise(cluster: EtcdCluster, settings: MemberSettings): EtcdMember {
  const member = new EtcdMember({
    settings,
    ...(cluster.tls === undefined ? {} : { tls: cluster.tls }),
  })
  cleanUps.push(() => member.close())
  member.run()
  return member
}

test('a fenced voter is replaced by another node, as the steps say, while writes go on', async () => {
  const cluster = await EtcdCluster.prepare({ size: 3, tls: true, spare: 1 })
  cleanUps.push(() => cluster.end())
  for (const i of [0, 1, 2]) await cluster.startMember(i)
  const endpoints = [0, 1].map((i) => cluster.endpoints[i] ?? '')
  const store = cluster.store({ endpoints })
  cleanUps.push(() => store.close())
  await store.transaction({ compare: [], writes: [put('/systole/a', '1')] })
  await cluster.kill(2)
  const nodes: readonly VoterNode[] = cluster.settings.map((settings, i) => ({
    name: settings.name,
    id: peerUrls(settings)[0] ?? '',
    state: i === 2 ? 'fenced' : 'up',
  }))
  const admin = cluster.admin(endpoints)
  cleanUps.push(() => admin.close())
  const steps: string[] = []
  for (;;) {
    const members = (await admin.members()).map(({ peerURLs, isLearner }) => ({
      id: peerURLs[0] ?? '',
      learner: isLearner,
    }))
    const step = nextMembershipStep({ nodes, members })
    if (step.kind === 'none') break
    steps.push(step.kind)
    if (step.kind === 'remove') await admin.remove([step.id])
    // The node itself does what is left: it adds itself as a learner, starts, and is promoted.
    if (step.kind === 'add-learner') {
      const joining = supervise(cluster, { ...cluster.member(3), joins: true, otherEndpoints: endpoints })
      await eventually(() => joining.status().answers, 'the new member answers', 30_000)
    }
    await store.transaction({ compare: [], writes: [put('/systole/a', String(steps.length))] })
  }
  expect(steps).toEqual(['remove', 'add-learner'])
  expect((await admin.members()).map(({ name, isLearner }) => [name, isLearner]).sort()).toEqual([
    ['node1', false],
    ['node2', false],
    ['node4', false],
  ])
  const joined = cluster.store({ endpoints: [cluster.endpoints[3] ?? ''] })
  cleanUps.push(() => joined.close())
  expect(text(await joined.get('/systole/a'))).toBe('2')
}, 60_000)

test('a member that is stopped while it joins leaves no etcd behind', async () => {
  const cluster = await EtcdCluster.prepare({ size: 3, tls: true, spare: 1 })
  cleanUps.push(() => cluster.end())
  for (const i of [0, 1, 2]) await cluster.startMember(i)
  const settings = { ...cluster.member(3), joins: true, otherEndpoints: [0, 1].map((i) => cluster.endpoints[i] ?? '') }
  const joining = supervise(cluster, settings)
  await eventually(() => findMember(settings) !== undefined, 'its etcd has begun', 30_000)
  expect(isCompleteMember(settings), 'it has not joined yet').toBe(false)
  await joining.stop()
  expect(findMember(settings)).toBeUndefined()
}, 60_000)

test('the survivor of two goes on alone with all data; the other discards its log and comes back as a new member', async () => {
  const cluster = await EtcdCluster.start({ size: 2, tls: true })
  cleanUps.push(() => cluster.end())
  const [first, second] = [cluster.member(0), cluster.member(1)]
  const both = cluster.store()
  await both.transaction({ compare: [], writes: [put('/systole/a', 'before')] })
  await both.close()
  await cluster.kill(1)
  const options = { clock: machineClock, timeoutMs: 3000, ...(cluster.tls === undefined ? {} : { tls: cluster.tls }) }
  await restartAlone({ settings: first, ...options })
  const alone = supervise(cluster, { ...first, founders: first.founders.slice(0, 1), otherEndpoints: [] })
  const survivor = cluster.store({ endpoints: [cluster.endpoints[0] ?? ''] })
  cleanUps.push(() => survivor.close())
  expect(text(await survivor.get('/systole/a'))).toBe('before')
  expect((await survivor.transaction({ compare: [], writes: [put('/systole/a', 'alone')] })).applied).toBe(true)
  await eventually(() => alone.status().answers, 'the survivor is adopted')

  await discardMember({ settings: second, ...options })
  const back = supervise(cluster, { ...second, joins: true, otherEndpoints: [cluster.endpoints[0] ?? ''] })
  await eventually(() => back.status().answers, 'the other is back', 30_000)
  const returned = cluster.store({ endpoints: [cluster.endpoints[1] ?? ''] })
  cleanUps.push(() => returned.close())
  expect(text(await returned.get('/systole/a'))).toBe('alone')
  const admin = cluster.admin()
  cleanUps.push(() => admin.close())
  expect((await admin.members()).filter(({ isLearner }) => !isLearner)).toHaveLength(2)
}, 60_000)

/** The leader confirms what the other has written, and tells it of the commit only then: etcd by itself would throw that away. */
test('the survivor of two loses no confirmed change, whichever of them led', async () => {
  for (const survivor of [0, 1]) {
    const cluster = await EtcdCluster.start({ size: 2, tls: false })
    cleanUps.push(() => cluster.end())
    const store = cluster.store()
    const confirmed = 40
    for (let n = 1; n <= confirmed; n++)
      await store.transaction({ compare: [], writes: [put('/systole/a', String(n))] })
    await Promise.all([cluster.kill(0), cluster.kill(1)])
    await store.close()
    await restartAlone({ settings: cluster.member(survivor), clock: machineClock, timeoutMs: 5000 })
    const alone = cluster.store({ endpoints: [cluster.endpoints[survivor] ?? ''] })
    cleanUps.push(() => alone.close())
    expect(text(await alone.get('/systole/a'))).toBe(String(confirmed))
  }
}, 60_000)

test('a member is stopped only where a majority of the others answers, or the other of two', async () => {
  const cluster = await EtcdCluster.start({ size: 3, tls: false })
  cleanUps.push(() => cluster.end())
  const listOf = (size: number) =>
    accepted(
      cluster.settings.slice(0, size).map(({ name, clientPort, peerPort }) => ({
        name,
        address: '127.0.0.1',
        ports: { etcdClient: clientPort, etcdPeer: peerPort },
      })),
    )
  expect(await canSpare(listOf(3), 'node1', undefined)).toBe(true)
  await cluster.kill(2)
  await eventually(async () => await canSpare(listOf(2), 'node1', undefined), 'the two that are left have a leader')
  expect(await canSpare(listOf(3), 'node1', undefined)).toBe(false)
  await cluster.kill(1)
  expect(await canSpare(listOf(2), 'node1', undefined)).toBe(false)
  expect(await canSpare(listOf(1), 'node1', undefined)).toBe(true)
})

function accepted(nodes: readonly object[]): ClusterFile {
  const parsed = parseClusterFile(JSON.stringify({ clusterName: 'testing', nodes }))
  if (!parsed.ok) throw new Error(parsed.reports.map(({ message }) => message).join(' '))
  return parsed.value
}

test('the survivor of two needs nobody although it lost power as soon as the other was removed', async () => {
  const cluster = await EtcdCluster.prepare({ size: 2, tls: true })
  cleanUps.push(() => cluster.end())
  for (const i of [0, 1]) await cluster.startMember(i)
  const [endpoint = ''] = cluster.endpoints
  const admin = cluster.admin([endpoint])
  cleanUps.push(() => admin.close())
  const other = defined(
    (await admin.members()).find(({ name }) => name === cluster.member(1).name),
    'etcd has both',
  )
  await admin.remove(peerUrls(cluster.member(1)), 30_000)
  // Of an attempt whose answer was lost: it is gone already.
  await admin.removeMember(other.ID)
  await Promise.all([cluster.kill(0), cluster.kill(1)])
  await cluster.startMember(0)
  const store = cluster.store({ endpoints: [endpoint] })
  cleanUps.push(() => store.close())
  await eventually(
    async () => {
      const put1 = store.transaction({ compare: [], writes: [put('/systole/a', '1')] })
      return await put1.then(
        () => true,
        () => false,
      )
    },
    'the survivor has quorum by itself',
    30_000,
  )
}, 90_000)
