/**
 * PAF (Debian's resource-agents-paf), by the steps of its own quick start: PostgreSQL 15 with a primary and two standbys, a
 * switchover, a primary whose process dies and one whose node loses power. Nothing that was acknowledged is lost.
 */
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ServiceLab } from '../agents/service-lab.ts'

const lab = new ServiceLab(['/var/lib/postgresql'])
const programs = '/usr/lib/postgresql/15/bin'
const data = '/var/lib/postgresql/data'
const login = ['-h', lab.address, '-U', 'postgres', '-At']

const settings = `listen_addresses = '*'
wal_level = replica
max_wal_senders = 10
wal_keep_size = 64MB
hot_standby = on
unix_socket_directories = '/run/postgresql'
shared_buffers = 16MB
recovery_target_timeline = 'latest'
include 'node.conf'
`

async function query(statement: string): Promise<string> {
  return (await lab.client('psql', ...login, '-c', statement)).trim()
}

/** A primary that has taken a write may be started again before it answers: what it has acknowledged is there then. */
async function untilCounted(orders: string): Promise<void> {
  await lab.clientUntil(
    `the primary has ${orders} orders`,
    (answer) => answer.trim() === orders,
    'psql',
    ...login,
    '-c',
    'select count(*) from orders',
  )
}

async function on(node: string, text: string): Promise<string> {
  return await lab.lab.inNode(node, 'bash', '-c', text)
}

const asPostgres = async (node: string, text: string): Promise<string> =>
  await lab.lab.inNode(node, 'runuser', '-u', 'postgres', '--', 'bash', '-c', text)

/** A standby as PAF wants it: a copy of the primary, its own application name, and the file that says what it is. */
async function makeStandby(node: string): Promise<void> {
  await on(node, `rm -rf ${data}`)
  await asPostgres(node, `${programs}/pg_basebackup -h ${lab.address} -U postgres -D ${data} -X stream`)
  await asPostgres(node, `${ownSettings(node)}; touch ${data}/standby.signal`)
}

const ownSettings = (node: string): string =>
  `echo "primary_conninfo = 'host=${lab.address} user=postgres application_name=${node}'" > ${data}/node.conf`

const pcs = async (line: string): Promise<string> => await on(await lab.member(), `pcs ${line}`)

async function untilReplicating(count: number): Promise<void> {
  await lab.lab.until(
    `${count} standbys stream`,
    async () => (await query("select count(*) from pg_stat_replication where state = 'streaming'")) === String(count),
    120_000,
  )
}

async function primary(): Promise<string> {
  return (await lab.active('pgsqld', 'Promoted'))[0] ?? ''
}

beforeAll(async () => {
  await lab.start()
  const [first = '', ...others] = lab.nodes
  for (const node of lab.nodes) await on(node, 'install -d -o postgres -g postgres /run/postgresql')
  await asPostgres(first, `${programs}/initdb -D ${data} --auth=trust -N`)
  const onDisk = join(lab.lab.folder, 'nodes', first, 'disks', data)
  writeFileSync(join(onDisk, 'postgresql.conf'), settings)
  appendFileSync(
    join(onDisk, 'pg_hba.conf'),
    'host all all 10.83.0.0/24 trust\nhost replication all 10.83.0.0/24 trust\n',
  )
  await asPostgres(first, ownSettings(first))
  // The standbys are copied from the primary, which holds the address meanwhile.
  await on(first, `ip addr add ${lab.address}/24 dev eth0`)
  await asPostgres(first, `${programs}/pg_ctl -D ${data} -w -l /var/lib/postgresql/first.log start >/dev/null 2>&1`)
  for (const node of others) await makeStandby(node)
  await asPostgres(first, `${programs}/pg_ctl -D ${data} -w -m fast stop`)
  await on(first, `ip addr del ${lab.address}/24 dev eth0`)
}, 300_000)
afterAll(() => lab.close(), 60_000)

const configured = [
  `resource create pgsqld ocf:heartbeat:pgsqlms bindir=${programs} pgdata=${data} pghost=/run/postgresql op start timeout=60s op stop timeout=60s op promote timeout=30s op demote timeout=120s op monitor interval=15s timeout=10s role="Master" op monitor interval=16s timeout=10s role="Slave" op notify timeout=60s promotable notify=true --disabled`,
  `resource create pgsql-ip ocf:heartbeat:IPaddr2 ip=${lab.address} cidr_netmask=24 nic=eth0 op monitor interval=10s`,
  'constraint colocation add pgsql-ip with master pgsqld-clone INFINITY',
  'constraint order promote pgsqld-clone then start pgsql-ip symmetrical=false kind=Mandatory',
  'constraint order demote pgsqld-clone then stop pgsql-ip symmetrical=false kind=Mandatory',
  'resource enable pgsqld-clone',
]

test('the lines of its quick start make a primary that two standbys follow', async () => {
  for (const line of configured) await pcs(line)
  // The first start takes the instance that is no standby.
  await lab.untilActive('pgsqld', 'Promoted', 1)
  await lab.untilActive('pgsqld', 'Unpromoted', 2)
  expect(await primary()).toBe('n1')
  await untilReplicating(2)
  await query('create table orders (n int primary key)')
  const scores = await on('n1', `${lab.lab.folder}/systole/shims/crm_mon -1 -A`)
  expect(scores).toMatch(/master-pgsqld\s+: 1001/)
}, 240_000)

test('a switchover promotes the standby that was named; it has what was acknowledged', async () => {
  await query('insert into orders select generate_series(1, 100)')
  await pcs('resource move pgsqld-clone n2 --promoted --wait=120')
  expect(await primary()).toBe('n2')
  await untilCounted('100')
  await untilReplicating(2)
  await pcs('resource clear pgsqld-clone')
}, 240_000)

test('a primary whose process dies is a primary again, there or elsewhere', async () => {
  await lab.untilSettled()
  await query('insert into orders values (101)')
  await on(await primary(), `kill -9 $(head -1 ${data}/postmaster.pid)`)
  await lab.clientUntil(
    'a write is taken',
    (answer) => answer.startsWith('INSERT'),
    'psql',
    ...login,
    '-c',
    'insert into orders values (102) on conflict do nothing',
  )
  await untilCounted('102')
  await lab.untilActive('pgsqld', 'Promoted', 1)
}, 240_000)

test('the primary’s node loses power: a standby is promoted and has what was acknowledged', async () => {
  await lab.untilSettled()
  await lab.untilActive('pgsqld', 'Unpromoted', 2)
  await untilReplicating(2)
  await query('insert into orders select generate_series(200, 300)')
  const victim = await primary()
  await lab.powerOff(victim)
  await lab.clientUntil(
    'a write is taken',
    (answer) => answer.startsWith('INSERT'),
    'psql',
    ...login,
    '-c',
    'insert into orders values (999) on conflict do nothing',
  )
  await untilCounted('204')
  expect(await primary()).not.toBe(victim)
}, 240_000)
