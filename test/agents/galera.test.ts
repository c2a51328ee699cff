import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NumberWriter } from './number-writer.ts'
import { ServiceLab } from './service-lab.ts'

/** `ocf:heartbeat:galera`: the agent compares how far each node's database got, and lets the furthest one begin the cluster. */
const lab = new ServiceLab(['/var/lib/mysql'])
const login = ['-h', lab.address, '-u', 'lab', '-plab', '--connect-timeout=2']

const configuration = `[mysqld]
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
wsrep_provider_options="gcache.size=16M"
wsrep_cluster_name=lab
wsrep_cluster_address=gcomm://
wsrep_sst_method=rsync
`

async function query(statement: string): Promise<string> {
  return (await lab.client('mariadb', ...login, '-N', '-B', '-e', statement)).trim()
}

async function untilClusterSize(size: number): Promise<void> {
  await lab.lab.until(
    `${size} databases are in the cluster`,
    async () => (await query("show status like 'wsrep_cluster_size'")).endsWith(`\t${size}`),
    180_000,
  )
}

beforeAll(async () => {
  await lab.start()
  const config = join(lab.lab.folder, 'galera.cnf')
  writeFileSync(config, configuration)
  await lab.line(`resource create db ocf:heartbeat:galera wsrep_cluster_address=gcomm://n1,n2,n3 config=${config}
    log=/var/lib/mysql/mysqld.log pid=/run/mysqld/mysqld.pid socket=/run/mysqld/mysqld.sock
    op promote timeout=300s op demote timeout=120s op monitor interval=5s timeout=30s
    op monitor interval=4s timeout=30s role=Promoted promotable promoted-max=3`)
  await lab.line(
    `resource create vip ocf:heartbeat:IPaddr2 ip=${lab.address} cidr_netmask=24 nic=eth0 op monitor interval=2s`,
  )
  await lab.line('constraint colocation add vip with Promoted db-clone')
  await lab.line('constraint order promote db-clone then start vip')
}, 180_000)

afterAll(() => lab.close(), 60_000)

describe('galera', () => {
  test('a cluster begins from nothing: one database bootstraps, the others join it', async () => {
    await lab.untilActive('db', 'Promoted', 3)
    const [node = ''] = lab.nodes
    const grant =
      "create user lab identified by 'lab'; grant all on *.* to lab; create database lab; create table lab.numbers (n int primary key)"
    await lab.lab.inNode(node, 'mariadb', '-e', grant)
    await lab.untilActive('vip', 'Started', 1)
    await untilClusterSize(3)
  })

  test('one node loses power: writes go on, and it is taken in again', async () => {
    const [victim = ''] = await lab.active('vip', 'Started')
    await query('insert into lab.numbers values (-1)')
    await lab.powerOff(victim)
    const gap = await lab.clientUntil(
      'a write is taken',
      () => true,
      'mariadb',
      ...login,
      '-e',
      'insert into lab.numbers values (-2)',
    )
    console.log(`galera, one node lost: gap ${gap} ms`)
    expect(await query('select n from lab.numbers order by n')).toBe('-2\n-1')
    await lab.powerOn(victim)
    await lab.untilOnline()
    await lab.untilActive('db', 'Promoted', 3)
    await untilClusterSize(3)
  })

  test('all nodes lose power while writes go on: the furthest one bootstraps, and nothing acknowledged is lost', async () => {
    const writer = new NumberWriter(lab.lab.network.clientSpace, ['mariadb', ...login], 1)
    try {
      await lab.lab.until('a hundred writes are acknowledged', () => writer.acknowledged >= 100)
      const [holder = ''] = await lab.active('vip', 'Started')
      // The one that takes the writes goes last, so that it has what the others have not seen.
      for (const node of [...lab.nodes.filter((each) => each !== holder), holder]) await lab.powerOff(node)
    } finally {
      await writer.close()
    }
    await lab.powerOn(...lab.nodes)
    const began = Date.now()
    await lab.lab.until('the cluster is quorate', async () => (await lab.member()) !== '', 60_000)
    await lab.untilActive('db', 'Promoted', 3)
    await untilClusterSize(3)
    console.log(`galera, all nodes lost: ${Date.now() - began} ms, ${writer.acknowledged} writes`)
    expect(Number(await query(`select count(*) from lab.numbers where n between 1 and ${writer.acknowledged}`))).toBe(
      writer.acknowledged,
    )
  })
})
