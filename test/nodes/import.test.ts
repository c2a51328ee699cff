import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from './lab/lab.ts'

/**
 * Services that another cluster has started are taken over while they run: the CIB of that cluster, with its status, and its
 * corosync.conf are all that is known of it.
 */
const lab = new Lab(['n1', 'n2', 'n3'])
const url = `http://${lab.network.virtualAddress}:8080/`
const line = (text: string): readonly string[] => text.trim().split(/\s+/)

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
  await lab.createFencing()
  const vip = `resource create vip ocf:heartbeat:IPaddr2 ip=${lab.network.virtualAddress} cidr_netmask=24 nic=eth0 --group site`
  await lab.prepare('n1', ...line(vip))
  await lab.prepare('n1', ...line('resource create web ocf:systole:http address=0.0.0.0 --group site --wait'))
  await lab.prepare('n1', ...line('resource create state ocf:pacemaker:Stateful promotable --wait'))
}, 120_000)

afterAll(() => lab.close(), 60_000)

test('another cluster’s services go on while they are taken over', async () => {
  const client = lab.client(url)
  await lab.until('the client is answered', () => client.lastGood !== undefined)
  const where = await lab.whereIs('web', 'n1')
  // The other cluster, as it leaves: its resources run, nobody looks after them.
  await lab.prepare('n1', 'property', 'set', 'maintenance-mode=true')
  const cib = join(lab.folder, 'cib.xml')
  writeFileSync(cib, await lab.systole('n1', 'cluster', 'cib'))
  const corosync = join(lab.folder, 'corosync.conf')
  writeFileSync(corosync, corosyncConf)
  await lab.systole('n1', 'cluster', 'stop', '--all')
  for (const node of lab.nodes) await lab.systole(node, 'cluster', 'destroy', '--force')

  // What is to be typed before is told: the cluster of the other's nodes.
  await lab.until('a daemon answers', async () => (await lab.try('n2', 'cluster', 'status')) !== undefined)
  const addresses = (node: string) => `${node} addr=${lab.network.address(node)} addr=${secondAddress(node)}`
  await expect(lab.systole('n2', 'import', cib, '--corosync-conf', corosync)).rejects.toThrow(
    `systole cluster setup old ${['n2', 'n1', 'n3'].map(addresses).join(' ')} totem token=10000`,
  )
  await lab.formCluster()
  const taken = Date.now()
  const preview = await lab.systole('n1', 'import', cib, '--corosync-conf', corosync, '--preview')
  expect(preview).toContain('With the status in that CIB, Systole would do nothing.')
  expect(preview).toContain('Note: token is 10000 ms in corosync.conf')
  expect(preview).toContain(
    `systole cluster link add ${lab.nodes.map((node) => `${node}=${secondAddress(node)}`).join(' ')}.`,
  )
  const imported = await lab.systole('n1', 'import', cib, '--corosync-conf', corosync)
  expect(imported).toContain(`* web: on ${where[0]}\n`)
  expect(imported).toContain(`* vip: on ${where[0]}\n`)
  expect(imported).toMatch(/\* state: on n\d.*\(Promoted\)/)
  // Fence devices are no services: their start is a question to the power controllers.
  expect(imported).toMatch(/Without maintenance mode this would happen:\n( {2}\* start fence-n\d on n\d\n){3}Note/)
  await lab.prepare('n1', 'property', 'set', 'maintenance-mode=false', '--wait')
  expect(await lab.whereIs('web', 'n1')).toEqual(where)
  expect(client.longestGapMs(taken)).toBeLessThan(1000)
  expect(client.answers.filter(({ ok, asked }) => !ok && asked >= taken)).toEqual([])
}, 180_000)

test('a second import would lose what is configured, and says so', async () => {
  const cib = join(lab.folder, 'cib.xml')
  await expect(lab.systole('n1', 'import', cib)).rejects.toThrow(
    /This cluster already has resources \(.*\), which would be lost\./,
  )
})

/** On a second ring, for which this lab has no network. */
const secondAddress = (node: string): string => `10.83.9.${lab.nodes.indexOf(node) + 1}`

const corosyncConf = `totem {
  version: 2
  cluster_name: old
  token: 10000
}
nodelist {
${lab.nodes.map((node, index) => `  node {\n    ring0_addr: ${lab.network.address(node)}\n    ring1_addr: ${secondAddress(node)}\n    name: ${node}\n    nodeid: ${index + 1}\n  }`).join('\n')}
}
quorum {
  provider: corosync_votequorum
}
`
