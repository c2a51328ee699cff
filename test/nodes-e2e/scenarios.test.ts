import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebCluster } from '../nodes/lab/web-cluster.ts'

/** Scenarios of three nodes that take long: what waits for leases and slow agents. */
const cluster = new WebCluster()
const { lab } = cluster

beforeAll(() => cluster.begin(), 120_000)

afterAll(() => lab.close(), 60_000)

describe('three nodes with fencing', () => {
  test('(e) the active node is cut off: it is fenced, comes back and joins', async () => {
    await cluster.settle()
    const victim = await cluster.active()
    const init = lab.power.pid1(victim)
    const cut = Date.now()
    await lab.network.link(victim, 'down')
    expect(await cluster.answering(cut, (node) => node !== victim)).not.toBe(victim)
    await lab.until('the node is fenced', () => !lab.power.isOn(victim) || lab.power.pid1(victim) !== init)
    await cluster.settle()
    expect((await lab.status(victim)).nodes.find(({ name }) => name === victim)?.online).toBe(true)
  }, 120_000)

  test('(h) all nodes lose power and return', async () => {
    await cluster.settle()
    await Promise.all(lab.nodes.map((node) => lab.power.off(node)))
    const returned = Date.now()
    for (const node of lab.nodes) await lab.power.on(node)
    await cluster.answering(returned)
    await cluster.settle()
  }, 120_000)

  test('(j) the same with fencing disabled', async () => {
    await cluster.settle()
    await cluster.fencing(false)
    await cluster.splitOff(await cluster.active())
    await cluster.fencing(true)
  }, 240_000)

  test('(k) a daemon that begins anew on a node that is cut off stops what runs there', async () => {
    await cluster.settle()
    await cluster.fencing(false)
    const node = await cluster.active()
    await cluster.splitOff(node, async () => {
      const daemon = await lab.inNode(node, 'cat', '/run/systoled.pid')
      await lab.inNode(node, 'kill', '-9', daemon.trim())
    })
    await cluster.fencing(true)
  }, 240_000)

  test('(m) a daemon that hangs on a node that is cut off: the node is fenced with the address still on it', async () => {
    await cluster.settle()
    const node = await cluster.active()
    await cluster.splitOff(node, async () => {
      const daemon = await lab.inNode(node, 'cat', '/run/systoled.pid')
      await lab.inNode(node, 'kill', '-STOP', daemon.trim())
    })
  }, 240_000)

  test('(l) a start that outlives its DC is made once', async () => {
    await cluster.settle()
    const coordinator = await cluster.dc()
    const node = lab.nodes.find((other) => other !== coordinator) ?? ''
    const delays = ['startdelay=25', 'stopdelay=0', 'mondelay=0']
    await lab.systole(node, 'resource', 'create', 'slow', 'ocf:heartbeat:Delay', ...delays, '--disabled')
    await lab.systole(node, 'constraint', 'location', 'slow', 'prefers', node)
    await lab.systole(node, 'resource', 'enable', 'slow')
    const start = async () => {
      const cib = await lab.systole(node, 'cluster', 'cib')
      const record = cib.match(/<lrm_rsc_op [^>]*id="slow_last_0"[^>]*operation="start"[^>]*>/)?.[0]
      return (name: string): string | undefined => record?.match(new RegExp(` ${name}="([^"]*)"`))?.[1]
    }
    await lab.until('the start is under way', async () => (await start())('op-status') === '-1')
    const first = (await start())('transition-key')
    await lab.power.off(coordinator)
    await lab.until('it is started', async () => (await start())('op-status') === '0', 120_000)
    const told = await start()
    // The next DC has asked for it as well, under a key of its own; a second start would have waited for the first.
    expect(told('transition-key')).not.toBe(first)
    expect(Number(told('queue-time'))).toBeLessThan(2000)
    await lab.systole(node, 'resource', 'delete', 'slow')
  }, 240_000)
})
