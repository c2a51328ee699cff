import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ServiceLab } from './service-lab.ts'

/** `ocf:heartbeat:pgsql` with synchronous streaming replication: the standby that has everything is promoted. */
const lab = new ServiceLab(['/var/lib/postgresql'])
const programs = '/usr/lib/postgresql/15/bin'
const data = '/var/lib/postgresql/data'
const login = ['-h', lab.address, '-U', 'postgres', '-At']

const settings = `listen_addresses = '*'
wal_level = replica
max_wal_senders = 10
wal_keep_size = 64MB
hot_standby = on
restart_after_crash = off
unix_socket_directories = '/run/postgresql'
shared_buffers = 16MB
wal_receiver_status_interval = 1
`

async function query(statement: string): Promise<string> {
  return (await lab.client('psql', ...login, '-c', statement)).trim()
}

async function asPostgres(node: string, ...command: readonly string[]): Promise<string> {
  return await lab.lab.inNode(node, 'runuser', '-u', 'postgres', '--', ...command)
}

/** What an administrator does for a standby that is new, or whose data may be ahead of the new primary's. */
async function copyFromPrimary(node: string): Promise<void> {
  await lab.lab.inNode(node, 'rm', '-rf', data, '/var/lib/pgsql/tmp/PGSQL.lock')
  await asPostgres(node, `${programs}/pg_basebackup`, '-h', lab.address, '-U', 'postgres', '-D', data, '-X', 'stream')
}

async function untilSynchronous(): Promise<void> {
  await lab.lab.until(
    'a standby is synchronous',
    async () => (await query('select sync_state from pg_stat_replication')).split('\n').includes('sync'),
    120_000,
  )
}

beforeAll(async () => {
  await lab.start()
  const [first = '', ...others] = lab.nodes
  await asPostgres(first, `${programs}/initdb`, '-D', data, '--auth=trust', '-N')
  const onDisk = join(lab.lab.folder, 'nodes', first, 'disks', data)
  writeFileSync(join(onDisk, 'postgresql.conf'), settings)
  appendFileSync(
    join(onDisk, 'pg_hba.conf'),
    'host all all 10.83.0.0/24 trust\nhost replication all 10.83.0.0/24 trust\n',
  )
  const parameters = {
    pgctl: `${programs}/pg_ctl`,
    psql: `${programs}/psql`,
    pgdata: data,
    config: `${data}/postgresql.conf`,
    socketdir: '/run/postgresql',
    logfile: '/var/lib/postgresql/pgsql.log',
    rep_mode: 'sync',
    node_list: lab.nodes.join(' '),
    master_ip: lab.address,
    repuser: 'postgres',
    primary_conninfo_opt: 'keepalives_idle=60 keepalives_interval=5 keepalives_count=5',
  }
  const words = Object.entries(parameters).map(([name, value]) => `${name}=${value}`)
  const operations =
    'op monitor interval=4s timeout=60s op monitor interval=3s timeout=60s role=Promoted promotable notify=true'
  await lab.systole('resource', 'create', 'pg', 'ocf:heartbeat:pgsql', ...words, ...operations.split(' '), '--disabled')
  await lab.line(`resource create vip ocf:heartbeat:IPaddr2 ip=${lab.address} cidr_netmask=24 nic=eth0`)
  await lab.line('constraint colocation add vip with Promoted pg-clone')
  await lab.line('constraint order promote pg-clone then start vip symmetrical=false')
  for (const node of others) await lab.line(`constraint location pg-clone avoids ${node}`)
  await lab.line('resource enable pg-clone')
}, 180_000)

afterAll(() => lab.close(), 60_000)

describe('pgsql', () => {
  test('a primary begins, and standbys that were copied from it follow', async () => {
    const [first = '', ...others] = lab.nodes
    await lab.untilActive('pg', 'Promoted', 1)
    expect(await lab.active('pg', 'Promoted')).toEqual([first])
    await lab.clientUntil('the primary answers', (answer) => answer.trim() === '1', 'psql', ...login, '-c', 'select 1')
    await query('create table orders (n int primary key)')
    for (const node of others) {
      await copyFromPrimary(node)
      await lab.line(`constraint delete location-pg-clone-${node}--INFINITY`)
    }
    await lab.untilActive('pg', 'Unpromoted', 2)
    await untilSynchronous()
  })

  test('the primary loses power: the synchronous standby is promoted and has what was acknowledged', async () => {
    await lab.untilSettled()
    await query('insert into orders select generate_series(1, 100)')
    const [victim = ''] = await lab.active('pg', 'Promoted')
    await lab.powerOff(victim)
    const write = ['psql', ...login, '-c', 'insert into orders values (101) on conflict do nothing']
    const gap = await lab.clientUntil('a write is taken', (answer) => answer.startsWith('INSERT'), ...write)
    console.log(`pgsql, the primary lost: gap ${gap} ms`)
    expect(await query('select count(*) from orders')).toBe('101')
    expect(await lab.active('pg', 'Promoted')).not.toContain(victim)

    await lab.powerOn(victim)
    await lab.untilOnline()
    await copyFromPrimary(victim)
    await lab.line('resource cleanup pg')
    await lab.untilActive('pg', 'Unpromoted', 2)
    await untilSynchronous()
  })
})
