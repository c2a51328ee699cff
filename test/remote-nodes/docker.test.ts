/** A bundle with a resource inside in Docker's containers: Debian's docker and `ocf:heartbeat:docker` on three nodes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  daemonInside,
  dockerDisks,
  image,
  importImage,
  prepareDocker,
  removeDockerGroups,
  storageOfImage,
} from '../nodes/lab/containers.ts'
import { Lab } from '../nodes/lab/lab.ts'
import { isOnline } from '../nodes/lab/remote.ts'

const members = ['n1', 'n2', 'n3']
const lab = new Lab(members, { disks: dockerDisks })

beforeAll(async () => {
  await prepareDocker(lab)
  await lab.start()
  await lab.until('docker runs', async () => {
    for (const node of members) await lab.inNode(node, 'docker', 'version')
    return true
  })
  await importImage(lab, 'docker')
  await lab.formCluster()
  await lab.createFencing()
}, 300_000)

afterAll(async () => {
  await lab.close()
  await removeDockerGroups(lab)
}, 60_000)

const containerOf = (replica: string): string => replica.replace(/-(\d+)$/, '-docker-$1')
const idOf = (replica: string, node: string): Promise<string> =>
  lab.inNode(node, 'docker', 'inspect', '--format', '{{.Id}}', containerOf(replica))

/** Where each replica's container runs, by what the nodes themselves see. */
async function replicas(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const node of members.filter((name) => lab.power.isOn(name)))
    for (const name of (await lab.inNode(node, 'docker', 'ps', '--format', '{{.Names}}')).split('\n'))
      if (name.startsWith('shop-docker-')) found.set(name.replace('-docker-', '-'), node)
  return found
}

async function bothServe(): Promise<boolean> {
  const found = await replicas()
  for (const [replica, node] of found) {
    if (!(await isOnline(lab, replica, 'n1'))) return false
    await lab.inNode(node, 'docker', 'exec', containerOf(replica), '/usr/bin/pgrep', '-f', '^/bin/sleep 86398')
  }
  return found.size === 2 && new Set(found.values()).size === 2
}

describe('a bundle of docker', () => {
  test('runs its service in two containers on two nodes', async () => {
    const container = [
      'container',
      'docker',
      `image=${image}`,
      'replicas=2',
      'network=host',
      `run-command=${daemonInside}`,
    ]
    const network = ['network', 'control-port=3141']
    await lab.systole(
      'n1',
      ...['resource', 'bundle', 'create', 'shop', ...container, ...network, ...storageOfImage(lab), '--disabled'],
    )
    const service = ['sales', 'ocf:systole:process', 'command=/bin/sleep 86398', 'op', 'monitor', 'interval=1']
    await lab.systole('n1', 'resource', 'create', ...service, 'bundle', 'shop')
    await lab.systole('n1', 'resource', 'enable', 'shop')
    await lab.until('both replicas serve', bothServe, 90_000)
    expect((await lab.status('n1')).fencing).toEqual([])
  })

  test('has a container that was killed replaced', async () => {
    const [[replica = '', node = ''] = []] = [...(await replicas())]
    const before = await idOf(replica, node)
    await lab.inNode(node, 'docker', 'kill', containerOf(replica))
    await lab.until(
      'another container serves',
      async () => (await bothServe()) && (await idOf(replica, (await replicas()).get(replica) ?? '')) !== before,
      90_000,
    )
    expect((await lab.status('n1')).fencing).toEqual([])
  })

  test('moves to the third node when a host loses power', async () => {
    await lab.systole('n1', 'status', 'wait', '60')
    const [lost = ''] = [...(await replicas()).values()].filter((node) => node !== 'n1')
    lab.power.unplugged.add(lost)
    await lab.power.off(lost)
    await lab.until('both replicas serve on the other nodes', bothServe, 90_000)
    const fenced = (await lab.status('n1')).fencing.map(({ target }) => target)
    expect(new Set(fenced)).toEqual(new Set([lost]))
    lab.power.unplugged.delete(lost)
    await lab.power.on(lost)
    await lab.until(
      'the lost node is back',
      async () => (await lab.status('n1')).nodes.every(({ online }) => online),
      90_000,
    )
  })

  test('is gone when it is deleted', async () => {
    await lab.systole('n1', 'resource', 'delete', 'shop', '--wait')
    expect((await replicas()).size).toBe(0)
  })
})
