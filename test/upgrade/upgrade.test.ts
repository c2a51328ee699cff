import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { grantTimeToRestart } from '../nodes/lab/faults.ts'
import { Lab } from '../nodes/lab/lab.ts'
import { createWebService } from '../nodes/lab/web-service.ts'
import { Builds } from './builds.ts'

/**
 * Three real nodes with an older build of Systole, the last one before links (or the commit in SYSTOLE_OLDER), are upgraded one after the other while
 * a client uses what they run. In between the cluster is half upgraded: it goes on, and says what it cannot do yet.
 */
const older = process.env.SYSTOLE_OLDER ?? 'c7c0605'
const lab = new Lab(['n1', 'n2', 'n3'])
const addresses = lab.nodes.map((node, index) => `${node}=10.83.9.${index + 1}`)
let builds: Builds
/** What it refuses while it is half upgraded is only there to see with a build from before links. */
let knowsLinks: boolean

async function online(seenFrom: string): Promise<boolean> {
  const { nodes, quorum } = await lab.status(seenFrom)
  return quorum.quorate && nodes.length === 3 && nodes.every((node) => node.online && !node.unclean)
}

/** The service's process on a node: the same as long as it was left alone. */
const nginx = async (node: string): Promise<string> => await lab.inNode(node, 'cat', '/run/nginx-lab.pid')

async function dc(seenFrom: string): Promise<string> {
  return (await lab.status(seenFrom)).nodes.find((node) => node.dc)?.name ?? ''
}

/** As a package does it: the service ends, the new one begins; what runs stays. */
async function restart(node: string): Promise<void> {
  builds.use(node, 'this')
  const before = await lab.inNode(node, 'cat', '/run/systoled.pid')
  await lab.inNode(node, 'kill', '-TERM', before.trim())
  await lab.until('the new daemon has taken over', async () => {
    if ((await lab.inNode(node, 'cat', '/run/systoled.pid')) === before) return false
    return await online(node)
  })
}

beforeAll(async () => {
  builds = new Builds(lab, older)
  knowsLinks = builds.olderHas('src/cli/commands/cluster/link.ts')
  for (const node of lab.nodes) builds.use(node, 'older')
  await lab.start()
  await lab.formCluster()
  await grantTimeToRestart(lab)
  await lab.createFencing()
  await createWebService(lab, 'n1')
  await lab.systole('n1', 'resource', 'create', 'state', 'ocf:pacemaker:Stateful', 'promotable', '--wait')
}, 240_000)

afterAll(() => lab.close(), 60_000)

test('a node that runs nothing is stopped, upgraded and started again, and the cluster goes on half upgraded', async () => {
  const client = lab.client(`http://${lab.network.virtualAddress}/`)
  await lab.until('the client is answered', () => client.lastGood !== undefined)
  const [active = ''] = await lab.whereIs('web', 'n1')
  const idle = lab.nodes.find((node) => node !== active) ?? ''
  const begun = Date.now()
  const before = await nginx(active)
  await lab.systole(idle, 'cluster', 'stop')
  builds.use(idle, 'this')
  const daemon = await lab.inNode(idle, 'cat', '/run/systoled.pid')
  await lab.inNode(idle, 'kill', '-TERM', daemon.trim())
  await lab.until('the new daemon answers', async () => (await lab.try(idle, 'cluster', 'status')) !== undefined)
  await lab.systole(idle, 'cluster', 'start')
  await lab.until('it is a member again', async () => await online(idle))
  expect(await nginx(active)).toBe(before)
  expect(client.answers.filter(({ ok, asked }) => !ok && asked >= begun)).toEqual([])

  const others = lab.nodes.filter((node) => node !== idle)
  for (const node of knowsLinks ? [] : others)
    await expect(lab.systole(idle, 'cluster', 'link', 'add', ...addresses)).rejects.toThrow(
      new RegExp(`on ${node} .* (?:supports only one link\\. Upgrade|knows one link only: upgrade) it first`),
    )
  if (!builds.olderHas('src/cli/commands/pki/pki.ts'))
    await expect(lab.systole(idle, 'pki', 'rotate')).rejects.toThrow(/online and upgraded for this, but .* is not/)
  // Changes made on nodes of either kind are carried out, and ended, by all.
  for (const [node, resource] of [
    [idle, 'made-here'],
    [others[0] ?? '', 'made-there'],
  ] as const) {
    await lab.systole(node, 'resource', 'create', resource, 'ocf:pacemaker:Dummy', '--wait')
    await lab.systole(node, 'resource', 'delete', resource)
    await lab.systole(node, 'resource', 'cleanup')
    await lab.systole(node, 'resource', 'update', 'state', 'meta', 'resource-stickiness=1', '--wait')
  }
}, 240_000)

test('the half upgraded cluster fences a DC that is lost, of either version', async () => {
  for (const _turn of [1, 2]) {
    const lost = await dc('n1')
    const other = lab.nodes.find((node) => node !== lost) ?? ''
    const fenced = async () =>
      (await lab.status(other)).fencing.filter(({ target, outcome }) => target === lost && outcome === 'succeeded')
        .length
    const before = await fenced()
    await lab.power.off(lost)
    await lab.until(
      'it was fenced, and is back',
      async () => (await fenced()) > before && (await online(other)),
      90_000,
    )
  }
  expect(await lab.whereIs('web', 'n1')).toHaveLength(1)
}, 240_000)

test('the others are upgraded in place, in maintenance, and what they run is left alone', async () => {
  const client = lab.client(`http://${lab.network.virtualAddress}/`)
  await lab.until('the client is answered', () => client.lastGood !== undefined)
  const [active = ''] = await lab.whereIs('web', 'n1')
  const before = await nginx(active)
  const begun = Date.now()
  for (const node of lab.nodes) {
    await lab.systole(node, 'node', 'maintenance', node, '--wait')
    await restart(node)
    await lab.systole(node, 'node', 'unmaintenance', node, '--wait')
  }
  expect(await lab.whereIs('web', 'n1')).toEqual([active])
  expect(await nginx(active)).toBe(before)
  expect(client.answers.filter(({ ok, asked }) => !ok && asked >= begun)).toEqual([])
}, 240_000)

test('then it does what it could not do before', async () => {
  expect(await lab.systole('n1', 'cluster', 'config', 'update', 'totem', 'token=1500')).toContain(
    '1500 ms on all nodes',
  )
  // These addresses are on no network of the lab: each node says so, and none of them that its version is too old.
  await expect(lab.systole('n1', 'cluster', 'link', 'add', ...addresses)).rejects.toThrow(/^(?!.*one link)/s)
}, 60_000)

test('and the authority’s key, which each of them had, is in shares', async () => {
  await lab.until('no node has the key, and each its share', () =>
    lab.nodes.every((node) => {
      const pki = join(lab.folder, 'nodes', node, 'etc/pki')
      return !existsSync(join(pki, 'authority.key')) && existsSync(join(pki, 'authority-share.json'))
    }),
  )
}, 60_000)

test('which is replaced there as in any cluster, though the command that begins it is killed', async () => {
  const status = async (): Promise<PkiStatus> => JSON.parse(await lab.systole('n1', 'pki', 'status', '--json'))
  const { authority: before } = await status()
  const fenced = (await lab.status('n1')).fencing.length
  await lab.inNode('n1', 'timeout', '-s', 'KILL', '0.3', 'systole', 'pki', 'rotate').catch(() => undefined)
  await lab.until(
    'it has begun',
    async () => (await lab.try('n1', 'pki', 'rotate')) !== undefined || lab.lastFailure.includes('being replaced'),
  )
  await lab.until(
    'the old authority is forgotten',
    async () => {
      const { authority, rotation, nodes } = await status()
      const follows = nodes.every(({ certifiedBy, trusts }) => certifiedBy === authority && trusts.join() === authority)
      return rotation === undefined && authority !== before && nodes.length === 3 && follows
    },
    240_000,
  )
  expect((await lab.status('n1')).fencing).toHaveLength(fenced)
  expect(await online('n1')).toBe(true)
}, 300_000)

interface PkiStatus {
  readonly authority: string
  readonly rotation?: string
  readonly nodes: readonly { readonly certifiedBy: string; readonly trusts: readonly string[] }[]
}
