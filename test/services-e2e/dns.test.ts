import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { run } from '../nodes/lab/network.ts'

/** Names of services on three nodes, asked for by programs of others: dig, the resolvers of glibc and of musl, a client of Consul. */
const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes)
const addresses = nodes.map((node) => lab.network.address(node))
const musl = join(lab.folder, 'resolve-musl')

beforeAll(async () => {
  await run('musl-gcc', '-static', '-o', musl, join(import.meta.dirname, 'resolve.c'))
  writeFileSync(join(lab.folder, 'resolv.conf'), 'nameserver 127.0.0.1\nsearch service.systole\noptions timeout:2\n')
  await lab.start()
  await lab.formCluster(nodes)
  // Nobody is lost before the last test: a slow machine is to fence no node.
  await lab.systole('n1', 'cluster', 'config', 'update', 'totem', 'token=15000')
  await lab.createFencing(nodes)
  const monitored = ['op', 'monitor', 'interval=2s', 'clone', '--wait']
  await lab.systole('n1', 'resource', 'create', 'web', 'ocf:systole:http', 'address=0.0.0.0', 'port=8080', ...monitored)
  await lab.systole('n1', 'service', 'create', 'www', 'web-clone', 'port=8080', 'tags=public', 'weight=5')
  await lab.systole('n1', 'service', 'wait', 'www', '--min=3', '--timeout=60s')
}, 180_000)

afterAll(() => lab.close(), 60_000)

/** From a host that is not of the cluster. */
const dig = async (node: string, ...words: readonly string[]): Promise<string> =>
  await run(
    'ip',
    'netns',
    'exec',
    lab.network.clientSpace,
    'dig',
    `@${lab.network.address(node)}`,
    '+time=1',
    '+tries=1',
    ...words,
  )

const short = async (node: string, ...words: readonly string[]): Promise<readonly string[]> =>
  (await dig(node, '+short', ...words))
    .split('\n')
    .filter((line) => line !== '')
    .toSorted()

/** With the node's own DNS as its only resolver. */
const resolve = async (node: string, ...command: readonly string[]): Promise<readonly string[]> => {
  const script = `mount --bind ${lab.folder}/resolv.conf /etc/resolv.conf && exec "$@"`
  const output = await lab.inNode(node, 'unshare', '--mount', 'sh', '-c', script, 'sh', ...command)
  return [...new Set(output.split('\n').filter((line) => line !== ''))].toSorted()
}

test('no node listens before it is enabled; then every node does, and the command says what it opens', async () => {
  await expect(dig('n1', 'www.service.systole')).rejects.toThrow(/refused|timed out|no servers/i)
  expect(await lab.systole('n1', 'service', 'dns')).toBe('DNS is off.\n')
  const said = await lab.systole('n2', 'service', 'dns', 'enable')
  expect(said).toContain(
    'Every node answers questions about systole at 127.0.0.1 and its addresses in the cluster, port 53, by UDP and TCP, for anyone who can reach it.',
  )
  // Whoever has enabled it asks next.
  expect(await short('n2', 'n2.node.systole')).toEqual([lab.network.address('n2')])
  for (const node of nodes)
    await lab.until(`${node} answers`, async () => (await short(node, 'www.service.systole')).length === 3)
})

test('dig finds the instances by UDP and TCP, with ports and weights, and the nodes', async () => {
  for (const words of [[], ['+tcp'], ['+noedns'], ['+bufsize=512']])
    expect(await short('n1', 'www.service.systole', ...words), words.join()).toEqual(addresses)
  expect(await short('n2', 'public.www.service.systole')).toEqual(addresses)
  expect(await short('n3', '_www._tcp.service.systole', 'SRV')).toEqual(
    nodes.map((node) => `1 5 8080 ${node}.node.systole.`),
  )
  expect(await short('n1', 'n2.node.systole')).toEqual([lab.network.address('n2')])
  expect(await short('n1', 'n2.node.lab.systole')).toEqual([lab.network.address('n2')])
  const denied = await dig('n1', 'nosuch.service.systole')
  expect(denied).toMatch(/status: NXDOMAIN[\s\S]*AUTHORITY SECTION:\nsystole\.\s+5\s+IN\s+SOA\s+n1\.node\.systole\./)
  const empty = await dig('n1', 'www.service.systole', 'AAAA')
  expect(empty).toMatch(/status: NOERROR[\s\S]*ANSWER: 0, AUTHORITY: 1/)
  expect(await dig('n1', 'example.com')).toContain('status: REFUSED')
})

test('the resolvers of glibc and of musl find them', async () => {
  for (const name of ['www.service.systole', 'www']) {
    const found = await resolve('n1', 'getent', 'ahostsv4', name)
    expect(new Set(found.map((line) => line.split(/\s+/)[0])), name).toEqual(new Set(addresses))
    expect(await resolve('n1', musl, name), name).toEqual(addresses)
  }
  for (const program of [['getent', 'ahostsv4'], [musl]])
    await expect(resolve('n1', ...program, 'nosuch.service.systole')).rejects.toThrow()
})

test('an instance that is stopped, or fails its monitor, is not in the answers any more, and comes back', async () => {
  await lab.systole('n1', 'resource', 'ban', 'web-clone', 'n3', '--wait')
  for (const node of nodes)
    await lab.until(
      'it is gone',
      async () => (await short(node, 'www.service.systole')).join() === addresses.slice(0, 2).join(),
    )
  await lab.systole('n1', 'resource', 'clear', 'web-clone')
  await lab.until('it is back', async () => (await short('n1', 'www.service.systole')).length === 3)
  // A machine that loses power.
  await lab.power.off('n3')
  await lab.until(
    'its instance is gone',
    async () => !(await short('n1', 'www.service.systole')).includes(addresses[2] ?? ''),
  )
  await lab.power.on('n3')
  await lab.until('it is back', async () => (await short('n3', 'www.service.systole')).length === 3, 60_000)
}, 150_000)

test('options change what is answered: domain, ttl, port, clients, and where it listens', async () => {
  await lab.systole('n1', 'service', 'dns', 'enable', 'domain=cluster.internal', 'ttl=60s')
  await lab.until('the domain is another', async () => (await short('n3', 'www.service.cluster.internal')).length === 3)
  expect(await dig('n3', 'www.service.cluster.internal')).toMatch(/^www\.service\.cluster\.internal\.\s+60\s+IN\s+A/m)
  await lab.systole('n1', 'service', 'dns', 'enable', 'clients=192.0.2.0/24')
  await lab.until('a stranger is refused', async () =>
    (await dig('n1', 'www.service.cluster.internal')).includes('REFUSED'),
  )
  expect(await lab.inNode('n2', 'dig', '+short', '@127.0.0.1', 'n1.node.cluster.internal')).toBe(`${addresses[0]}\n`)
  expect(await lab.inNode('n2', 'dig', '+short', `@${addresses[0]}`, 'n1.node.cluster.internal')).toBe(
    `${addresses[0]}\n`,
  )
  await lab.systole('n1', 'service', 'dns', 'enable', 'listen=local', 'port=5353', 'clients=')
  await lab.until('it listens there alone', async () => {
    const here = await lab
      .inNode('n1', 'dig', '+short', '+tries=1', '+time=1', '-p', '5353', '@127.0.0.1', 'n1.node.cluster.internal')
      .catch(() => '')
    return (
      here === `${addresses[0]}\n` &&
      (await dig('n1', 'x').then(
        () => false,
        () => true,
      ))
    )
  })
  await lab.systole('n1', 'service', 'dns', 'enable', 'listen=', 'port=', 'domain=', 'ttl=')
  expect(await lab.systole('n1', 'service', 'dns')).toContain('  service-dns=on\n')
  await lab.until('all is as before', async () => (await short('n1', 'www.service.systole')).length === 3)
}, 60_000)

test('a port that is taken is a trouble in status, until it is free', async () => {
  await lab.systole('n1', 'service', 'dns', 'disable')
  await lab.until(
    'nobody listens',
    async () =>
      await dig('n2', 'x').then(
        () => false,
        () => true,
      ),
  )
  const taken = lab.inNode('n2', 'sh', '-c', 'echo $$ > /run/taken; exec nc -l -k 127.0.0.1 53').catch(() => '')
  await lab.until('the port is taken', async () => (await lab.inNode('n2', 'ss', '-Hltn', 'sport = :53')) !== '')
  expect(await lab.systole('n2', 'service', 'dns', 'enable')).toContain(
    'Before that, a program listened on 127.0.0.1 port 53 already.',
  )
  await lab.until('it is said', async () =>
    (await lab.systole('n1', 'status')).includes('Another program listens on 127.0.0.1 port 53'),
  )
  expect(await short('n2', 'n1.node.systole')).toEqual([addresses[0]])
  await lab.inNode('n2', 'sh', '-c', 'kill $(cat /run/taken)')
  await taken
  await lab.until(
    'it listens',
    async () =>
      (await lab
        .inNode('n2', 'dig', '+short', '+tries=1', '+time=1', '@127.0.0.1', 'n1.node.systole')
        .catch(() => '')) === `${addresses[0]}\n`,
  )
  await lab.until('nothing is said', async () => !(await lab.systole('n1', 'status')).includes('Another program'))
}, 60_000)

/** Says how many instances pass whenever that changes, with the npm package `consul`. */
const consulWatch = `
import Consul from 'consul'
const client = new Consul({ host: process.argv[1], port: 8500 })
console.log(JSON.stringify(await client.catalog.service.list()))
const watch = client.watch({ method: client.health.service, options: { service: 'www', passing: true } })
watch.on('change', (found) => console.log(found.map(({ Node, Service }) => Node.Node + ' ' + Service.Address + ':' + Service.Port).sort().join(' ')))
watch.on('error', (error) => console.log('error ' + error.message))
`

/** Debian's python3-consul: what it asks first, then how many pass whenever that changes. */
const pythonWatch = `
import sys, consul
client = consul.Consul(host=sys.argv[1], port=8500)
own = client.agent.self()
say = lambda *words: print(*words, flush=True)
say(own['Config']['NodeName'], own['Config']['Datacenter'], client.status.leader() in client.status.peers())
say(sorted(node['Node'] for node in client.catalog.nodes()[1]), client.catalog.datacenters(), sorted(client.catalog.services()[1]))
say(len(client.health.state('any')[1]), sorted(check['Node'] for check in client.health.checks('www')[1]))
say([entry['Node']['Node'] for entry in client.health.service('www', near='n3')[1]][0])
try:
    client.kv.get('a')
except consul.ConsulException as error:
    say(error)
index = None
while True:
    index, found = client.health.service('www', passing=True, index=index, wait='30s')
    say(*sorted(entry['Node']['Node'] for entry in found))
`

async function followedInPython(): Promise<void> {
  const space = ['netns', 'exec', lab.network.clientSpace]
  const client = spawn('ip', [...space, '/usr/bin/python3', '-c', pythonWatch, addresses[1] ?? ''], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // A line may come in pieces, and the client's own messages have empty lines.
  let said = ''
  client.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const linesOf = (): readonly string[] =>
    said
      .split('\n')
      .slice(0, -1)
      .filter((line) => line !== '')
  try {
    await lab.until('all are listed', () => linesOf().at(-1) === 'n1 n2 n3')
    expect(linesOf().slice(0, 5)).toEqual([
      'n2 lab True',
      "['n1', 'n2', 'n3'] ['lab'] ['www']",
      "3 ['n1', 'n2', 'n3']",
      'n3',
      expect.stringMatching(/^501 .*Systole answers for services, and keeps no keys and values/) as unknown,
    ])
    await lab.systole('n1', 'resource', 'ban', 'web-clone', 'n1', '--wait')
    await lab.until('one is gone', () => linesOf().at(-1) === 'n2 n3')
    await lab.systole('n1', 'resource', 'clear', 'web-clone')
    await lab.until('it is back', () => linesOf().at(-1) === 'n1 n2 n3', 60_000)
  } finally {
    client.kill()
  }
}

test('clients of Consul in JavaScript and Python on another host list the services and see instances go and come', async () => {
  await lab.systole('n1', 'service', 'http', 'enable')
  expect(await lab.systole('n2', 'service', 'http')).toContain('  service-http=on\n')
  const client = spawn(
    'ip',
    [
      'netns',
      'exec',
      lab.network.clientSpace,
      process.execPath,
      '--input-type=module',
      '-e',
      consulWatch,
      addresses[1] ?? '',
    ],
    { cwd: join(import.meta.dirname, '../..'), stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let lines: readonly string[] = []
  client.stdout.setEncoding('utf8').on('data', (text: string) => {
    lines = [...lines, ...text.split('\n').filter((line) => line !== '')]
  })
  const instances = (few: readonly string[]): string =>
    few.map((node) => `${node} ${lab.network.address(node)}:8080`).join(' ')
  try {
    await lab.until('all are listed', () => lines.includes(instances(nodes)))
    expect(lines[0]).toBe('{"www":["public"]}')
    await lab.systole('n1', 'resource', 'ban', 'web-clone', 'n1', '--wait')
    await lab.until('one is gone', () => lines.at(-1) === instances(['n2', 'n3']))
    await lab.systole('n1', 'resource', 'clear', 'web-clone')
    await lab.until('it is back', () => lines.at(-1) === instances(nodes))
  } finally {
    client.kill()
  }
  const curl = async (path: string): Promise<string> =>
    await lab.inNode('n3', 'sh', '-c', `curl -s --max-time 3 'http://127.0.0.1:8500${path}' || :`)
  expect(Object.keys(JSON.parse(await curl('/v1/agent/services')) as object)).toHaveLength(1)
  // The node that is asked here may know a moment later than the one that the client followed.
  await lab.until('all are in an event', async () =>
    /^event: service\nid: \d+\ndata: {"service":"www"[^\n]*"healthy":3/.test(await curl('/v1/systole/events')),
  )
  await lab.until('the DC is known', async () =>
    /^10\.83\.0\.\d+:7700$/.test(String(JSON.parse(await curl('/v1/status/leader')))),
  )
  await followedInPython()
  await lab.systole('n1', 'service', 'http', 'disable')
  await lab.until('nobody listens', async () => (await curl('/v1/catalog/services')) === '')
}, 90_000)

test('without quorum a node refuses, or says what it knew as old, and a majority answers on', async () => {
  await lab.systole('n1', 'cluster', 'config', 'update', 'totem', 'token=1000')
  await lab.systole('n1', 'property', 'set', 'fencing-enabled=false', '--force')
  // On the node itself: nobody else reaches it.
  const ask = async (): Promise<string> =>
    await lab.inNode('n3', 'dig', '+tries=1', '+time=1', '@127.0.0.1', 'n1.node.systole').catch(String)
  for (const [option, sign] of [
    ['without-quorum=', /status: REFUSED[\s\S]*EDE: 14/],
    ['without-quorum=mark', /flags: qr rd;[\s\S]*EDE: 3[\s\S]*^n1\.node\.systole\.\s+0\s+IN\s+A/m],
  ] as const) {
    await lab.systole('n1', 'service', 'dns', 'enable', option)
    await lab.until('it answers', async () =>
      /flags: qr aa rd[\s\S]*^n1\.node\.systole\.\s+5\s+IN\s+A/m.test(await ask()),
    )
    await lab.network.link('n3', 'down')
    try {
      await lab.until(`it does as ${option} says`, async () => sign.test(await ask()))
      await lab.until('the others answer', async () => (await short('n1', 'www.service.systole')).length >= 2)
    } finally {
      await lab.network.link('n3', 'up')
    }
    await lab.until('it is back', async () => (await short('n3', 'www.service.systole')).length === 3, 60_000)
  }
}, 180_000)
