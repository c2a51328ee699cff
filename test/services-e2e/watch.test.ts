import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'

/** HAProxy on one node, whose pool follows the instances of a clone on three, while a client asks all the time. */
const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes)

const template = `global
  stats socket /run/haproxy.sock level admin expose-fd listeners
defaults
  mode http
  timeout connect 2s
  timeout client 10s
  timeout server 10s
  retries 3
  option redispatch
  retry-on all-retryable-errors
frontend www
  bind :8888
  default_backend pool
backend pool
{% for one in services.www.instances %}  server {{ one.node }} {{ one.address }}:{{ one.port }} check inter 500ms
{% endfor %}`

const watch = `services: [www]
debounce: 500ms
min: 1
template: /etc/systole/watches/pool.liquid
to: /run/haproxy.cfg
check: [haproxy, -q, -c, -f, '{file}']
run:
  - sh
  - -c
  - |
    echo reload >> /run/reloads
    cp /run/haproxy.cfg /run/reloaded.part && mv /run/reloaded.part /run/reloaded
    if [ -e /run/haproxy.pid ]; then kill -USR2 $(cat /run/haproxy.pid); else haproxy -W -D -f /run/haproxy.cfg -p /run/haproxy.pid > /dev/null 2>&1; fi
`

beforeAll(async () => {
  const folder = join(lab.folder, 'nodes', 'n1', 'etc', 'watches')
  await lab.start()
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'pool.liquid'), template)
  writeFileSync(join(folder, 'pool.yaml'), watch)
  await lab.formCluster(nodes)
  // Nobody is lost here: a slow machine is to fence no node.
  await lab.systole('n1', 'cluster', 'config', 'update', 'totem', 'token=15000')
  await lab.createFencing(nodes)
  const monitored = ['op', 'monitor', 'interval=2s', 'clone', 'clone-max=1', '--wait']
  await lab.systole('n1', 'resource', 'create', 'web', 'ocf:systole:http', 'address=0.0.0.0', 'port=8080', ...monitored)
  await lab.systole('n1', 'service', 'create', 'www', 'web-clone', 'port=8080')
}, 180_000)

afterAll(() => lab.close(), 60_000)

/** Of the last reload: the new file is there a moment before it. */
const pool = async (): Promise<number> =>
  (await lab.inNode('n1', 'cat', '/run/reloaded').catch(() => '')).split('\n').filter((line) => /^ +server /.test(line))
    .length
/** What the daemon keeps of what it did last: until it is written, a daemon that is killed does it again. */
const noted = async (): Promise<string> => await lab.inNode('n1', 'cat', '/var/lib/systole/watches/pool')
const reloads = async (): Promise<number> => (await lab.inNode('n1', 'cat', '/run/reloads')).split('\n').length - 1

test('the pool grows and shrinks with the instances, one reload a change, and no client sees an error', async () => {
  await lab.until('HAProxy has one server', async () => (await pool()) === 1)
  const url = `http://${lab.network.address('n1')}:8888/`
  const client = lab.client(url, 20, 10_000)
  await lab.until('it answers', () => client.lastGood !== undefined)
  const since = Date.now()
  await lab.systole('n1', 'resource', 'meta', 'web-clone', 'clone-max=3', '--wait')
  await lab.until('the pool has three', async () => (await pool()) === 3)
  const grown = await reloads()
  await lab.systole('n1', 'resource', 'ban', 'web-clone', 'n2', '--wait')
  await lab.until('the pool has two', async () => (await pool()) === 2)
  await lab.systole('n1', 'resource', 'clear', 'web-clone')
  await lab.until('the pool has three again', async () => (await pool()) === 3)
  expect(await reloads()).toBe(grown + 2)
  // A daemon that begins again repeats nothing. While it is away its own instances count as failing: here it has none.
  const before = await noted()
  await lab.systole('n1', 'resource', 'ban', 'web-clone', 'n1', '--wait')
  await lab.until('the pool has two', async () => (await pool()) === 2)
  await lab.until('it is noted', async () => (await noted()) !== before)
  await lab.inNode('n1', 'sh', '-c', 'kill -9 $(cat /run/systole/systoled.pid)')
  await lab.until('it takes part again', async () => (await lab.status('n1')).nodes.every(({ online }) => online))
  await lab.systole('n1', 'resource', 'ban', 'web-clone', 'n3', '--wait')
  await lab.until('the pool has one', async () => (await pool()) === 1)
  expect(await reloads()).toBe(grown + 4)
  expect(client.answers.filter(({ ok, asked }) => !ok && asked >= since)).toEqual([])
  expect(client.goodSince(since).length).toBeGreaterThan(100)
}, 180_000)

test('with no instance left the last pool stays, as min says, and status names it', async () => {
  await lab.systole('n1', 'resource', 'disable', 'web-clone', '--wait')
  await lab.until('it is said', async () =>
    (await lab.systole('n2', 'status')).includes('The watch pool of services has failed: www has 0 healthy instances'),
  )
  expect(await pool()).toBe(1)
  // Nobody who waits for a service is content with none.
  await expect(lab.systole('n2', 'service', 'wait', 'www', '--timeout=0')).rejects.toThrow(
    /www: 0 of 1 healthy\n.*disabled/,
  )
  await lab.systole('n1', 'resource', 'enable', 'web-clone', '--wait')
  await lab.until('nothing is said', async () => !(await lab.systole('n2', 'status')).includes('The watch pool'))
  await lab.inNode('n1', 'sh', '-c', 'kill $(cat /run/haproxy.pid)')
}, 90_000)
