/** Alerts of what happens to remote and guest nodes, and of what runs there: each is told once, by the node that should. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMachine, installMachineAgent, letIn, type Machine, machinePid } from '../nodes/lab/guests.ts'
import { Lab } from '../nodes/lab/lab.ts'
import { holder, isOnline } from '../nodes/lab/remote.ts'

const remote = 'r1'
const members = ['n1', 'n2', 'n3']
const machine: Machine = { resource: 'vm1', name: 'g1', address: '10.83.0.101' }
const guest = machine.name
const lab = new Lab([...members, remote], { remotes: [remote], disks: ['/srv'] })
const agent = `#!/bin/sh
echo "$CRM_alert_kind $CRM_alert_node $CRM_alert_rsc $CRM_alert_task $CRM_alert_desc" | sed 's/ by .*//' >> /srv/alerts/log
`

beforeAll(async () => {
  installMachineAgent(lab)
  await lab.start()
  await lab.formCluster()
  await lab.createFencing()
  for (const node of [...members, remote]) {
    await lab.inNode(node, 'install', '-d', '-m', '777', '/srv/alerts')
    await lab.inNode(node, 'sh', '-c', `cat > /srv/alert <<'END'\n${agent}END\nchmod 755 /srv/alert`)
  }
  await lab.systole('n1', 'alert', 'create', 'path=/srv/alert', 'id=told')
}, 300_000)

afterAll(() => lab.close(), 60_000)

function told(node: string): readonly string[] {
  const path = join(lab.folder, 'nodes', node, 'disks/srv/alerts/log')
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [line.replace(/ +/g, ' ').trim()]))
}

/** What was told of it, and where. */
const about = (what: RegExp): readonly string[] =>
  [...members, remote].flatMap((node) => told(node).flatMap((line) => (what.test(line) ? [`${node}: ${line}`] : [])))

async function untilTold(what: RegExp, count: number): Promise<void> {
  await lab.until(
    `${count} lines about ${what.source}`,
    () => {
      if (about(what).length >= count) return true
      throw new Error(`so far: ${about(/./).join(' | ')}`)
    },
    90_000,
  )
}

async function dc(): Promise<string> {
  return (await lab.status('n1')).nodes.find((each) => each.dc)?.name ?? ''
}

test('a remote node that comes is told by the DC, and what runs there by the node that holds its connection', async () => {
  await lab.addRemote(remote, 'n1', 'op', 'monitor', 'interval=10')
  await lab.until('the remote node is online', () => isOnline(lab, remote, 'n1'), 60_000)
  await untilTold(/^node r1 member/, 1)
  expect(about(/^node r1/)).toEqual([`${await dc()}: node r1 member`])
  await lab.systole(
    'n1',
    'resource',
    'create',
    'web',
    'ocf:pacemaker:Dummy',
    'op',
    'monitor',
    'interval=1s',
    '--disabled',
  )
  await lab.systole('n1', 'constraint', 'location', 'web', 'prefers', `${remote}=1000`)
  await lab.systole('n1', 'resource', 'enable', 'web', '--wait')
  await untilTold(/^resource r1 web/, 2)
  const by = await holder(lab, remote, 'n1')
  expect(about(/^resource r1 web (start|monitor)/)).toEqual([
    `${by}: resource r1 web start ok`,
    `${by}: resource r1 web monitor ok`,
  ])
}, 180_000)

test('its loss and its fencing are told once', async () => {
  await lab.power.off(remote)
  await untilTold(/^fencing r1/, 1)
  await lab.until('it is back', () => isOnline(lab, remote, 'n1'), 90_000)
  await untilTold(/^node r1 member/, 2)
  const ofNode = about(/^(node|fencing) r1/).map((line) => line.replace(/^\w+: /, ''))
  expect([...ofNode].sort()).toEqual([
    'fencing r1 reboot Operation reboot of r1',
    'node r1 lost',
    'node r1 member',
    'node r1 member',
  ])
  expect(new Set(about(/^(node|fencing) r1/).map((line) => line.split(':')[0]))).toEqual(new Set([await dc()]))
}, 180_000)

test('a guest node that comes, is lost with its machine, and comes again is told once each time', async () => {
  await createMachine(lab, machine, 'n1')
  await letIn(lab, machine, 'n1')
  const words = ['cluster', 'node', 'add-guest', guest, machine.resource, `remote-addr=${machine.address}`, '--wait']
  await lab.systole('n1', ...words)
  await lab.until('the guest node is online', () => isOnline(lab, guest, 'n1'), 60_000)
  await untilTold(/^node g1 member/, 1)
  const [host = ''] = await lab.whereIs(machine.resource, 'n1')
  const pid = await machinePid(lab, machine, host)
  await lab.inNode(host, 'kill', '-9', String(pid))
  await untilTold(/^node g1 member/, 2)
  const ofNode = about(/^node g1/).map((line) => line.replace(/^\w+: /, ''))
  expect([...ofNode].sort()).toEqual(['node g1 lost', 'node g1 member', 'node g1 member'])
}, 240_000)
