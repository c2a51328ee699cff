/** Certificates are renewed while the cluster works, and while daemons are killed in the middle of it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keyOf } from '../../src/rpc/index.ts'
import { Lab } from '../nodes/lab/lab.ts'
import { addWitness, untilVotes } from '../nodes/lab/witness.ts'

const members = ['n1', 'n2']
const lab = new Lab([...members, 'w'])

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(members)
  await lab.createFencing(members)
  await addWitness(lab, 'n1', 'w')
}, 180_000)

afterAll(() => lab.close(), 60_000)

const read = (node: string, file: string): string => readFileSync(join(lab.folder, 'nodes', node, 'etc', file), 'utf8')

/** By the lists of both members. */
const knows = (seenBy: string, node: string): readonly string[] =>
  JSON.parse(read(seenBy, 'cluster.json')).nodes.find(({ name }: { name: string }) => name === node).keys

const isInOrder = (): boolean =>
  members.every((node) => members.every((seenBy) => knows(seenBy, node).join() === keyOf(read(node, 'pki/node.crt'))))

test('a renewal that is interrupted by the end of the daemon is finished, or as if it had not begun', async () => {
  await lab.until('both are known by their keys', isInOrder)
  for (const afterMs of [20, 60, 100, 150, 220, 300]) {
    const renewal = lab.try('n2', 'cluster', 'certificates', 'renew')
    await delay(afterMs)
    await lab.inNode('n2', 'bash', '-c', 'kill -9 $(cat /run/systoled.pid)')
    await renewal
    await lab.until(
      `both are known by the key that each has, after ${afterMs} ms`,
      async () => isInOrder() && (await lab.status('n1')).nodes.every(({ online, unclean }) => online && !unclean),
      60_000,
    )
    await untilVotes(lab, 'n2', 3)
  }
  await lab.systole('n2', 'cluster', 'certificates', 'renew')
  await lab.until('both are known by their keys', isInOrder)
}, 400_000)

test('both renew at once', async () => {
  const before = members.map((node) => read(node, 'pki/node.crt'))
  await Promise.all(members.map(async (node) => await lab.systole(node, 'cluster', 'certificates', 'renew')))
  await lab.until('both are known by their keys', isInOrder)
  for (const [index, node] of members.entries()) expect(read(node, 'pki/node.crt')).not.toBe(before[index])
  await lab.systole('n1', 'resource', 'create', 'work', 'ocf:pacemaker:Dummy', '--wait')
}, 120_000)

test('the certificate of a witness that was taken out opens nothing', async () => {
  const folder = '/run/stolen'
  await lab.inNode('w', 'cp', '-a', '/etc/systole/pki', folder)
  const etcdctl = async (...line: readonly string[]): Promise<string> =>
    await lab
      .inNode(
        'w',
        ...['env', 'ETCDCTL_API=3', 'etcdctl', `--endpoints=https://${lab.network.address('n1')}:7702`],
        ...[`--cacert=${folder}/authority.crt`, `--cert=${folder}/node.crt`, `--key=${folder}/node.key`],
        ...['--command-timeout=3s', '--dial-timeout=3s', ...line],
      )
      .catch(() => 'refused')
  const get = ['get', '/systole/dc', '--print-value-only']
  expect(await etcdctl(...get)).toContain('node')
  await lab.systole('n1', 'quorum', 'device', 'remove')
  await lab.until('its certificate opens nothing', async () => (await etcdctl(...get)) === 'refused')
  await lab.systole('n1', 'resource', 'delete', 'work')
}, 120_000)
