/** Programs of others follow the cluster, unmodified: HAProxy by SRV records, dnsmasq as the resolver of a host, a collector of metrics by Consul's paths, Prometheus by /metrics. */
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { run } from '../nodes/lab/network.ts'

const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes)
const children: ChildProcess[] = []
const outside = ['netns', 'exec', lab.network.clientSpace]
const addressesOf = (few: readonly string[]): readonly string[] =>
  few.map((node) => lab.network.address(node)).toSorted()

/** On a host that is not of the cluster. */
const begin = (...command: readonly string[]): void =>
  void children.push(spawn('ip', [...outside, ...command], { stdio: 'ignore' }))
const askedOutside = async (...command: readonly string[]): Promise<string> =>
  await run('ip', ...outside, ...command).catch(() => '')

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(nodes)
  // Nobody is lost here: a slow machine is to fence no node.
  await lab.systole('n1', 'cluster', 'config', 'update', 'totem', 'token=15000')
  await lab.createFencing(nodes)
  const monitored = ['op', 'monitor', 'interval=2s', 'clone', '--wait']
  await lab.systole('n1', 'resource', 'create', 'web', 'ocf:systole:http', 'address=0.0.0.0', 'port=8080', ...monitored)
  await lab.systole('n1', 'service', 'create', 'www', 'web-clone', 'port=8080', 'tags=public', 'weight=5')
  await lab.systole('n1', 'service', 'wait', 'www', '--min=3', '--timeout=200s')
  await lab.systole('n1', 'service', 'dns', 'enable')
  await lab.systole('n1', 'service', 'http', 'enable', 'listen=node')
}, 480_000)

afterAll(async () => {
  for (const child of children) child.kill()
  await lab.close()
}, 60_000)

/** One goes and comes back, and whoever follows sees it. */
async function followed(what: string, seen: () => Promise<readonly string[]>): Promise<void> {
  const has = async (few: readonly string[]): Promise<boolean> => (await seen()).join() === addressesOf(few).join()
  await lab.until(`${what} has all`, async () => await has(nodes), 60_000)
  await lab.systole('n1', 'resource', 'ban', 'web-clone', 'n3', '--wait')
  await lab.until(`${what} has two`, async () => await has(['n1', 'n2']), 60_000)
  await lab.systole('n1', 'resource', 'clear', 'web-clone')
  await lab.until(`${what} has all again`, async () => await has(nodes), 60_000)
}

/** The addresses of the servers of HAProxy's pool that it has, and that are up. */
async function poolOf(socket: string): Promise<readonly string[]> {
  const connection = connect(socket)
  connection.end('show servers state pool\n')
  const state = await text(connection).catch(() => '')
  const rows = state.split('\n').flatMap((line) => (/^\d+ pool /.test(line) ? [line.split(' ')] : []))
  return rows.flatMap(([, , , , address = '-', up]) => (address !== '-' && up === '2' ? [address] : [])).toSorted()
}

test('HAProxy makes its servers by server-template from SRV records, with ports and weights, and follows them', async () => {
  const [file, socket] = [join(lab.folder, 'haproxy.cfg'), join(lab.folder, 'haproxy.sock')]
  writeFileSync(
    file,
    `global
  stats socket ${socket}
defaults
  mode http
  timeout connect 2s
  timeout client 5s
  timeout server 5s
resolvers cluster
${nodes.map((node) => `  nameserver ${node} ${lab.network.address(node)}:53`).join('\n')}
  accepted_payload_size 8192
  resolve_retries 3
  timeout resolve 1s
  timeout retry 1s
  hold valid 1s
  hold obsolete 1s
frontend www
  bind 127.0.0.1:8888
  default_backend pool
backend pool
  server-template www 5 _www._tcp.service.systole resolvers cluster check inter 500ms
`,
  )
  begin('haproxy', '-db', '-f', file)
  await followed('HAProxy', async () => await poolOf(socket))
  expect(await askedOutside('curl', '-s', '-o', '/dev/null', '-w', '%{http_code}', 'http://127.0.0.1:8888/')).toBe(
    '200',
  )
}, 240_000)

test('dnsmasq sends the names of the cluster to its nodes, and the host finds the instances by it', async () => {
  const servers = nodes.map((node) => `--server=/systole/${lab.network.address(node)}`)
  begin(
    'dnsmasq',
    '-k',
    '--no-resolv',
    '--no-hosts',
    '--conf-file=/dev/null',
    '--pid-file=',
    '--listen-address=127.0.0.1',
    '--bind-interfaces',
    '--user=root',
    ...servers,
  )
  const asked = async (...words: readonly string[]): Promise<readonly string[]> =>
    (await askedOutside('dig', '@127.0.0.1', '+short', '+time=1', '+tries=1', ...words))
      .split('\n')
      .filter((line) => line !== '')
      .toSorted()
  await followed('dnsmasq', async () => await asked('www.service.systole'))
  expect(await asked('_www._tcp.service.systole', 'SRV')).toEqual(nodes.map((node) => `1 5 8080 ${node}.node.systole.`))
  expect(await askedOutside('dig', '@127.0.0.1', 'nosuch.service.systole')).toContain('status: NXDOMAIN')
}, 240_000)

interface Targets {
  readonly data: {
    readonly activeTargets: readonly { readonly discoveredLabels: Readonly<Record<string, string>> }[]
  }
}

/** Debian builds Prometheus without Consul; VictoriaMetrics reads the same configuration. */
test('a collector of metrics finds the instances by consul_sd_configs, with their node and tags, and follows them', async () => {
  const file = join(lab.folder, 'scrape.yml')
  writeFileSync(
    file,
    `scrape_configs:
  - job_name: www
    consul_sd_configs:
      - {server: "${lab.network.address('n1')}:8500", services: [www], tags: [public]}
`,
  )
  begin(
    'vmagent',
    `-promscrape.config=${file}`,
    '-promscrape.consulSDCheckInterval=1s',
    '-remoteWrite.url=http://127.0.0.1:1/',
    `-remoteWrite.tmpDataPath=${join(lab.folder, 'vmagent')}`,
    '-httpListenAddr=127.0.0.1:9090',
  )
  const labels = async (): Promise<readonly Readonly<Record<string, string>>[]> => {
    const answer = await askedOutside('curl', '-sf', 'http://127.0.0.1:9090/api/v1/targets')
    const all =
      answer === '' ? [] : (JSON.parse(answer) as Targets).data.activeTargets.map((one) => one.discoveredLabels)
    return all.toSorted((one, other) => ((one.__address__ ?? '') < (other.__address__ ?? '') ? -1 : 1))
  }
  await followed('the collector', async () =>
    (await labels()).map((one) => one.__address__?.replace(/:8080$/, '') ?? ''),
  )
  expect((await labels())[0]).toMatchObject({
    __meta_consul_node: 'n1',
    __meta_consul_dc: 'lab',
    __meta_consul_service: 'www',
    __meta_consul_service_port: '8080',
    __meta_consul_tags: ',public,',
  })
}, 240_000)

interface Answered {
  readonly data: {
    readonly result: readonly { readonly metric: { readonly role: string }; readonly value: [number, string] }[]
  }
}

/** As docs/guides/api.md and docs/guides/metrics.md say. */
test('Prometheus scrapes the nodes, and answers by role: a role without a node that can run resources is an alert', async () => {
  await lab.systole('n1', 'role', 'add', 'db', 'n1')
  await lab.systole('n1', 'role', 'add', 'web', 'n2', 'n3')
  await lab.systole('n1', 'acl', 'role', 'create', 'monitor', 'read', 'xpath', '/cib')
  const made = await lab.systole('n1', 'token', 'create', 'prometheus', '--role=monitor', '--json')
  const { token } = JSON.parse(made) as { readonly token: string }
  for (const node of nodes) await lab.systole(node, 'console', 'enable')
  const [file, authority, secret] = ['prometheus.yml', 'authority.crt', 'token'].map((name) => join(lab.folder, name))
  writeFileSync(authority ?? '', await lab.inNode('n1', 'cat', '/etc/systole/pki/authority.crt'))
  writeFileSync(secret ?? '', token)
  writeFileSync(
    file ?? '',
    `global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [${join(import.meta.dirname, '../../packaging/prometheus/systole.rules.yml')}]
scrape_configs:
  - job_name: systole
    scheme: https
    authorization: {credentials_file: ${secret}}
    tls_config: {ca_file: ${authority}}
    static_configs: [{targets: [${nodes.map((node) => `'${lab.network.address(node)}:7705'`).join(', ')}]}]
`,
  )
  const data = join(lab.folder, 'prometheus')
  begin('prometheus', `--config.file=${file}`, `--storage.tsdb.path=${data}`, '--web.listen-address=127.0.0.1:9091')
  const asked = async (query: string): Promise<string> => {
    const url = 'http://127.0.0.1:9091/api/v1/query'
    const said = await askedOutside('curl', '-sS', '-G', url, '--data-urlencode', `query=${query}`)
    const { result } = said === '' ? { result: [] } : (JSON.parse(said) as Answered).data
    return result
      .map(({ metric: { role }, value: [, value] }) => `${role} ${value}`)
      .toSorted()
      .join(', ')
  }
  const available = 'min by (role) (systole_role_nodes{status="available"})'
  const has = async (query: string, wanted: string): Promise<void> =>
    await lab.until(`${query} is ${wanted}`, async () => (await asked(query)) === wanted, 60_000)
  await has(available, 'db 1, web 2')
  await has('count by (role) (count by (role, instance) (systole_role_nodes{status="all"}))', 'db 3, web 3')
  await lab.systole('n2', 'node', 'standby', 'n1')
  await has(available, 'db 0, web 2')
  await has('ALERTS{alertname="SystoleRoleWithoutNodes"}', 'db 1')
  const online = `sum by (role) (max by (node) (ha_cluster_pacemaker_nodes{status="online"}) * on (node) group_right max by (node, role) (systole_node_role))`
  await has(online, 'db 1, web 2')
  await has('max by (role) (systole_role_active_resources{resource="web"})', 'web 2')
  await lab.systole('n2', 'node', 'unstandby', 'n1')
  await has(available, 'db 1, web 2')
}, 240_000)
