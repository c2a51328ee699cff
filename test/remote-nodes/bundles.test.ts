/** Bundles with a resource inside, in real containers: podman runs `systoled --remote`, which runs the resource. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  containerDisks,
  daemonInside,
  image,
  importImage,
  prepareContainers,
  storageOfImage,
} from '../nodes/lab/containers.ts'
import { Lab } from '../nodes/lab/lab.ts'
import { isOnline } from '../nodes/lab/remote.ts'

const members = ['n1', 'n2', 'n3']
const lab = new Lab(members, { disks: containerDisks })

beforeAll(async () => {
  await prepareContainers(lab)
  await lab.start()
  await importImage(lab)
  await lab.formCluster()
  await lab.createFencing()
}, 300_000)

afterAll(() => lab.close(), 60_000)

const containerOf = (replica: string): string => replica.replace(/-(\d+)$/, '-podman-$1')

/** Where each replica's container runs, by what the nodes themselves see. */
async function containers(bundle: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const node of members.filter((name) => lab.power.isOn(name)))
    for (const name of (await lab.inNode(node, 'podman', 'ps', '--format', '{{.Names}}')).split('\n'))
      if (name.startsWith(`${bundle}-podman-`)) found.set(name.replace('-podman-', '-'), node)
  return found
}

async function inside(replica: string, node: string, ...command: readonly string[]): Promise<string> {
  return (await lab.inNode(node, 'podman', 'exec', containerOf(replica), ...command)).trim()
}

async function servicePid(replica: string, node: string): Promise<string | undefined> {
  try {
    return (await inside(replica, node, '/usr/bin/pgrep', '-f', '^/bin/sleep 86399')) || undefined
  } catch {
    return undefined
  }
}

async function until(what: string, holds: () => Promise<boolean>, timeoutMs = 90_000): Promise<void> {
  try {
    await lab.until(what, holds, timeoutMs)
  } catch (error) {
    const said = await Promise.all(
      [...(await containers('web'))].map(([name, node]) =>
        lab.inNode(node, 'podman', 'logs', name.replace(/-(\d+)$/, '-podman-$1')),
      ),
    )
    throw new Error(`${String(error)}\n${await lab.try('n1', 'status')}\n${said.join('\n---\n').slice(-4000)}`)
  }
}

async function bothServe(bundle: string, seenFrom: string): Promise<boolean> {
  const found = await containers(bundle)
  for (const [replica, node] of found)
    if (!(await isOnline(lab, replica, seenFrom)) || (await servicePid(replica, node)) === undefined) return false
  return found.size === 2 && new Set(found.values()).size === 2
}

async function createBundle(bundle: string, options: readonly string[], service: readonly string[]): Promise<void> {
  await lab.systole(
    'n1',
    ...['resource', 'bundle', 'create', bundle, 'container', 'podman', `image=${image}`, 'replicas=2'],
    `run-command=${daemonInside}`,
    ...options,
    ...storageOfImage(lab),
    '--disabled',
  )
  await lab.systole('n1', 'resource', 'create', ...service, 'op', 'monitor', 'interval=1', 'bundle', bundle)
  await lab.systole('n1', 'resource', 'enable', bundle)
}

describe('a bundle with a resource inside, on the network of its hosts', () => {
  test('runs in two containers on two nodes, each of which is a guest node', async () => {
    const service = ['service', 'ocf:systole:process', 'command=/bin/sleep 86399']
    await createBundle('web', ['network=host', 'network', 'control-port=3131'], service)
    await until('both replicas serve', () => bothServe('web', 'n1'))
    expect(await lab.systole('n1', 'status')).toContain('GuestOnline: [ web-0 web-1 ]')
    expect((await lab.status('n1')).fencing).toEqual([])
  })

  test('has its service restarted where it died, in the same container, and the dead process reaped', async () => {
    const [[replica = '', node = ''] = []] = [...(await containers('web'))]
    const before = (await servicePid(replica, node)) ?? ''
    await inside(replica, node, '/usr/bin/kill', '-9', before)
    await until('the service was started again', async () => {
      const now = await servicePid(replica, node)
      return now !== undefined && now !== before
    })
    expect(await inside(replica, node, '/usr/bin/ps', 'ax', '-o', 'stat=')).not.toContain('Z')
  })

  test('has its daemon started again when that is killed, while the service goes on', async () => {
    const [[replica = '', node = ''] = []] = [...(await containers('web'))]
    const before = await servicePid(replica, node)
    const daemon = await inside(replica, node, '/usr/bin/pgrep', '-x', 'node')
    await inside(replica, node, '/usr/bin/kill', '-9', daemon)
    await until('another daemon serves', async () => {
      const now = await inside(replica, node, '/usr/bin/pgrep', '-x', 'node')
      return now !== daemon && (await bothServe('web', 'n1'))
    })
    await lab.systole('n1', 'status', 'wait', '60')
    expect(await servicePid(replica, node)).toBe(before)
  })

  test('has a container that was killed replaced', async () => {
    const [[replica = '', node = ''] = []] = [...(await containers('web'))]
    const id = containerOf(replica)
    const before = await lab.inNode(node, 'podman', 'inspect', '--format', '{{.Id}}', id)
    await lab.inNode(node, 'podman', 'kill', id)
    await until('another container serves', async () => {
      if (!(await bothServe('web', 'n1'))) return false
      const at = (await containers('web')).get(replica) ?? ''
      return (await lab.inNode(at, 'podman', 'inspect', '--format', '{{.Id}}', id)) !== before
    })
    expect((await lab.status('n1')).fencing).toEqual([])
  })

  test('follows another authority, and its containers and services go on', async () => {
    const pki = async () => JSON.parse(await lab.systole('n1', 'pki', 'status', '--json'))
    const { authority: before } = await pki()
    const ids = async () =>
      await Promise.all(
        [...(await containers('web'))].map(async ([replica, node]) =>
          (await lab.inNode(node, 'podman', 'inspect', '--format', '{{.Id}}', containerOf(replica))).trim(),
        ),
      )
    const running = await ids()
    await lab.systole('n2', 'pki', 'rotate')
    await until(
      'both replicas follow',
      async () => {
        const { authority, rotation, nodes } = await pki()
        const hosts = nodes.flatMap(
          (node: { hosts: readonly { certifiedBy: string; trusts: readonly string[] }[] }) => node.hosts,
        )
        const follow = hosts.filter(
          (host: { certifiedBy: string; trusts: readonly string[] }) =>
            host.certifiedBy === authority && host.trusts.length === 1,
        )
        return rotation === undefined && authority !== before && follow.length === 2
      },
      300_000,
    )
    await until('both replicas serve', () => bothServe('web', 'n1'))
    expect((await ids()).sort()).toEqual(running.sort())
  })

  test('moves to the third node when a host loses power', async () => {
    await lab.systole('n1', 'status', 'wait', '60')
    const [lost = ''] = [...(await containers('web')).values()].filter((node) => node !== 'n1')
    lab.power.unplugged.add(lost)
    await lab.power.off(lost)
    await until('both replicas serve on the other nodes', () => bothServe('web', 'n1'))
    const fenced = (await lab.status('n1')).fencing.map(({ target }) => target)
    expect(new Set(fenced)).toEqual(new Set([lost]))
    lab.power.unplugged.delete(lost)
    await lab.power.on(lost)
    await until('the lost node is back', async () => (await lab.status('n1')).nodes.every(({ online }) => online))
  })

  test('is stopped and started by its name, and gone when it is deleted', async () => {
    await lab.systole('n1', 'resource', 'disable', 'web', '--wait')
    expect((await containers('web')).size).toBe(0)
    await lab.systole('n1', 'resource', 'enable', 'web', '--wait')
    await until('both replicas serve', () => bothServe('web', 'n1'))
    await lab.systole('n1', 'resource', 'delete', 'web', '--wait')
    expect((await containers('web')).size).toBe(0)
    expect((await lab.status('n1')).nodes.map(({ name }) => name)).toEqual(members)
    // The end of their records is the last step, and nothing of the transition.
    await until(
      'nothing is recorded of them',
      async () => !(await lab.systole('n1', 'cluster', 'cib')).includes('uname="web-'),
    )
    expect(await fencedReplicas('web')).toEqual([])
  })
})

describe('a bundle with addresses of its own', () => {
  test('serves at each of them, through the ports that its containers have there', async () => {
    const addresses = ['10.83.0.150', '10.83.0.151']
    const network = ['network', `ip-range-start=${addresses[0]}`, 'host-interface=eth0', 'host-netmask=24']
    const service = ['page', 'ocf:systole:process', 'command=/usr/bin/python3 -m http.server 8080']
    await createBundle('pages', [...network, 'port-map', 'port=80', 'internal-port=8080'], service)
    await until('both addresses answer', async () => {
      for (const address of addresses)
        await lab.inNode('n1', 'curl', '-sf', '-m', '2', '-o', '/dev/null', `http://${address}/`)
      return (await isOnline(lab, 'pages-0', 'n1')) && (await isOnline(lab, 'pages-1', 'n1'))
    })
    await lab.systole('n1', 'resource', 'delete', 'pages', '--wait')
    expect((await containers('pages')).size).toBe(0)
    expect(await fencedReplicas('pages')).toEqual([])
  })
})

async function fencedReplicas(bundle: string): Promise<readonly string[]> {
  return (await lab.status('n1')).fencing.flatMap(({ target }) => (target.startsWith(`${bundle}-`) ? [target] : []))
}
