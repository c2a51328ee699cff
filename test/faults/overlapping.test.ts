import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/index.ts'
import { type Process, pidOf } from '../nodes/lab/faults.ts'
import { Lab } from '../nodes/lab/lab.ts'

/**
 * Faults that overlap, drawn from a seed, while an administrator changes the configuration, adds and removes a node, switches access control
 * and has the authority replaced. `SYSTOLE_CHAOS_SEED`, `SYSTOLE_CHAOS_SECONDS` and `SYSTOLE_CHAOS_NODES` choose others.
 */
const seed = Number(process.env.SYSTOLE_CHAOS_SEED ?? 1)
const seconds = Number(process.env.SYSTOLE_CHAOS_SECONDS ?? 90)
const founders = Array.from({ length: Number(process.env.SYSTOLE_CHAOS_NODES ?? 3) }, (_, index) => `n${index + 1}`)
const guest = 'n9'
const services = ['s1', 's2', 's3']
const lab = new Lab([...founders, guest], { disks: ['/srv'] })
const random = seededRandom(seed)
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
const began = Date.now()
const diary: string[] = []
const note = (text: string): void => void diary.push(`${((Date.now() - began) / 1000).toFixed(1)} ${text}`)

/** The end of what was done last to each node. */
const troubledUntil = new Map<string, number>()
const acknowledged = new Set<string>()
const twice: string[] = []
const fencedInHealth: string[] = []

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(founders)
  await lab.createFencing()
  for (const node of lab.nodes) await lab.inNode(node, 'install', '-d', '-m', '777', '/srv/alerts')
  const agent = '/usr/share/pacemaker/alerts/alert_file.sh.sample'
  await lab.systole('n1', 'alert', 'create', `path=${agent}`, 'id=file')
  await lab.systole('n1', 'alert', 'recipient', 'add', 'file', 'value=/srv/alerts/log', 'id=log')
  for (const service of services)
    await lab.systole('n1', 'resource', 'create', service, 'ocf:pacemaker:Dummy', 'op', 'monitor', 'interval=2s')
  await lab.until('all run', async () => (await lab.status('n1')).resources.every(({ nodes }) => nodes.length === 1))
}, 180_000)

afterAll(() => lab.close(), 60_000)

/** By the marks of their agents, in the memory of the nodes. */
function activeOn(service: string): readonly string[] {
  return lab.nodes.filter(
    (node) => lab.power.isOn(node) && existsSync(`/proc/${lab.power.pid1(node)}/root/run/Dummy-${service}.state`),
  )
}

async function watch(signal: AbortSignal): Promise<void> {
  const boots = new Map(founders.map((node) => [node, lab.power.isOn(node) ? lab.power.pid1(node) : 0]))
  while (!signal.aborted) {
    for (const service of services) {
      const where = activeOn(service)
      if (where.length > 1) twice.push(`${service} on ${where.join(' and ')} at ${(Date.now() - began) / 1000} s`)
    }
    for (const node of founders) {
      const boot = lab.power.isOn(node) ? lab.power.pid1(node) : 0
      if (boot === boots.get(node)) continue
      if (boot === 0 || boots.get(node) !== 0) {
        note(`# ${node} lost power`)
        if (Date.now() > (troubledUntil.get(node) ?? 0) + 20_000)
          fencedInHealth.push(`${node} at ${(Date.now() - began) / 1000} s`)
      }
      if (boot !== 0) troubledUntil.set(node, Math.max(troubledUntil.get(node) ?? 0, Date.now()))
      boots.set(node, boot)
    }
    await delay(50)
  }
}

type Fault = (ms: number) => Promise<void>

function during(nodes: readonly string[], ms: number): void {
  for (const node of nodes) troubledUntil.set(node, Math.max(troubledUntil.get(node) ?? 0, Date.now() + ms))
}

const standsStill =
  (processes: readonly Process[]): Fault =>
  async (ms) => {
    const node = pick(founders)
    if (!lab.power.isOn(node)) return
    during([node], ms)
    note(`${processes.join('+')} of ${node} stopped for ${ms} ms`)
    const init = lab.power.pid1(node)
    const pids = await Promise.all(processes.map(async (process) => await pidOf(lab, node, process)))
    await lab.inNode(node, 'kill', '-STOP', ...pids)
    await delay(ms)
    during([node], 0)
    if (lab.power.isOn(node) && lab.power.pid1(node) === init) await lab.inNode(node, 'kill', '-CONT', ...pids)
  }

const killed =
  (process: Process): Fault =>
  async () => {
    const node = pick(founders)
    if (!lab.power.isOn(node)) return
    during([node], 0)
    note(`${process} of ${node} killed`)
    await lab.inNode(node, 'kill', '-KILL', await pidOf(lab, node, process))
  }

const faults: readonly Fault[] = [
  standsStill(['systoled']),
  standsStill(['etcd']),
  standsStill(['systoled', 'etcd']),
  killed('systoled'),
  killed('etcd'),
  async (ms) => {
    const node = pick(founders)
    during([node], ms + 10_000)
    note(`${node} has no power for ${ms} ms`)
    await lab.power.off(node)
    await delay(ms)
    await lab.power.on(node)
    during([node], 0)
  },
  async (ms) => {
    const alone = pick(founders)
    const others = founders.filter((node) => node !== alone)
    during(founders.length === 2 ? founders : [alone], ms)
    note(`${alone} cut off for ${ms} ms`)
    await lab.network.split([[alone], [...others, guest]])
    await delay(ms)
    await lab.network.heal()
    during(founders.length === 2 ? founders : [alone], 0)
  },
  async (ms) => {
    const [one = '', other = ''] = founders.toSorted(() => random() - 0.5)
    during([one, other], ms)
    note(`${one} and ${other} separate for ${ms} ms`)
    await lab.network.separate(one, other)
    await delay(ms)
    await lab.network.heal()
    during([one, other], 0)
  },
]

async function trouble(end: number): Promise<void> {
  while (Date.now() < end) {
    try {
      await pick(faults)(Math.floor(300 + random() * 6000))
    } catch (error) {
      note(`(a fault was not possible: ${String(error).split('\n')[0]})`)
    }
    await delay(Math.floor(random() * 8000))
  }
}

let count = 0
let access = false
/** What an administrator types on any node; each ends well or with an error. */
const works: readonly ((on: string) => Promise<void>)[] = [
  ...Array<(on: string) => Promise<void>>(4).fill(async (on) => {
    count++
    const id = `kept${count}`
    await lab.systole(on, 'resource', 'create', id, 'ocf:pacemaker:Dummy', '--disabled')
    acknowledged.add(id)
  }),
  async (on) => {
    await lab.systole(on, 'property', 'set', `enable-acl=${!access}`)
    access = !access
  },
  async (on) => {
    const service = pick(services)
    await lab.systole(on, 'resource', 'update', service, `fake=${count++}`)
  },
  async (on) => void (await lab.systole(on, 'cluster', 'token')),
  async (on) => await join(on),
  async (on) => void (await lab.systole(on, 'cluster', 'node', 'remove', guest)),
  async (on) => void (await lab.systole(on, 'pki', 'rotate')),
]

async function join(on: string): Promise<void> {
  const adding = ['cluster', 'node', 'add', guest, `addr=${lab.network.address(guest)}`, '--json']
  const { joinToken } = JSON.parse(await lab.systole(on, ...adding)) as { readonly joinToken: string }
  await lab.systole(guest, 'cluster', 'join', lab.network.address(on), '--token', joinToken, '--start')
}

async function administer(end: number): Promise<void> {
  while (Date.now() < end) {
    const [work, on] = [pick(works), pick(founders)]
    const index = works.indexOf(work)
    try {
      note(`work ${index} on ${on}`)
      await Promise.race([work(on), delay(60_000).then(() => Promise.reject(new Error('not within a minute')))])
      note(`work ${index} on ${on} done`)
    } catch (error) {
      note(`work ${index} on ${on}: ${String(error).split('\n').slice(0, 3).join(' / ').slice(0, 400)}`)
    }
    await delay(500)
  }
}

async function calm(): Promise<void> {
  await lab.network.heal()
  for (const node of lab.nodes) {
    await lab.power.on(node)
    // Everybody in the node, which has process ids of its own.
    await lab.inNode(node, 'sh', '-c', 'kill -CONT -1; true')
  }
}

test(
  `nothing runs twice and nothing is lost (seed ${seed})`,
  async () => {
    const stop = new AbortController()
    const watching = watch(stop.signal)
    const end = Date.now() + seconds * 1000
    try {
      await Promise.all([trouble(end), trouble(end), administer(end)])
      await calm()
      note('calm')
      const calmSince = Date.now()
      await lab.until(
        'all members are online, and all services run once',
        async () => {
          const views = await Promise.all(founders.map((node) => lab.status(node)))
          return views.every(
            ({ nodes, resources, quorum }) =>
              quorum.quorate &&
              nodes.every(({ name, online, unclean }) => (name === guest || online) && !unclean) &&
              services.every((id) => resources.find((resource) => resource.id === id)?.nodes.length === 1),
          )
        },
        120_000,
      )
      note(`settled after ${Date.now() - calmSince} ms`)
      expect(twice).toEqual([])
      const cib = await lab.systole('n1', 'cluster', 'cib')
      expect([...acknowledged].filter((id) => !cib.includes(`<primitive id="${id}"`))).toEqual([])
      expect(fencedInHealth).toEqual([])
      note(`${acknowledged.size} acknowledged`)

      // The key can still sign, also after another one has taken its place while a daemon was killed.
      await lab.until('a rotation begins', async () => (await lab.try('n1', 'pki', 'rotate')) !== undefined, 60_000)
      await lab.inNode('n2', 'kill', '-KILL', await pidOf(lab, 'n2', 'systoled'))
      await lab.until(
        'no rotation is under way',
        async () => {
          const status = await lab.systole('n1', 'pki', 'status', '--json')
          if (JSON.parse(status).rotation) throw new Error(status)
          return true
        },
        120_000,
      )
      await lab.until(
        'the guest is removed',
        async () => {
          await lab.try('n1', 'cluster', 'node', 'remove', guest)
          if (/no node|not a (node|member)/i.test(lab.lastFailure)) return true
          const { nodes } = await lab.status('n1')
          if (!nodes.some(({ name }) => name === guest)) return true
          throw new Error(lab.lastFailure)
        },
        60_000,
      )
      await lab.inNode(guest, 'sh', '-c', 'rm -rf /etc/systole/* /var/lib/systole/*; kill -9 $(cat /run/systoled.pid)')
      await lab.until(
        'the daemon of the guest answers',
        async () => (await lab.try(guest, 'cluster', 'status')) !== undefined,
      )
      await lab.until('a token is given', async () => (await lab.try('n2', 'cluster', 'token')) !== undefined)
      await join('n1')
      await lab.until(
        'the guest is online',
        async () => (await lab.status('n1')).nodes.some(({ name, online }) => name === guest && online),
        60_000,
      )

      // Alerts: each once.
      await lab.systole('n1', 'resource', 'create', 'told', 'ocf:pacemaker:Dummy', '--wait')
      await lab.systole('n1', 'resource', 'disable', 'told', '--wait')
      await lab.until('the stop is told', () => toldOf('told').some((line) => line.includes("'stop'")))
      await delay(1000)
      expect(
        toldOf('told')
          .map((line) => line.replace(/^.*operation '(\w+).*$/, '$1'))
          .toSorted(),
      ).toEqual(['monitor', 'start', 'stop'])
    } catch (error) {
      const key = /answer|owed|anew|lost|fenc/i
      console.log(
        lab.nodes
          .map(
            (node) =>
              `--- ${node}\n${logOf(node)
                .filter((line) => key.test(line))
                .slice(-80)
                .join('\n')}`,
          )
          .join('\n'),
      )
      throw error
    } finally {
      stop.abort()
      await watching
      console.log(diary.join('\n'))
      console.log({ twice, fencedInHealth, acknowledged: acknowledged.size })
    }
  },
  seconds * 1000 + 600_000,
)

function logOf(node: string): readonly string[] {
  return readFileSync(onDisk(node, 'systoled.log'), 'utf8').split('\n')
}
function onDisk(node: string, file: string): string {
  return `${lab.folder}/nodes/${node}/${file}`
}
function toldOf(resource: string): readonly string[] {
  return lab.nodes.flatMap((node) => {
    const path = onDisk(node, 'disks/srv/alerts/log')
    return existsSync(path)
      ? readFileSync(path, 'utf8')
          .split('\n')
          .filter((line) => line.includes(`'${resource}'`))
      : []
  })
}
