/**
 * A stranger on the network opens connections to a remote node's port as fast as it can. The remote node is not fenced, what runs there runs on, its agents
 * are answered, and a connection that breaks meanwhile is made again. SYSTOLE_FLOOD_SECONDS shortens it.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { createService, isOnline, runsOn, servicePid, tool } from '../nodes/lab/remote.ts'
import { flood } from './lab/flooding.ts'

const seconds = Number(process.env.SYSTOLE_FLOOD_SECONDS ?? 60)
const members = ['n1', 'n2', 'n3']
const remote = 'r1'
const filterBefore = process.env.SYSTOLE_FILTER
let lab: Lab

async function begin(filter: string): Promise<void> {
  process.env.SYSTOLE_FILTER = filter
  lab = new Lab([...members, remote], { remotes: [remote] })
  await lab.start()
  await lab.formCluster(members)
  await lab.createFencing()
  await lab.addRemote(remote, 'n1', 'op', 'monitor', 'interval=10')
  await createService(lab, 'n1', remote)
  await lab.until('the service runs on the remote node', () => runsOn(lab, remote, 'n1'), 60_000)
}

afterEach(async () => {
  await lab.close()
  if (filterBefore === undefined) delete process.env.SYSTOLE_FILTER
  else process.env.SYSTOLE_FILTER = filterBefore
}, 60_000)

const table = async (): Promise<string> =>
  await lab.inNode(remote, 'nft', 'list', 'table', 'inet', 'systole_remote_3121').catch(() => '')

/** How often a member has found its connection broken. */
const broken = (): number => lab.logs(100_000).split('the connection to a remote node broke').length - 1

async function flooded(during: () => Promise<void>): Promise<number> {
  const pid = await servicePid(lab, remote)
  const flooding = flood(lab, { node: remote, port: 3121, atOnce: 1700, seconds })
  let isOver = false
  void flooding.finally(() => {
    isOver = true
  })
  await during()
  await lab.until(
    'agents are answered',
    async () => (await tool(lab, remote, 'crm_node', '-n').catch(() => '')) === remote,
  )
  let answers = 0
  while (!isOver) {
    expect(await tool(lab, remote, 'crm_node', '-n')).toBe(remote)
    expect(await tool(lab, remote, 'attrd_updater', '-n', 'round', '-U', String(++answers))).toBe('')
  }
  const rate = await flooding
  console.log(`${process.env.SYSTOLE_FILTER}, 3121: ${rate} connections/s, ${answers} answers`)
  await lab.until('it is online', () => isOnline(lab, remote, 'n1'))
  expect((await lab.status('n1')).fencing).toEqual([])
  expect(await servicePid(lab, remote)).toBe(pid)
  return rate
}

describe.each(['nft', 'socket', 'process'])('with SYSTOLE_FILTER=%s', (filter) => {
  beforeEach(async () => await begin(filter), 300_000)

  test(`${seconds} s of connections to the port of a remote node: it is not suspected, and its agents are answered`, async () => {
    const listed = members.map((node) => lab.network.address(node))
    if (filter === 'nft') await lab.until('it knows the nodes', async () => includesAll(await table(), listed))
    else expect(await table()).toBe('')
    const before = broken()
    expect(await flooded(async () => undefined)).toBeGreaterThan(1000)
    expect(broken()).toBe(before)
  }, 300_000)
})

describe('meanwhile', () => {
  beforeEach(async () => await begin('nft'), 300_000)

  test('its daemon is killed, and the next one is connected before anybody fences it', async () => {
    const before = broken()
    const rate = await flooded(async () => {
      await lab.inNode(remote, 'bash', '-c', 'kill -9 $(cat /run/systoled.pid)')
      await lab.until('the connection broke', () => broken() > before)
    })
    expect(rate).toBeGreaterThan(1000)
  }, 300_000)
})

describe('with members-only', () => {
  beforeEach(async () => await begin('nft'), 300_000)

  test(`${seconds} s of connections: strangers are dropped, and a member that is known gets in again`, async () => {
    const before = broken()
    const settings = `echo '{"members-only": true}' >/etc/systole/remote.json; kill -9 $(cat /run/systoled.pid)`
    await lab.inNode(remote, 'bash', '-c', settings)
    await lab.until(
      'strangers are dropped',
      async () => !/limit rate/.test(await table()) && /drop/.test(await table()),
    )
    await lab.until('it is online', async () => broken() > before && (await isOnline(lab, remote, 'n1')))
    const lost = broken()
    const rate = await flooded(async () => {
      await lab.inNode(remote, 'bash', '-c', 'kill -9 $(cat /run/systoled.pid)')
      await lab.until('the connection broke', () => broken() > lost)
    })
    // Nobody answers them: the flood is as fast as its own patience.
    expect(rate).toBeGreaterThan(0)
  }, 300_000)
})

const includesAll = (text: string, words: readonly string[]): boolean => words.every((word) => text.includes(word))
