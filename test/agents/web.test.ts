import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../nodes/lab/client.ts'
import { ServiceLab } from './service-lab.ts'

/** Web servers on every node behind HAProxy on every node behind one address; a process with a health URL. */
const lab = new ServiceLab([])
const { folder } = lab.lab
const site = `http://${lab.address}/`

const nginx = `daemon on;
pid /run/nginx-lab.pid;
error_log /run/nginx-lab.log;
events { worker_connections 256; }
http {
  access_log off;
  server {
    listen 8080;
    location / { return 200 "$hostname\\n"; }
  }
}
`

/** An answer that the client waits for is given by whoever is healthy: a server that does not answer is asked no more. */
const haproxy = (revision: string) => `defaults
  mode http
  timeout connect 500ms
  timeout client 5s
  timeout server 5s
  retries 2
  option redispatch
frontend site
  bind *:80
  http-response set-header X-Revision ${revision}
  default_backend servers
backend servers
  default-server check inter 200ms fall 1 rise 2
${lab.nodes.map((node) => `  server ${node} ${lab.lab.network.address(node)}:8080`).join('\n')}
`

/** Failures by what went wrong. */
function failures({ answers }: Client, since: number): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { asked, ok, error } of answers)
    if (asked >= since && !ok) counts[error ?? 'status'] = (counts[error ?? 'status'] ?? 0) + 1
  return counts
}

beforeAll(async () => {
  await lab.start()
  writeFileSync(join(folder, 'nginx.conf'), nginx)
  writeFileSync(join(folder, 'haproxy.cfg'), haproxy('one'))
  await lab.line(`resource create web ocf:heartbeat:nginx configfile=${folder}/nginx.conf httpd=/usr/sbin/nginx
    status10url=http://127.0.0.1:8080/ op monitor interval=2s clone`)
  await lab.line(`resource create lb ocf:systole:haproxy config=${folder}/haproxy.cfg op monitor interval=2s clone`)
  await lab.line(
    `resource create vip ocf:heartbeat:IPaddr2 ip=${lab.address} cidr_netmask=24 nic=eth0 op monitor interval=2s`,
  )
  await lab.line('constraint colocation add vip with lb-clone')
  await lab.line('constraint order lb-clone then vip')
}, 300_000)

afterAll(() => lab.close(), 60_000)

describe('HAProxy behind an address, in front of nginx', () => {
  let client: Client
  const revision = async () => (await lab.client('curl', '-sfD', '-', '-o', '/dev/null', site)).toLowerCase()

  test('every node serves, and the address is where HAProxy is', async () => {
    await lab.untilActive('web', 'Started', 3)
    await lab.untilActive('lb', 'Started', 3)
    await lab.untilActive('vip', 'Started', 1)
    // Patient, so that a slow machine is not taken for a lost request.
    client = lab.lab.client(site, 10, 5000)
    await lab.lab.until('all three web servers answer', () => {
      const seen = new Set(client.answers.filter(({ ok }) => ok).map(({ body }) => body))
      return lab.nodes.every((node) => seen.has(node))
    })
  })

  test('a new revision is loaded on all nodes under load, and no request fails', async () => {
    await lab.untilSettled()
    const since = Date.now()
    writeFileSync(join(folder, 'haproxy.cfg'), haproxy('two'))
    await lab.line('resource update lb revision=2')
    await lab.lab.until('the new configuration is in force', async () => (await revision()).includes('x-revision: two'))
    await lab.untilSettled()
    const seen = client.goodSince(since).length
    await lab.lab.until('the load goes on', () => client.goodSince(since).length > seen + 100)
    console.log(
      `haproxy, reload: ${client.goodSince(since).length} answers, failures ${JSON.stringify(failures(client, since))}`,
    )
    expect(failures(client, since)).toEqual({})
  })

  test('a configuration that HAProxy refuses disturbs nobody, and status says what is wrong', async () => {
    const since = Date.now()
    writeFileSync(join(folder, 'haproxy.cfg'), haproxy('three').replace('bind', 'bond'))
    await lab.line('resource update lb revision=3')
    await lab.lab.until('the instances are known to be degraded', async () =>
      (await lab.systole('status', '--full')).includes('bond'),
    )
    expect(failures(client, since)).toEqual({})
    writeFileSync(join(folder, 'haproxy.cfg'), haproxy('four'))
    await lab.line('resource update lb revision=4')
    await lab.lab.until('the mended one is in force', async () => (await revision()).includes('x-revision: four'))
    expect(await lab.active('lb', 'Started')).toHaveLength(3)
    expect(failures(client, since)).toEqual({})
  })

  test('HAProxy hangs on the node with the address: it is found and started again', async () => {
    await lab.untilSettled()
    const [node = ''] = await lab.active('vip', 'Started')
    const since = Date.now()
    await lab.lab.inNode(node, 'sh', '-c', 'kill -STOP $(pgrep -x haproxy)')
    await lab.lab.until('the failure is known', async () =>
      (await lab.systole('resource', 'failcount', 'lb')).includes(node),
    )
    await lab.lab.until('the site answers again', () => client.goodSince(Date.now() - 300).length > 20, 60_000)
    console.log(`haproxy, hanging: gap ${client.longestGapMs(since)} ms`)
    await lab.line('resource cleanup lb')
  })

  test('the node with the address loses power', async () => {
    await lab.untilActive('lb', 'Started', 3)
    await lab.untilSettled()
    const [victim = ''] = await lab.active('vip', 'Started')
    const since = Date.now()
    await lab.powerOff(victim)
    await lab.lab.until('the site answers again', () => client.goodSince(Date.now() - 300).length > 20, 60_000)
    console.log(`haproxy, power: gap ${client.longestGapMs(since)} ms`)
    await lab.powerOn(victim)
    await lab.untilOnline()
    await lab.untilActive('web', 'Started', 3)
    await lab.untilActive('lb', 'Started', 3)
  })

  test('nginx dies on one node: HAProxy asks the others until it is back', async () => {
    await lab.untilSettled()
    const [node = ''] = await lab.active('web', 'Started')
    const since = Date.now()
    await lab.lab.inNode(node, 'sh', '-c', 'kill -9 $(pgrep -x nginx)')
    await lab.lab.until('the failure is known', async () =>
      (await lab.systole('resource', 'failcount', 'web')).includes(node),
    )
    await lab.lab.until(
      'it answers again',
      () => client.goodSince(Date.now() - 500).some(({ body }) => body === node),
      60_000,
    )
    console.log(`nginx killed: failures ${JSON.stringify(failures(client, since))}`)
    await lab.untilActive('web', 'Started', 3)
  })
})

describe('a process with a health URL', () => {
  test('that hangs is found and started again', async () => {
    await lab.systole(
      'resource',
      'create',
      'site',
      'ocf:systole:process',
      'command=python3 -m http.server 9000',
      'user=nobody',
      'directory=/usr/share',
      'url=http://127.0.0.1:9000/',
      'url_timeout=1',
      'log=/run/site.log',
      ...'op monitor interval=2s timeout=10s op stop timeout=20s'.split(' '),
    )
    await lab.untilActive('site', 'Started', 1)
    const [node = ''] = await lab.active('site', 'Started')
    const began = Date.now()
    await lab.lab.inNode(node, 'sh', '-c', 'kill -STOP $(pgrep -f "^python3 -m http.server")')
    await lab.lab.until('the failure is known', async () =>
      (await lab.systole('resource', 'failcount', 'site')).includes(node),
    )
    const found = Date.now() - began
    await lab.lab.until(
      'it answers again',
      async () =>
        (await lab.lab.inNode(
          node,
          'curl',
          '-s',
          '-o',
          '/dev/null',
          '-w',
          '%{http_code}',
          '-m',
          '1',
          'http://127.0.0.1:9000/',
        )) === '200',
      60_000,
    )
    console.log(`process, hanging: found after ${found} ms, back after ${Date.now() - began} ms`)
    expect(await lab.active('site', 'Started')).toEqual([node])
  })
})
