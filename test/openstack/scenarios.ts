/** What is done to the control plane while clients use it. Each leaves it complete again. */
import { setTimeout as delay } from 'node:timers/promises'
import type { ControlPlane } from './control-plane.ts'
import type { services } from './load.ts'

export type Service = (typeof services)[number]

export interface Scenario {
  readonly name: string
  readonly title: string
  /** The longest time for which a client may see a service away, in seconds; docs/openstack.md has what was seen. */
  readonly boundsS: Readonly<Record<Service, number>>
  /** Whether messages that were confirmed must survive. */
  readonly keepsMessages: boolean
  /** `happened` notes a moment for the timeline. */
  run(plane: ControlPlane, happened: (what: string) => void): Promise<void>
}

const bounds = (tokens: number, rows: number, messages: number, cache: number): Scenario['boundsS'] => ({
  'issue a token': tokens,
  'validate a token': tokens,
  'write a row': rows,
  'publish a message': messages,
  'consume a message': messages,
  'set and get in the cache': cache,
})

const undisturbed: Scenario = {
  name: 'undisturbed',
  title: 'nothing happens',
  boundsS: bounds(5, 5, 5, 5),
  keepsMessages: true,
  run: async () => {
    await delay(20_000)
  },
}

/** The worst one to lose: it is the DC and holds the VIPs of the API, the database and the broker. */
const controllerLost: Scenario = {
  name: 'controller-lost',
  title: 'the controller with the DC and the VIPs loses power',
  boundsS: bounds(60, 60, 60, 10),
  keepsMessages: true,
  run: async (plane, happened) => {
    const victim = await plane.dc()
    for (const vip of ['vip-db', 'vip-rabbitmq', 'vip-keystone']) await plane.bring(vip, victim)
    happened(`${victim}, the DC with the VIPs, loses power`)
    await plane.lab.power.off(victim)
    await plane.lab.until(
      'the VIPs are back',
      async () => (await plane.active('vip-keystone', 'Started')).some((node) => node !== victim),
      120_000,
    )
    happened('the VIPs are on another controller')
  },
}

/** It is not gone, but nobody hears it: its broker and its database are on the wrong side of a partition until it is fenced. */
const partitioned: Scenario = {
  name: 'partitioned',
  title: 'a controller with a broker is cut off from the others',
  boundsS: bounds(60, 60, 60, 10),
  keepsMessages: true,
  run: async (plane, happened) => {
    const names = plane.controllers.map(({ name }) => name)
    const [holder = ''] = await plane.active('vip-rabbitmq', 'Started')
    const others = names.filter((name) => name !== holder)
    const since = Date.now()
    happened(`${holder}, with the broker's VIP, is cut off from the others`)
    await plane.lab.network.split([[holder], others])
    await plane.lab.until(
      'it has been fenced',
      async () => (await plane.lab.status(others[0] ?? '')).fencing.some(isFenced(holder, since)),
      120_000,
    )
    happened('it has been fenced')
    await plane.lab.network.heal()
    happened('the network is whole again')
  },
}

const isFenced =
  (target: string, since: number) =>
  (record: { readonly target: string; readonly outcome: string; readonly begun: string }): boolean =>
    record.target === target && record.outcome === 'succeeded' && Date.parse(record.begun) >= since

const standby: Scenario = {
  name: 'standby',
  title: 'the DC is put on standby and comes back',
  boundsS: bounds(30, 30, 30, 10),
  keepsMessages: true,
  run: async (plane, happened) => {
    const node = await plane.dc()
    happened(`${node} is put on standby`)
    await plane.lab.systole(node, 'node', 'standby', node, '--wait=600')
    happened('nothing runs on it')
    await plane.lab.systole(node, 'node', 'unstandby', node)
  },
}

/** As an upgrade does it: each controller leaves the cluster and comes back before the next one does. */
const rollingRestart: Scenario = {
  name: 'rolling-restart',
  title: 'the cluster is stopped and started on one controller after the other',
  boundsS: bounds(30, 30, 30, 10),
  keepsMessages: true,
  run: async (plane, happened) => {
    for (const { name } of plane.controllers) {
      happened(`the cluster is stopped on ${name}`)
      await plane.lab.systole(name, 'cluster', 'stop', name)
      await plane.lab.systole(name, 'cluster', 'start', name)
      await plane.untilComplete()
    }
  },
}

const allLost: Scenario = {
  name: 'all-lost',
  title: 'all controllers lose power',
  boundsS: bounds(600, 600, 600, 120),
  // The agent of the broker begins its cluster with an empty disk: see docs/openstack.md.
  keepsMessages: false,
  run: async (plane, happened) => {
    const names = plane.controllers.map(({ name }) => name)
    happened('all controllers lose power')
    await Promise.all(names.map((name) => plane.lab.power.off(name)))
    await Promise.all(names.map((name) => plane.lab.power.on(name)))
    happened('power is back everywhere')
    await plane.lab.until('there is quorum', async () => (await plane.member()) !== '', 120_000)
    happened('the cluster has quorum')
  },
}

export const scenarios: readonly Scenario[] = [
  undisturbed,
  standby,
  rollingRestart,
  controllerLost,
  partitioned,
  allLost,
]
