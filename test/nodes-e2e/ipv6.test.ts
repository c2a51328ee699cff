/** A cluster whose nodes know each other by addresses of IPv6 only: setup, join, heartbeats, store, fencing, remote nodes. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { isOnline } from '../nodes/lab/remote.ts'

const remote = 'r1'
const members = ['n1', 'n2', 'n3']
const lab = new Lab([...members, remote], { remotes: [remote] })
const address = (node: string): string => `fd83::${lab.nodes.indexOf(node) + 1}`

beforeAll(async () => {
  // The address of IPv4, by which the lab knows the node, is gone before the daemon begins.
  const numbers = lab.nodes.map((node) => `${node}) number=${lab.nodes.indexOf(node) + 1};;`).join(' ')
  writeFileSync(
    join(lab.folder, 'boot.sh'),
    `case "$1" in ${numbers} esac
ip addr del "$2/24" dev eth0
ip -6 addr add "fd83::$number/64" dev eth0 nodad
`,
  )
  await lab.start()
  writeFileSync(
    join(lab.folder, 'hosts'),
    `127.0.0.1 localhost\n::1 localhost\n${lab.nodes.map((node) => `${address(node)} ${node}\n`).join('')}`,
  )
}, 120_000)

afterAll(() => lab.close(), 60_000)

test('three nodes form a cluster', async () => {
  await lab.until('the first daemon answers', async () => (await lab.try('n1', 'cluster', 'status')) !== undefined)
  const named = members.flatMap((node) => [node, `addr=${address(node)}`])
  const setup = JSON.parse(await lab.systole('n1', 'cluster', 'setup', 'lab', ...named, '--json')) as {
    readonly joins: readonly { readonly node: string; readonly token: string }[]
  }
  await lab.systole('n1', 'cluster', 'start')
  for (const { node, token } of setup.joins) {
    await lab.systole(node, 'cluster', 'join', address('n1'), '--token', token)
    await lab.systole(node, 'cluster', 'start')
  }
  await lab.until('all nodes are online and there is a DC', async () => {
    const { nodes } = await lab.status('n1')
    return nodes.length === 3 && nodes.every(({ online }) => online) && nodes.some(({ dc }) => dc)
  })
  await lab.createFencing()
}, 120_000)

test('a remote node is added by its address', async () => {
  const token = (await lab.systole('n1', 'cluster', 'token', '--remote', '--node', remote)).trim()
  await lab.inNode(remote, 'systoled', '--remote', '--join', address('n1'), '--token', token)
  await lab.inNode(remote, 'rm', '-f', join(lab.folder, 'nodes', remote, 'hold'))
  await lab.systole('n1', 'cluster', 'node', 'add-remote', remote, address(remote))
  await lab.until('the remote node is online', () => isOnline(lab, remote, 'n1'), 60_000)
  expect(await lab.systole('n1', 'job', 'run', `--on=n2,${remote}`, '--', 'true')).toMatch(/r1 .*succeeded/)
}, 120_000)

test('an address of IPv6 moves when its node loses power', async () => {
  const vip = ['ocf:heartbeat:IPaddr2', 'ip=fd83::200', 'cidr_netmask=64', 'nic=eth0']
  const victim = 'n2'
  await lab.systole('n1', 'resource', 'create', 'vip', ...vip, '--disabled')
  await lab.systole('n1', 'constraint', 'location', 'vip', 'prefers', victim)
  await lab.systole('n1', 'resource', 'enable', 'vip', '--wait')
  expect(await lab.whereIs('vip', 'n1')).toEqual([victim])
  const other = members.find((node) => node !== victim) ?? ''
  const init = lab.power.pid1(victim)
  await lab.power.off(victim)
  await lab.until('it has moved', async () => {
    const [node = victim] = await lab.whereIs('vip', other)
    return (
      node !== victim &&
      (await lab.inNode(node, 'ip', '-6', '-o', 'addr', 'show', 'dev', 'eth0')).includes('fd83::200/')
    )
  })
  await lab.until(
    'the lost node is back',
    async () => {
      const { nodes } = await lab.status(other)
      return lab.power.isOn(victim) && lab.power.pid1(victim) !== init && nodes.every(({ online }) => online)
    },
    60_000,
  )
}, 120_000)
