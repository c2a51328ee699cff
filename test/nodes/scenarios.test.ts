import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebCluster } from './lab/web-cluster.ts'

/** The scenarios run in their order on one cluster: each starts from a settled state and says what the client saw. Longer ones: `npm run e2e:nodes`. */
const cluster = new WebCluster()
const { lab } = cluster
/** How long the client waits before its one retry. Debian's nginx agent alone sleeps whole seconds, in stop and in start. */
const retryMs = 5000

beforeAll(() => cluster.begin(), 120_000)

afterAll(() => lab.close(), 60_000)

describe('three nodes with fencing', () => {
  test('(a) the cluster has formed and the virtual address answers', async () => {
    expect(await cluster.answering()).toBe(await cluster.active())
  }, 60_000)

  test('(b) a service that is killed is started again where it was', async () => {
    const node = await cluster.active()
    const killed = Date.now()
    await lab.inNode(node, 'sh', '-c', 'kill -9 $(cat /run/nginx-lab.pid) $(pgrep -P $(cat /run/nginx-lab.pid))')
    await lab.until('the client sees the failure', () =>
      cluster.client.answers.some(({ ok, asked }) => !ok && asked >= killed),
    )
    expect(await cluster.answering(Date.now())).toBe(node)
  }, 60_000)

  test('(c) the active node loses power: it is fenced and another answers', async () => {
    await cluster.settle()
    const coordinator = await cluster.dc()
    const victim = lab.nodes.find((node) => node !== coordinator) ?? ''
    await cluster.moveTo(victim)
    await cluster.powerCut(victim)
  }, 120_000)

  test('(d) the DC, which also leads the store, loses power with the service on it', async () => {
    await cluster.settle()
    const victim = await cluster.dc()
    await cluster.moveTo(victim)
    await cluster.powerCut(victim)
    expect(await cluster.dc()).not.toBe(victim)
  }, 120_000)

  test('(f) standby moves everything, and a client that retries once sees no error', async () => {
    await cluster.settle()
    const node = await cluster.active()
    const begun = Date.now()
    try {
      await lab.systole(node, 'node', 'standby', node, '--wait')
      expect(await cluster.answering()).not.toBe(node)
      // The client asks again a while after an error: what it sees then is what counts.
      expect(cluster.client.longestGapMs(begun)).toBeLessThan(retryMs)
    } finally {
      await lab.systole(node, 'node', 'unstandby', node, '--wait')
    }
  }, 120_000)

  test('(g) while a fence device fails nothing is recovered, until a person confirms', async () => {
    await cluster.settle()
    const victim = await cluster.active()
    lab.power.brokenControllers.add(victim)
    try {
      await lab.power.off(victim)
      const cut = Date.now()
      await lab.until('a fencing attempt has failed and is shown', async () => {
        const { fencing } = await lab.status(await cluster.anyNode())
        return fencing.some(({ target, outcome }) => target === victim && outcome === 'failed')
      })
      expect(cluster.client.goodSince(cut + 50)).toEqual([])
      await lab.systole(await cluster.anyNode(), 'stonith', 'confirm', victim, '--yes')
      expect(await cluster.answering(cut, (node) => node !== victim)).not.toBe(victim)
    } finally {
      lab.power.brokenControllers.delete(victim)
    }
  }, 120_000)

  test('(i) systoled is killed and restarted everywhere, and the service never stops', async () => {
    await cluster.settle()
    const begun = Date.now()
    for (const node of lab.nodes) {
      const before = await lab.inNode(node, 'cat', '/run/systoled.pid')
      await lab.inNode(node, 'kill', '-9', before.trim())
      await lab.until('another daemon has taken over and its node is online', async () => {
        if ((await lab.inNode(node, 'cat', '/run/systoled.pid')) === before) return false
        const { nodes } = await lab.status(node)
        return nodes.every(({ online, unclean }) => online && !unclean)
      })
    }
    await cluster.settle()
    const since = cluster.client.answers.filter(({ asked }) => asked >= begun)
    expect(since.filter(({ ok }) => !ok)).toEqual([])
    expect(new Set(since.map(({ body }) => body)).size).toBe(1)
  }, 120_000)

  test('(j) in a 2:1 split the virtual address is never answered by two', async () => {
    await cluster.settle()
    await cluster.splitOff(await cluster.active())
  }, 240_000)
})
