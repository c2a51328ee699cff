/**
 * The control plane of the deployment on three lab nodes, each with a systemd of its own: its services' files, its `pcs` lines
 * word for word, and what is done once on one controller (keystone's tables, keys and first user).
 */
import { chmodSync, chownSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { commandLines } from '../cli/deployment/shared-commands.ts'
import { Lab } from '../nodes/lab/lab.ts'
import { run } from '../nodes/lab/network.ts'
import { type Controller, configurationFiles, passwords, vips } from './configuration.ts'

/** The deployment's own names; its lines speak of them. */
const names = ['rdo7-node1', 'rdo7-node2', 'rdo7-node3']
const disks = ['/var/lib/mysql', '/var/lib/rabbitmq', '/var/lib/keystone', '/var/lib/haproxy', '/var/log']

/** Of the basic cluster only this line is typed: the lab's own commands form the cluster, and its fence devices are IPMI's. */
const basicLines = /^resource defaults /
/** In the order of the deployment; keystone comes once its tables are there. */
const serviceScripts = ['lb.txt', 'galera.txt', 'rabbitmq.txt', 'memcached.txt']

/** The lines that make haproxy stop before the VIPs leave, as their orders hold in both directions. */
const vipBeforeProxy = /^constraint order start (vip-\S+) then haproxy-clone /

/** Instances of each resource once everything runs. */
export const complete: Readonly<Record<string, { readonly role: string; readonly count: number }>> = {
  haproxy: { role: 'Started', count: 3 },
  galera: { role: 'Promoted', count: 3 },
  rabbitmq: { role: 'Started', count: 3 },
  memcached: { role: 'Started', count: 3 },
  'openstack-keystone': { role: 'Started', count: 3 },
}

export class ControlPlane {
  readonly lab = new Lab(names, { systemd: true, disks })
  readonly controllers: readonly Controller[] = names.map((name, index) => ({
    name,
    address: this.lab.network.address(name),
    publicAddress: `192.168.124.1${index + 1}`,
  }))

  /** `drain`: the lines are changed so that a VIP leaves a controller before its haproxy stops. */
  async start(tell: (step: string) => void, { drain = false }: { readonly drain?: boolean } = {}): Promise<void> {
    const { lab } = this
    tell('three controllers boot and form a cluster')
    chmodSync(lab.folder, 0o755)
    copyFileSync(join(import.meta.dirname, 'boot.sh'), join(lab.folder, 'boot.sh'))
    await lab.start()
    await this.#joinClient()
    for (const { name } of this.controllers)
      await lab.until(`${name} has booted`, async () => (await lab.try(name, 'cluster', 'status')) !== undefined)
    for (const controller of this.controllers) await this.#configure(controller)
    await lab.formCluster()
    await lab.createFencing()
    tell('the lines of the load balancers, databases, brokers and caches are typed')
    for (const words of commandLines('basic-cluster.txt')) if (basicLines.test(words.join(' '))) await this.#type(words)
    for (const script of serviceScripts)
      for (const words of commandLines(script))
        for (const line of drain ? draining(words) : [words]) await this.#type(line)
    // Three controllers on two cores: a broker needs longer here than on a machine of its own.
    const patience = [
      'op',
      'start',
      'timeout=400s',
      'op',
      'stop',
      'timeout=200s',
      'op',
      'monitor',
      'interval=10s',
      'timeout=120s',
    ]
    await this.#type(['resource', 'update', 'rabbitmq', ...patience])
    await this.untilActive(Object.keys(complete).filter((name) => name !== 'openstack-keystone'))
    tell("keystone's tables, keys and first user are made on one controller")
    await this.#prepareIdentity()
    for (const words of commandLines('keystone.txt')) await this.#type(words)
    await this.untilComplete()
  }

  async close(): Promise<void> {
    await this.lab.close()
  }

  /** A controller that is part of a cluster with quorum. */
  async member(): Promise<string> {
    for (const { name } of this.controllers) {
      if (!this.lab.power.isOn(name)) continue
      const text = await this.lab.try(name, 'status', '--json')
      if (text !== undefined && (JSON.parse(text) as { quorum: { quorate: boolean } }).quorum.quorate) return name
    }
    throw new Error(`No controller has quorum. ${this.lab.lastFailure}`)
  }

  /** The nodes on which a resource, or an instance of it, has a role. */
  async active(resource: string, role: string): Promise<readonly string[]> {
    const { resources } = await this.lab.status(await this.member())
    return resources
      .filter((each) => each.id.split(':')[0] === resource && each.role === role && !each.failed)
      .flatMap(({ nodes }) => nodes)
  }

  async untilActive(resources: readonly string[], timeoutMs = 600_000): Promise<void> {
    await this.lab.until(
      `${resources.join(', ')} run where they should`,
      async () => {
        for (const name of resources) {
          const wanted = complete[name]
          if (wanted && (await this.active(name, wanted.role)).length !== wanted.count) return false
        }
        return true
      },
      timeoutMs,
    )
  }

  /** All nodes are there, everything runs, and nothing is left to do. */
  async untilComplete(timeoutMs = 900_000): Promise<void> {
    await this.lab.until(
      'all controllers are online and clean',
      async () => (await this.lab.status(await this.member())).nodes.every(({ online, unclean }) => online && !unclean),
      timeoutMs,
    )
    await this.untilActive(Object.keys(complete), timeoutMs)
    await this.lab.until(
      'the cluster has settled',
      async () => (await this.lab.systole(await this.member(), 'status')).includes('The cluster is settled.'),
      timeoutMs,
    )
  }

  async dc(): Promise<string> {
    const { nodes } = await this.lab.status(await this.member())
    return nodes.find(({ dc }) => dc)?.name ?? ''
  }

  /** Brings a VIP to a controller, where it stays because the resources' stickiness is INFINITY. */
  async bring(vip: string, controller: string): Promise<void> {
    if ((await this.active(vip, 'Started')).includes(controller)) return
    await this.lab.systole(controller, 'resource', 'move', vip, controller, '--wait')
    await this.lab.systole(controller, 'resource', 'clear', vip, '--wait')
  }

  /** A statement on one controller's own database, whatever the cluster thinks of it. */
  async query(controller: string, statement: string): Promise<string> {
    return await this.lab.inNode(controller, 'mariadb', '-N', '-B', '-e', statement)
  }

  async #type(words: readonly string[]): Promise<void> {
    await this.lab.inNode(names[0] ?? '', 'pcs', ...words)
  }

  /** The client is in the network of the VIPs too, and keeps its connections alive as the controllers do. */
  async #joinClient(): Promise<void> {
    const { clientSpace } = this.lab.network
    await run('ip', '-n', clientSpace, 'addr', 'add', '192.168.124.253/24', 'dev', 'eth0')
    const parameters = ['tcp_keepalive_intvl=1', 'tcp_keepalive_probes=5', 'tcp_keepalive_time=5']
    const set = parameters.map((each) => `net.ipv4.${each}`)
    await run('ip', 'netns', 'exec', clientSpace, 'sysctl', '-q', ...set)
  }

  /** Debian calls the unit `keystone`; the deployment's lines say `openstack-keystone`. */
  async #configure(controller: Controller): Promise<void> {
    const disk = join(this.lab.folder, 'nodes', controller.name, 'disks')
    for (const { path, text, owner, mode } of configurationFiles(controller, this.controllers)) {
      const file = join(disk, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text, { mode: mode ?? 0o644 })
      if (owner !== undefined) {
        const ids = (await run('getent', 'passwd', owner)).split(':')
        chownSync(file, Number(ids[2]), Number(ids[3]))
      }
    }
    // The agent's default log; Debian's server writes to the journal.
    await this.lab.inNode(controller.name, 'install', '-d', '-o', 'mysql', '-g', 'adm', '/var/log/mysql')
    const units = join(disk, 'etc/systemd/system')
    symlinkSync('/lib/systemd/system/keystone.service', join(units, 'openstack-keystone.service'))
    mkdirSync(join(units, 'lab-node.target.wants'), { recursive: true })
    symlinkSync('../clustercheck.service', join(units, 'lab-node.target.wants/clustercheck.service'))
    const start = 'systemctl daemon-reload && systemctl start clustercheck'
    await this.lab.inNode(controller.name, 'sh', '-c', start)
  }

  async #prepareIdentity(): Promise<void> {
    const [first, ...others] = this.controllers
    if (!first) return
    await this.query(
      first.name,
      `create database keystone; grant all on keystone.* to keystone@'%' identified by '${passwords.keystone}';
       create database \`rows\`; create table \`rows\`.numbers (n int primary key);
       grant all on \`rows\`.* to \`rows\`@'%' identified by '${passwords.rows}'`,
    )
    const manage = (line: string) =>
      this.lab.inNode(first.name, 'su', 'keystone', '-s', '/bin/sh', '-c', `keystone-manage ${line}`)
    await manage('db_sync')
    const user = '--keystone-user keystone --keystone-group keystone'
    await manage(`fernet_setup ${user}`)
    await manage(`credential_setup ${user}`)
    const url = `http://${vips.keystone}:5000/v3/`
    await manage(
      `bootstrap --bootstrap-password ${passwords.admin} --bootstrap-admin-url ${url} --bootstrap-internal-url ${url}
       --bootstrap-public-url ${url} --bootstrap-region-id RegionOne`.replaceAll('\n', ' '),
    )
    // A token that one controller has issued is good on the others because they have the same keys.
    const etc = (name: string) => join(this.lab.folder, 'nodes', name, 'disks/etc/keystone')
    for (const { name } of others)
      for (const keys of ['fernet-keys', 'credential-keys'])
        await run('cp', '-a', join(etc(first.name), keys), join(etc(name), keys))
  }
}

function draining(words: readonly string[]): readonly (readonly string[])[] {
  const vip = vipBeforeProxy.exec(words.join(' '))?.[1]
  if (vip === undefined) return [words]
  const leaves = ['constraint', 'order', 'stop', vip, 'then', 'stop', 'haproxy-clone', 'kind=Optional']
  return [
    [...words, 'symmetrical=false'],
    [...leaves, 'symmetrical=false'],
  ]
}
