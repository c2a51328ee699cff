import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from './lab/client.ts'
import { Lab } from './lab/lab.ts'
import { addressHolders, createWebService } from './lab/web-service.ts'

/**
 * Three real nodes, a virtual address with nginx behind it, IPMI fencing, and a client outside. The scenarios run in
 * their order on one cluster: each starts from a settled state and says what the client saw.
 */
const lab = new Lab(['n1', 'n2', 'n3'])
const url = `http://${lab.network.virtualAddress}/`
let client: Client
/** How long the client waits before its one retry. Debian's nginx agent alone sleeps whole seconds, in stop and in start. */
const retryMs = 5000

/** Whatever an earlier scenario has left behind, where it failed: each begins on a whole cluster. */
async function repair(): Promise<void> {
  await lab.network.heal()
  lab.power.brokenControllers.clear()
  for (const node of lab.nodes) await lab.power.on(node)
}

async function settle(): Promise<void> {
  await repair()
  await lab.until('all nodes are online and clean, and see the same', async () => {
    // One that was cut off has quorum a moment before it sees what has changed meanwhile.
    const seen = await Promise.all(lab.nodes.map((node) => lab.status(node).catch(() => undefined)))
    const dcs = new Set(seen.map((status) => status?.nodes.find(({ dc: isDc }) => isDc)?.name))
    const isWhole = seen.every(
      (status) =>
        status?.quorum.quorate === true &&
        status.nodes.length === 3 &&
        status.nodes.every(({ online, unclean }) => online && !unclean),
    )
    return isWhole && dcs.size === 1
  })
  await asConfigured(await anyNode())
  await answering()
  // It answers before its agent, which sleeps for whole seconds, says that it has started.
  await lab.until('the service has started', async () => (await lab.whereIs('web', await anyNode())).length === 1)
}

/** No earlier scenario's change of the configuration holds, and no failure that it has left. */
async function asConfigured(from: string): Promise<void> {
  const cib = await lab.systole(from, 'cluster', 'cib')
  if (cib.includes('id="slow"')) await lab.systole(from, 'resource', 'delete', 'slow')
  if (/name="(fencing-enabled|stonith-enabled)" value="false"/.test(cib)) await fencing(true)
  for (const { name } of (await lab.status(from)).nodes.filter(({ standby }) => standby))
    await lab.systole(from, 'node', 'unstandby', name, '--wait')
  await lab.systole(from, 'resource', 'cleanup')
}

async function fencing(enabled: boolean): Promise<void> {
  const force = enabled ? [] : ['--force']
  await lab.systole(await anyNode(), 'property', 'set', `fencing-enabled=${enabled}`, ...force, '--wait')
}

/** A node that is powered and has a quorate view. */
async function anyNode(): Promise<string> {
  for (const node of lab.nodes) {
    if (!lab.power.isOn(node)) continue
    const text = await lab.try(node, 'status', '--json')
    if (text !== undefined && (JSON.parse(text) as { quorum: { quorate: boolean } }).quorum.quorate) return node
  }
  throw new Error('No node has quorum.')
}

async function active(): Promise<string> {
  const nodes = await lab.whereIs('web', await anyNode())
  expect(nodes).toHaveLength(1)
  return nodes[0] ?? ''
}

async function dc(): Promise<string> {
  const { nodes } = await lab.status(await anyNode())
  return nodes.find((node) => node.dc)?.name ?? ''
}

/** Waits for a good answer to a question asked from now on, and returns who answered. */
async function answering(from: number = Date.now(), by?: (node: string) => boolean): Promise<string> {
  let body = ''
  await lab.until('the client gets an answer', () => {
    body = client.goodSince(from).find((answer) => by === undefined || by(answer.body ?? ''))?.body ?? ''
    return body !== ''
  })
  return body
}

async function moveTo(node: string): Promise<void> {
  if ((await active()) !== node) await lab.systole(await anyNode(), 'resource', 'move', 'webservice', node, '--wait')
  await lab.until(`the service runs on ${node}`, async () => (await active()) === node)
}

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
  await lab.createFencing()
  await createWebService(lab, 'n1')
  client = lab.client(url)
}, 120_000)

afterAll(() => lab.close(), 60_000)

describe('three nodes with fencing', () => {
  test('(a) the cluster has formed and the virtual address answers', async () => {
    expect(await answering()).toBe(await active())
  }, 60_000)

  test('(b) a service that is killed is started again where it was', async () => {
    const node = await active()
    const killed = Date.now()
    await lab.inNode(node, 'sh', '-c', 'kill -9 $(cat /run/nginx-lab.pid) $(pgrep -P $(cat /run/nginx-lab.pid))')
    await lab.until('the client sees the failure', () => client.answers.some(({ ok, asked }) => !ok && asked >= killed))
    expect(await answering(Date.now())).toBe(node)
  }, 60_000)

  test('(c) the active node loses power: it is fenced and another answers', async () => {
    await settle()
    const coordinator = await dc()
    const victim = lab.nodes.find((node) => node !== coordinator) ?? ''
    await moveTo(victim)
    await powerCut(victim)
  }, 120_000)

  test('(d) the DC, which also leads the store, loses power with the service on it', async () => {
    await settle()
    const victim = await dc()
    await moveTo(victim)
    await powerCut(victim)
    expect(await dc()).not.toBe(victim)
  }, 120_000)

  test('(e) the active node is cut off: it is fenced, comes back and joins', async () => {
    await settle()
    const victim = await active()
    const init = lab.power.pid1(victim)
    const cut = Date.now()
    await lab.network.link(victim, 'down')
    expect(await answering(cut, (node) => node !== victim)).not.toBe(victim)
    await lab.until('the node is fenced', () => !lab.power.isOn(victim) || lab.power.pid1(victim) !== init)
    await settle()
    expect((await lab.status(victim)).nodes.find(({ name }) => name === victim)?.online).toBe(true)
  }, 120_000)

  test('(f) standby moves everything, and a client that retries once sees no error', async () => {
    await settle()
    const node = await active()
    const begun = Date.now()
    try {
      await lab.systole(node, 'node', 'standby', node, '--wait')
      expect(await answering()).not.toBe(node)
      // The client asks again a while after an error: what it sees then is what counts.
      expect(client.longestGapMs(begun)).toBeLessThan(retryMs)
    } finally {
      await lab.systole(node, 'node', 'unstandby', node, '--wait')
    }
  }, 120_000)

  test('(g) while a fence device fails nothing is recovered, until a person confirms', async () => {
    await settle()
    const victim = await active()
    lab.power.brokenControllers.add(victim)
    try {
      await lab.power.off(victim)
      const cut = Date.now()
      await lab.until('a fencing attempt has failed and is shown', async () => {
        const { fencing } = await lab.status(await anyNode())
        return fencing.some(({ target, outcome }) => target === victim && outcome === 'failed')
      })
      expect(client.goodSince(cut + 50)).toEqual([])
      await lab.systole(await anyNode(), 'stonith', 'confirm', victim, '--yes')
      expect(await answering(cut, (node) => node !== victim)).not.toBe(victim)
    } finally {
      lab.power.brokenControllers.delete(victim)
    }
  }, 120_000)

  test('(h) all nodes lose power and return', async () => {
    await settle()
    await Promise.all(lab.nodes.map((node) => lab.power.off(node)))
    const returned = Date.now()
    for (const node of lab.nodes) await lab.power.on(node)
    await answering(returned)
    await settle()
  }, 120_000)

  test('(i) systoled is killed and restarted everywhere, and the service never stops', async () => {
    await settle()
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
    await settle()
    const since = client.answers.filter(({ asked }) => asked >= begun)
    expect(since.filter(({ ok }) => !ok)).toEqual([])
    expect(new Set(since.map(({ body }) => body)).size).toBe(1)
  }, 120_000)

  test('(j) in a 2:1 split the virtual address is never answered by two', async () => {
    await settle()
    await splitOff(await active())
  }, 240_000)

  test('(j) the same with fencing disabled', async () => {
    await settle()
    await fencing(false)
    await splitOff(await active())
    await fencing(true)
  }, 240_000)

  test('(k) a daemon that begins anew on a node that is cut off stops what runs there', async () => {
    await settle()
    await fencing(false)
    const node = await active()
    await splitOff(node, async () => {
      const daemon = await lab.inNode(node, 'cat', '/run/systoled.pid')
      await lab.inNode(node, 'kill', '-9', daemon.trim())
    })
    await fencing(true)
  }, 240_000)

  test('(l) a start that outlives its DC is made once', async () => {
    await settle()
    const coordinator = await dc()
    const node = lab.nodes.find((other) => other !== coordinator) ?? ''
    const delays = ['startdelay=12', 'stopdelay=0', 'mondelay=0']
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
    await lab.until('it is started', async () => (await start())('op-status') === '0', 60_000)
    const told = await start()
    // The next DC has asked for it as well, under a key of its own; a second start would have waited for the first.
    expect(told('transition-key')).not.toBe(first)
    expect(Number(told('queue-time'))).toBeLessThan(2000)
    await lab.systole(node, 'resource', 'delete', 'slow')
  }, 240_000)
})

async function powerCut(victim: string): Promise<void> {
  const cut = Date.now()
  await lab.power.off(victim)
  expect(await answering(cut, (node) => node !== victim)).not.toBe(victim)
  const { fencing } = await lab.status(await anyNode())
  expect(fencing).toContainEqual(expect.objectContaining({ target: victim, outcome: 'succeeded' }))
}

async function splitOff(node: string, meanwhile = async (): Promise<void> => undefined): Promise<void> {
  const cut = Date.now()
  try {
    await lab.network.split([[node], lab.nodes.filter((other) => other !== node)])
    await meanwhile()
    const together: string[] = []
    // Without fencing the other side waits until the lease and the time to stop are over.
    const patienceMs = 90_000
    await lab.until(
      'the other side has taken the service over',
      async () => {
        const holders = await addressHolders(lab)
        // The nodes are not asked at one moment: only who still has it afterwards has had it together with another.
        if (holders.length > 1 && (await addressHolders(lab)).includes(node)) together.push(holders.join(' and '))
        return holders.length > 0 && !holders.includes(node)
      },
      patienceMs,
    )
    expect(together).toEqual([])
    expect(await answering(cut, (other) => other !== node)).not.toBe(node)
  } finally {
    await lab.network.heal()
  }
}
