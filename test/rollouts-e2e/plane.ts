/** Five nodes with a Galera database, RabbitMQ brokers, the versioned shop, and HAProxy with an address before them; and the clients outside. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ServiceLab } from '../agents/service-lab.ts'
import { type Gap, longestGapMs, type ServiceAnswer } from '../openstack/gaps.ts'
import { Shop, shopPort } from './shop.ts'

const ports = { shop: 80, database: 13306, broker: 15673, check: 9200 }
const services = ['read the shop', 'write a row', 'publish a message'] as const

/** Of what the clients were told to be safe: how much, and how much of it is not there any more. */
export type Kept = Readonly<Record<'rows' | 'messages', { readonly acknowledged: number; readonly lost: number }>>

const startMs = 900_000

export class Plane {
  readonly services = new ServiceLab(
    ['/var/lib/mysql', '/var/lib/rabbitmq', '/var/log/rabbitmq', '/etc/rabbitmq'],
    ['n1', 'n2', 'n3', 'n4', 'n5'],
  )
  readonly shop = new Shop(this.services.lab)
  readonly answers: ServiceAnswer[] = []
  #kept: Kept | undefined
  #clients: ChildProcess | undefined

  get lab(): ServiceLab['lab'] {
    return this.services.lab
  }

  async start(): Promise<void> {
    const { services: here, lab, shop } = this
    await here.start()
    shop.install()
    const path = (name: string): string => join(lab.folder, name)
    writeFileSync(path('haproxy.cfg'), this.#haproxy())
    writeFileSync(path('galera.cnf'), galera)
    copyFileSync(join(import.meta.dirname, '../openstack/clustercheck.py'), path('clustercheck.py'))
    const names = lab.nodes.join(',')
    await here.line(`resource create db ocf:heartbeat:galera wsrep_cluster_address=gcomm://${names} config=${path('galera.cnf')}
      log=/var/lib/mysql/mysqld.log pid=/run/mysqld/mysqld.pid socket=/run/mysqld/mysqld.sock
      op promote timeout=300s op demote timeout=120s op monitor interval=10s timeout=60s
      op monitor interval=9s timeout=60s role=Promoted promotable promoted-max=5`)
    // Users of its own would be lost where the agent begins a new cluster, after all brokers were lost.
    for (const node of lab.nodes)
      await lab.inNode(node, 'sh', '-c', 'echo loopback_users = none >/etc/rabbitmq/rabbitmq.conf')
    const mirrored = 'ha-all ^(?!amq\\.).* {"ha-mode":"all","ha-sync-mode":"automatic"}'
    const brokerOps = 'op start timeout=300s op stop timeout=200s op monitor interval=20s timeout=90s'.split(' ')
    const broker = ['broker', 'ocf:heartbeat:rabbitmq-cluster', `set_policy=${mirrored}`, ...brokerOps]
    await here.systole('resource', 'create', ...broker, 'clone', 'notify=true', 'ordered=true', 'interleave=true')
    const check = `command=/usr/bin/python3 ${path('clustercheck.py')} 0.0.0.0 ${ports.check}`
    await here.systole('resource', 'create', 'dbcheck', 'ocf:systole:process', check, 'clone')
    await here.systole('resource', 'create', 'shop', ...shop.resource)
    await here.line(`resource create lb ocf:systole:haproxy config=${path('haproxy.cfg')} op monitor interval=5s clone`)
    await here.line(`resource create vip ocf:heartbeat:IPaddr2 ip=${lab.network.virtualAddress} cidr_netmask=24 nic=eth0
      op monitor interval=5s`)
    await here.line('constraint colocation add vip with lb-clone')
    await here.line('constraint order lb-clone then vip')
    await here.untilActive('db', 'Promoted', 5, startMs)
    await here.untilActive('broker', 'Started', 5, startMs)
    await this.untilWhole()
    const grant =
      "create user lab identified by 'lab'; grant all on *.* to lab; create database lab; create table lab.numbers (n int primary key)"
    await lab.inNode('n1', 'mariadb', '-e', grant)
    await this.begin()
  }

  async close(): Promise<void> {
    this.#clients?.kill('SIGKILL')
    await this.services.close()
  }

  /** Every instance runs on every node, and nothing is left to do. */
  async untilWhole(): Promise<void> {
    const { services: here } = this
    await here.untilOnline()
    await here.untilActive('db', 'Promoted', 5, startMs)
    for (const id of ['broker', 'shop', 'lb', 'dbcheck']) await here.untilActive(id, 'Started', 5, startMs)
    await here.untilActive('vip', 'Started', 1)
    await here.untilSettled()
  }

  /** Each client has had a good answer to a question of now or later. */
  async untilAnswered(): Promise<void> {
    const since = Date.now()
    await this.lab.until(
      'every client is answered',
      () => {
        const silent = services.filter(
          (service) => !this.answers.some((each) => each.service === service && each.ok && each.asked >= since),
        )
        if (silent.length === 0) return true
        const last = silent.map((service) => this.answers.findLast((each) => each.service === service)?.error)
        throw new Error(`no good answer to: ${silent.join(', ')} (${last.join('; ')})`)
      },
      180_000,
    )
  }

  /** A table for people. */
  gaps(window: Gap): readonly { readonly service: string; readonly longestGapMs: number }[] {
    return services.map((service) => ({
      service,
      longestGapMs: longestGapMs(
        this.answers.filter((answer) => answer.service === service),
        window,
      ),
    }))
  }

  /** Ends the clients' work; they look for everything that was acknowledged to them. */
  async kept(): Promise<Kept> {
    const clients = this.#clients
    if (!clients) throw new Error('No client has begun.')
    const ended = once(clients, 'close')
    clients.stdin?.end()
    await ended
    if (!this.#kept) throw new Error('The clients could not say what is left of what was acknowledged to them.')
    return this.#kept
  }

  /** The clients begin. */
  async begin(): Promise<void> {
    this.#kept = undefined
    const world = JSON.stringify({ address: this.lab.network.virtualAddress, ...ports })
    const program = ['/usr/bin/python3', join(import.meta.dirname, 'clients.py'), world]
    this.#clients = spawn('ip', ['netns', 'exec', this.lab.network.clientSpace, ...program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    if (this.#clients.stdout)
      createInterface({ input: this.#clients.stdout }).on('line', (line) => {
        const heard = JSON.parse(line) as ServiceAnswer | { readonly kept: Kept }
        if ('kept' in heard) this.#kept = heard.kept
        else this.answers.push(heard)
      })
    await this.untilAnswered()
  }

  /** One database takes the writes of all; the next is asked only once it is gone. */
  #haproxy(): string {
    const servers = (port: number, options: string): string =>
      this.lab.nodes
        .map((node) => `  server ${node} ${this.lab.network.address(node)}:${port} check inter 300ms fall 1 ${options}`)
        .join('\n')
    return `defaults
  mode tcp
  timeout connect 1s
  timeout client 60s
  timeout server 60s
  option redispatch
frontend shop
  mode http
  bind *:${ports.shop}
  default_backend shops
backend shops
  mode http
  retries 2
  option httpchk
${servers(shopPort, 'rise 1')}
listen database
  bind *:${ports.database}
  option httpchk
  stick-table type ip size 1
  stick on dst
${servers(3306, `port ${ports.check} rise 2 backup on-marked-down shutdown-sessions`)}
listen broker
  bind *:${ports.broker}
  balance first
${servers(5672, 'rise 2 on-marked-down shutdown-sessions')}
`
  }
}

const galera = `[mysqld]
bind-address=0.0.0.0
datadir=/var/lib/mysql
socket=/run/mysqld/mysqld.sock
binlog_format=ROW
default_storage_engine=InnoDB
innodb_autoinc_lock_mode=2
innodb_buffer_pool_size=32M
innodb_flush_log_at_trx_commit=1
wsrep_on=1
wsrep_provider=/usr/lib/galera/libgalera_smm.so
wsrep_provider_options="gcache.size=32M"
wsrep_cluster_name=lab
wsrep_cluster_address=gcomm://
wsrep_sst_method=rsync
`
