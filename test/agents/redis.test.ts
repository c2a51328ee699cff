import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ServiceLab } from './service-lab.ts'

/** `ocf:heartbeat:redis` as a promotable clone with notifications, and an address that follows the promoted instance. */
const lab = new ServiceLab(['/var/lib/redis', '/var/log/redis'])

const configuration = `bind 0.0.0.0
port 6379
protected-mode no
dir /var/lib/redis
daemonize yes
appendonly yes
appendfsync always
logfile /var/log/redis/redis.log
`

async function redis(...words: readonly string[]): Promise<string> {
  return (await lab.client('redis-cli', '-h', lab.address, ...words)).trim()
}

beforeAll(async () => {
  await lab.start()
  const config = join(lab.lab.folder, 'redis.conf')
  writeFileSync(config, configuration)
  await lab.line(`resource create cache ocf:heartbeat:redis config=${config} user=redis rundir=/run/redis
    op monitor interval=2s op monitor interval=1s role=Promoted promotable notify=true`)
  await lab.line(`resource create vip ocf:heartbeat:IPaddr2 ip=${lab.address} cidr_netmask=24 nic=eth0`)
  await lab.line('constraint colocation add vip with Promoted cache-clone')
  await lab.line('constraint order promote cache-clone then start vip')
}, 120_000)

afterAll(() => lab.close(), 60_000)

describe('redis', () => {
  test('one instance is promoted, the others follow it, and the address is where it is', async () => {
    await lab.untilActive('cache', 'Promoted', 1)
    await lab.untilActive('cache', 'Unpromoted', 2)
    await lab.untilActive('vip', 'Started', 1)
    expect(await lab.active('vip', 'Started')).toEqual(await lab.active('cache', 'Promoted'))
    await lab.clientUntil(
      'a write is taken',
      (answer) => answer.trim() === 'OK',
      'redis-cli',
      '-h',
      lab.address,
      'set',
      'a',
      '1',
    )
    await lab.lab.until('both replicas are connected', async () =>
      (await redis('info', 'replication')).includes('connected_slaves:2'),
    )
  }, 180_000)

  test('the promoted node loses power: another is promoted, with what was written', async () => {
    expect(await redis('set', 'before', 'kept')).toBe('OK')
    expect(await redis('wait', '2', '5000')).toBe('2')
    const [victim = ''] = await lab.active('cache', 'Promoted')
    await lab.powerOff(victim)
    const gap = await lab.clientUntil(
      'writes are taken again',
      (answer) => answer.trim() === 'OK',
      'redis-cli',
      '-h',
      lab.address,
      'set',
      'after',
      'taken',
    )
    console.log(`redis: gap ${gap} ms`)
    expect(await redis('get', 'before')).toBe('kept')
    expect(await lab.active('cache', 'Promoted')).not.toContain(victim)
    await lab.powerOn(victim)
    await lab.untilOnline()
    await lab.untilActive('cache', 'Unpromoted', 2)
    await lab.lab.until('the one that was lost follows again', async () =>
      (await redis('info', 'replication')).includes('connected_slaves:2'),
    )
  }, 240_000)

  test('the process of the promoted instance is killed: it recovers with its data', async () => {
    await lab.untilSettled()
    const [node = ''] = await lab.active('cache', 'Promoted')
    await lab.lab.inNode(node, 'sh', '-c', 'kill -9 $(pgrep -f "^/usr/bin/redis-server|^redis-server")')
    await lab.clientUntil(
      'the data is there again',
      (answer) => answer.trim() === 'kept',
      'redis-cli',
      '-h',
      lab.address,
      'get',
      'before',
    )
    await lab.untilActive('cache', 'Promoted', 1)
    await lab.untilActive('cache', 'Unpromoted', 2)
  }, 240_000)
})
