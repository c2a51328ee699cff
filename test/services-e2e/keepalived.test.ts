import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'

/** Two hosts' keepalived.conf, applied: addresses follow priorities, checks and interfaces as VRRP had it. */
const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes)

const fileOf = (priority: number): string => `global_defs { router_id lb }
vrrp_script chk_mark {
   script "test ! -e /run/failed"
   interval 1
   fall 2
   rise 2
}
vrrp_script chk_weighed {
   script "test ! -e /run/weighed"
   interval 1
   weight -80
}
vrrp_instance BACK {
   state BACKUP
   interface eth0
   virtual_router_id 51
   priority ${priority}
   virtual_ipaddress { 10.83.0.200/24 }
   track_script { chk_mark }
   track_interface { watched0 }
}
vrrp_instance STAYS {
   state BACKUP
   interface eth0
   virtual_router_id 52
   priority ${priority}
   nopreempt
   virtual_ipaddress {
      10.83.0.201/24
      fd83::201/64 -nodad
   }
   track_script { chk_mark }
}
vrrp_instance WEIGHED {
   interface eth0
   virtual_router_id 53
   priority ${priority}
   virtual_ipaddress { 10.83.0.202/24 label eth0:w }
   track_script { chk_weighed }
}
`

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(nodes)
  await lab.createFencing(nodes)
  for (const [at, node] of ['n1', 'n2'].entries())
    writeFileSync(join(lab.folder, `${node}.conf`), fileOf(150 - 50 * at))
  for (const node of nodes)
    for (const line of ['add watched0 type veth peer name watched1', 'set watched1 up', 'set watched0 up'])
      await lab.inNode(node, 'ip', 'link', ...line.split(' '))
}, 180_000)
afterAll(() => lab.close(), 60_000)

const addresses = async (node: string): Promise<string> =>
  await lab.inNode(node, 'ip', '-o', 'addr', 'show', 'dev', 'eth0')
const isOn = async (node: string, address: string): Promise<void> =>
  await lab.until(`${address} is on ${node} alone`, async () => {
    const there = await Promise.all(nodes.map(async (one) => (await addresses(one)).includes(` ${address}/`)))
    return nodes.every((one, at) => there[at] === (one === node))
  })
const fail = async (node: string): Promise<unknown> => await lab.inNode(node, 'touch', '/run/failed')
const heal = async (node: string): Promise<unknown> => await lab.inNode(node, 'rm', '/run/failed')

test('the addresses are on the node with the highest priority, and a file that is applied again changes nothing', async () => {
  const files = ['n1', 'n2'].map((node) => `${node}=${join(lab.folder, `${node}.conf`)}`)
  const planned = await lab.systole('n1', 'plan', ...files)
  expect(planned).toContain('start BACK-10.83.0.200 on n1')
  expect(planned).toContain('Not needed here: router_id, state, virtual_router_id')
  await lab.systole('n1', 'apply', ...files)
  // The third node has no file: it is the last choice.
  for (const address of ['10.83.0.200', '10.83.0.201', 'fd83::201', '10.83.0.202']) await isOn('n1', address)
  expect(await addresses('n1')).toContain('eth0:w')
  expect(await lab.systole('n2', 'apply', ...files)).toMatch(/^Nothing to change/)
}, 120_000)

test('a check that fails moves the addresses away; without nopreempt they come back, with it they stay', async () => {
  await fail('n1')
  for (const address of ['10.83.0.200', '10.83.0.201', 'fd83::201']) await isOn('n2', address)
  await isOn('n1', '10.83.0.202')
  expect(await lab.systole('n1', 'status')).not.toContain('Failed')
  await heal('n1')
  await isOn('n1', '10.83.0.200')
  for (const address of ['10.83.0.201', 'fd83::201']) await isOn('n2', address)
}, 120_000)

test('a check with a weight changes the score as it changed the priority', async () => {
  await lab.inNode('n1', 'touch', '/run/weighed')
  await isOn('n2', '10.83.0.202')
  await lab.inNode('n2', 'touch', '/run/weighed')
  await isOn('n1', '10.83.0.202')
  for (const node of ['n1', 'n2']) await lab.inNode(node, 'rm', '-f', '/run/weighed')
}, 120_000)

test('an interface that is down moves what tracks it', async () => {
  await lab.inNode('n1', 'ip', 'link', 'set', 'watched0', 'down')
  await isOn('n2', '10.83.0.200')
  await isOn('n1', '10.83.0.202')
  await lab.inNode('n1', 'ip', 'link', 'set', 'watched0', 'up')
  await isOn('n1', '10.83.0.200')
}, 120_000)

test('the node that has them loses power, and they are on the other', async () => {
  await lab.power.off('n1')
  for (const address of ['10.83.0.200', '10.83.0.201', '10.83.0.202']) {
    await lab.until(`${address} is on n2`, async () => (await addresses('n2')).includes(` ${address}/`), 60_000)
  }
}, 120_000)
