/** What other programs read and change of three real nodes: metrics, and the HTTPS API as whoever is outside reaches it. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forClients, forServers, makeAuthority, makeSigned } from '../support/own-certificates.ts'
import { HttpsClient } from './lab/https.ts'
import { Lab } from './lab/lab.ts'
import { LoadBalancer } from './lab/load-balancer.ts'
import { run } from './lab/network.ts'

const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes)
const balancer = new LoadBalancer(lab)

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(nodes)
  await lab.createFencing(nodes)
  await lab.prepare('n1', 'resource', 'create', 'web', 'ocf:pacemaker:Dummy', '--wait')
}, 120_000)

afterAll(async () => {
  await balancer.close()
  await outside.close()
  await lab.close()
}, 60_000)

/** The values of a metric by one of its labels. */
async function metric(node: string, name: string, label: string): Promise<ReadonlyMap<string, number>> {
  const text = await lab.systole(node, 'metrics')
  const lines = [...text.matchAll(new RegExp(`^${name}\\{(.*)\\} (\\S+)$`, 'gm'))]
  return new Map(
    lines.map(([, labels = '', value]) => [new RegExp(`\\b${label}="(.*?)"`).exec(labels)?.[1] ?? '', Number(value)]),
  )
}

test('metrics: each node shows the cluster, and counts its own operations, computations and transactions', async () => {
  const [at = ''] = await lab.whereIs('web', 'n1')
  for (const node of nodes) {
    const text = await lab.systole(node, 'metrics')
    expect(text).toMatch(/^ha_cluster_corosync_quorate 1$/m)
    expect(text).toMatch(
      new RegExp(`^ha_cluster_pacemaker_resources\\{resource="web".*node="${at}",status="active"\\} 1$`, 'm'),
    )
    expect(text).toMatch(/^systole_store_transaction_seconds_count\{outcome="ok"\} [1-9]/m)
    expect(Number(/^systole_lease_remaining_seconds (\S+)$/m.exec(text)?.[1])).toBeGreaterThan(0)
    expect(text.includes('resource="web",operation="start",outcome="ok"')).toBe(node === at)
    expect(/^systole_is_dc 1$/m.test(text)).toBe(
      /^systole_transition_computation_seconds_count\{.*\} [1-9]/m.test(text),
    )
  }
})

test('metrics: a node whose cluster is stopped says so, and fencing is counted', async () => {
  await lab.systole('n1', 'cluster', 'stop', 'n3')
  expect(await lab.systole('n3', 'metrics')).toMatch(/^systole_started\{cluster="\w+",node="n3"\} 0$/m)
  await lab.systole('n1', 'cluster', 'start', 'n3', '--wait')
  await lab.power.off('n2')
  await lab.until(
    'n2 was fenced',
    async () => (await metric('n1', 'systole_fencing_actions', 'outcome')).get('succeeded') === 1,
  )
  await lab.until(
    'n2 is back',
    async () => (await metric('n1', 'ha_cluster_corosync_member_votes', 'node')).get('n2') === 1,
  )
})

// ------------------------------------------------------------------ the HTTPS API

const outside = new HttpsClient(lab)
const tokens: Record<string, string> = {}

async function makeToken(name: string, ...options: readonly string[]): Promise<void> {
  const { token } = JSON.parse(await lab.systole('n1', 'token', 'create', name, ...options, '--json')) as {
    token: string
  }
  tokens[name] = token
}

test('nothing listens before the API is enabled, and enabling says what is open', async () => {
  expect(await lab.inNode('n1', 'ss', '-tlnH')).not.toContain(':7705')
  expect(await lab.systole('n1', 'console', 'status')).toContain('is closed')
  for (const node of nodes) {
    const said = await lab.systole(node, 'console', 'enable')
    expect(said).toContain(`https://${lab.network.address(node)}:7705/`)
  }
  expect(await lab.inNode('n1', 'ss', '-tlnH')).toContain(':7705')
  // It was root to be started, and is nobody: the socket and the keys of the cluster are closed to it.
  const [pid = ''] = (await lab.inNode('n1', 'pgrep', '-f', 'dist/web.mjs')).trim().split('\n')
  const status = await lab.inNode('n1', 'cat', `/proc/${pid}/status`)
  expect(status).toMatch(/^Uid:\t65534\t65534\t65534\t65534$/m)
  expect(status).toMatch(/^Groups:\t *$/m)
  expect(status).toMatch(/^CapEff:\t0+$/m)
})

test('load balancers ask without a token: live, ready, and active where it is', async () => {
  const [at = ''] = await lab.whereIs('web', 'n1')
  for (const node of nodes) {
    expect((await outside.ask(node, '/live')).status).toBe(200)
    expect((await outside.ask(node, '/ready', { method: 'HEAD' })).status).toBe(200)
    expect((await outside.ask(node, '/resource/web/active')).status).toBe(node === at ? 200 : 503)
    expect((await outside.ask(node, '/resource/web/promoted')).status).toBe(503)
    expect((await outside.ask(node, '/resource/nosuch/active')).status).toBe(503)
  }
})

test('a real HAProxy asks by httpchk, and sends clients to where the resource is', async () => {
  await balancer.start(nodes, 'web')
  const isWhereWebIs = async (): Promise<boolean> =>
    isDeepStrictEqual(await balancer.up().catch(() => []), await lab.whereIs('web', 'n1'))
  await lab.until('HAProxy has found it', isWhereWebIs)
  const [at = ''] = await lab.whereIs('web', 'n1')
  await lab.systole('n1', 'node', 'drain', at, '--wait')
  await lab.until('HAProxy follows it', async () => !(await balancer.up()).includes(at) && (await isWhereWebIs()))
  await lab.systole('n1', 'node', 'undrain', at, '--wait')
  await balancer.close()
})

test('tokens have the rights of their roles, whatever access control is set to', async () => {
  await lab.systole('n1', 'acl', 'role', 'create', 'monitor', 'read', 'xpath', '/cib')
  await lab.systole(
    'n1',
    'acl',
    'role',
    'create',
    'operator',
    'read',
    'xpath',
    '/cib',
    'write',
    'xpath',
    "//nvpair[@name='target-role']",
  )
  await makeToken('monitor', '--role=monitor')
  await makeToken('operator', '--role=operator')
  await makeToken('admin', '--administrator', '--expires=1h')
  await expect(lab.systole('n1', 'token', 'create', 'x', '--role=nosuch')).rejects.toThrow(/There is no role 'nosuch'/)
  await expect(lab.systole('n1', 'token', 'create', 'admin', '--administrator')).rejects.toThrow(/already a token/)
  // Of another node than that on which it was made.
  expect(await outside.result('n2', '/status', { token: tokens.monitor })).toMatchObject({
    cluster: 'lab',
    quorum: { quorate: true },
  })
  const change = { method: 'POST', body: { words: ['web'] } }
  const refusal = await outside.ask('n2', '/api/v1/resource/delete', { ...change, token: tokens.monitor })
  expect(refusal.status).toBe(403)
  expect(refusal.headers['content-type']).toBe('application/problem+json')
  expect(JSON.parse(refusal.body)).toMatchObject({ status: 403, code: 'permission-denied' })
  expect((await outside.ask('n2', '/api/v1/resource/delete', { ...change, token: tokens.operator })).status).toBe(403)
  const fence = await outside.ask('n1', '/api/v1/stonith/fence', {
    method: 'POST',
    token: tokens.operator,
    body: { words: ['n3'] },
  })
  expect(fence.status).toBe(403)
  await outside.result('n3', '/resource/disable', {
    method: 'POST',
    token: tokens.operator,
    body: { words: ['web'], flags: { wait: true } },
  })
  expect(await lab.whereIs('web', 'n1')).toEqual([])
  await outside.result('n3', '/resource/enable', {
    method: 'POST',
    token: tokens.operator,
    body: { words: ['web'], flags: { wait: '30' } },
  })
  expect(await lab.systole('n1', 'config', 'history')).toMatch(
    /token:operator@n3 +systole resource enable web --wait=30/,
  )
  const log = await lab.inNode('n3', 'cat', join(lab.folder, 'nodes/n3/systoled.log'))
  expect(log).toMatch(/"call":"pushConfiguration","user":"token:operator","from":"10\.83\.0\.253"/)
  // A job is root's while access control is off; there is no endpoint for it either.
  expect((await outside.ask('n1', '/api/v1/job/list', { token: tokens.admin })).status).toBe(403)
  expect((await outside.ask('n1', '/api/v1/job/run', { method: 'POST', token: tokens.admin, body: {} })).status).toBe(
    404,
  )
})

test('a dry run answers with the actions and changes nothing; a change for another version is refused', async () => {
  const before = await outside.ask('n1', '/api/v1/config/history', { token: tokens.monitor })
  const body = { words: ['other', 'ocf:pacemaker:Dummy'] }
  const dry = await outside.ask('n1', '/api/v1/resource/create?dry-run', { method: 'POST', token: tokens.admin, body })
  expect(JSON.parse(dry.body)).toMatchObject({
    result: { preview: true, actions: [{ kind: 'start', resource: 'other' }] },
  })
  expect((await outside.ask('n1', '/api/v1/config/history', { token: tokens.monitor })).body).toBe(before.body)
  const { etag = '' } = (await outside.ask('n1', '/api/v1/resource/config', { token: tokens.admin })).headers
  const old = { method: 'POST', token: tokens.admin, body, headers: { 'if-match': '"1"' } }
  const conflict = await outside.ask('n1', '/api/v1/resource/create', old)
  expect([conflict.status, JSON.parse(conflict.body)]).toMatchObject([409, { code: 'conflict' }])
  const made = await outside.ask('n1', '/api/v1/resource/create', { ...old, headers: { 'if-match': etag } })
  expect(made.status).toBe(200)
  const again = await outside.ask('n1', '/api/v1/resource/create', { ...old, headers: { 'if-match': etag } })
  expect(again.status).toBe(409)
  await outside.result('n1', '/resource/delete', {
    method: 'POST',
    token: tokens.admin,
    body: { words: ['other'], flags: { wait: true } },
  })
})

test('a dry run of what changes no configuration answers with the actions as well, and does nothing', async () => {
  const dryRun = async (path: string, words: readonly string[], flags = {}) => {
    const asked = { method: 'POST', token: tokens.admin, body: { words, flags } }
    return await outside.result('n1', `${path}?dry-run`, asked)
  }
  const [at = ''] = await lab.whereIs('web', 'n1')
  const before = await lab.systole('n1', 'node', 'attribute', '--json')
  const { fencing } = await lab.status('n1')
  const elsewhere = { kind: 'move', resource: 'web', from: at }
  expect(await dryRun('/cluster/stop', [at], { force: true })).toMatchObject({
    preview: true,
    actions: expect.arrayContaining([expect.objectContaining(elsewhere)]) as unknown,
  })
  expect(await dryRun('/stonith/fence', [at])).toMatchObject({
    would: expect.stringContaining(`It would fence ${at}`) as unknown,
  })
  expect(await dryRun('/resource/refresh', ['web'])).toMatchObject({ preview: true, actions: [] })
  // A hold is no configuration, and neither is what lasts until the node leaves.
  expect(await dryRun('/node/attribute', [at, 'standby=on'], { transient: true })).toMatchObject({
    actions: expect.arrayContaining([expect.objectContaining(elsewhere)]) as unknown,
  })
  await lab.systole('n1', 'node', 'drain', at, '--wait')
  expect(await dryRun('/node/undrain', [at])).toMatchObject({
    would: expect.stringContaining(`It would end: ${at} is drained`) as unknown,
  })
  expect((await lab.whereIs('web', 'n1'))[0]).not.toBe(at)
  expect(await lab.systole('n1', 'hold', 'list')).toContain(`drain-${at}`)
  await lab.systole('n1', 'node', 'undrain', at, '--wait')
  expect(await dryRun('/token/revoke', ['monitor'])).toMatchObject({ actions: [] })
  expect((await outside.ask('n1', '/api/v1/status', { token: tokens.monitor })).status).toBe(200)
  expect(await lab.systole('n1', 'node', 'attribute', '--json')).toBe(before)
  expect((await lab.status('n1')).fencing).toEqual(fencing)
  const token = await outside.ask('n1', '/api/v1/cluster/token?dry-run', {
    method: 'POST',
    token: tokens.admin,
    body: { words: [] },
  })
  expect([token.status, token.body]).toEqual([400, expect.stringContaining('Nothing was done')])
})

test('a dry run is refused to whoever may not make the change, and shown to whoever may', async () => {
  const [at = ''] = await lab.whereIs('web', 'n1')
  const dryRun = async (token: string | undefined, path: string, words: readonly string[]) => {
    const answer = await outside.ask('n1', `/api/v1${path}?dry-run`, { method: 'POST', token, body: { words } })
    return [answer.status, answer.body]
  }
  const denied = [403, expect.stringContaining('Permission denied')]
  expect(await dryRun(tokens.operator, '/resource/disable', ['web'])).toEqual([200, expect.stringContaining('stop')])
  expect(await dryRun(tokens.monitor, '/resource/disable', ['web'])).toEqual(denied)
  expect(await dryRun(tokens.operator, '/resource/cleanup', ['web'])).toEqual([200, expect.stringContaining('forget')])
  expect(await dryRun(tokens.monitor, '/stonith/fence', [at])).toEqual(denied)
  expect(await dryRun(tokens.monitor, '/node/drain', [at])).toEqual(denied)
  expect(await dryRun(tokens.monitor, '/token/revoke', ['admin'])).toEqual(denied)
  expect(JSON.parse(await lab.systole('n1', 'hold', 'list', '--json'))).toMatchObject({ holds: [] })
})

test('files come with the request and go with the answer, and those of the host are not read', async () => {
  const cib = await outside.ask('n1', '/api/v1/cluster/cib?word=out.xml', { token: tokens.admin })
  const { files } = JSON.parse(cib.body) as { readonly files: Readonly<Record<string, string>> }
  expect(files['out.xml']).toContain('<configuration>')
  const plan = {
    method: 'POST',
    token: tokens.admin,
    body: { words: ['c.yaml'], files: { 'c.yaml': 'properties:\n  stonith-timeout: 61s\n' } },
  }
  expect(await outside.result('n1', '/plan', plan)).toMatchObject({ changes: [expect.anything()] as unknown })
  const other = await outside.ask('n1', '/api/v1/plan', { ...plan, body: { words: ['/etc/passwd'] } })
  expect([other.status, other.body]).toEqual([
    400,
    expect.stringContaining('files of the host are not read') as unknown,
  ])
})

test('metrics and the description', async () => {
  expect((await outside.ask('n1', '/metrics')).status).toBe(401)
  const metrics = await outside.ask('n1', '/metrics', { token: tokens.monitor })
  expect(metrics.headers['content-type']).toContain('application/openmetrics-text')
  expect(metrics.body).toMatch(/^ha_cluster_corosync_quorate 1$/m)
  expect(JSON.parse((await outside.ask('n1', '/api/openapi.json')).body)).toMatchObject({ openapi: '3.1.0' })
})

test('every change comes as an event, once, also after the stream was cut off', async () => {
  const stream = await outside.stream('n2', { token: tokens.monitor })
  await lab.until('the stream begins', () => stream.events.length > 0)
  expect(stream.events[0]).toMatchObject({ event: 'snapshot', data: { cluster: 'lab' } })
  const stopped = { part: 'resources', key: 'web', value: { role: 'Stopped' } }
  const began = Date.now()
  await lab.systole('n1', 'resource', 'disable', 'web', '--wait')
  const has = (events: readonly { readonly data: unknown }[], wanted: object): boolean =>
    events.some(({ data }) => isDeepStrictEqual({ ...wanted }, pick(data, wanted)))
  await lab.until('the stop is told', () => has(stream.events, stopped))
  expect(Date.now() - began).toBeLessThan(20_000)
  const last = stream.events.at(-1)?.id ?? ''
  stream.end()
  await lab.systole('n1', 'resource', 'enable', 'web', '--wait')
  const again = await outside.stream('n2', { token: tokens.monitor, headers: { 'last-event-id': last } })
  await lab.until('the start is told', () =>
    has(again.events, { part: 'resources', key: 'web', value: { role: 'Started' } }),
  )
  expect(again.events.map(({ event }) => event)).not.toContain('snapshot')
  again.end()
})

/** Of a value what the pattern names. */
function pick(value: unknown, pattern: unknown): unknown {
  if (typeof pattern !== 'object' || pattern === null || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.keys(pattern).map((key) => [
      key,
      pick((value as Record<string, unknown>)[key], (pattern as Record<string, unknown>)[key]),
    ]),
  )
}

test('a token that is revoked opens nothing, and its stream ends', async () => {
  await makeToken('gone', '--role=monitor')
  const stream = await outside.stream('n1', { token: tokens.gone })
  expect(stream.status).toBe(200)
  await lab.systole('n3', 'token', 'revoke', 'gone')
  await lab.until('the stream ends', () => stream.ended())
  await lab.until(
    'no node knows it',
    async () => (await outside.ask('n1', '/api/v1/status', { token: tokens.gone })).status === 401,
  )
  expect(await lab.systole('n2', 'token', 'list')).not.toContain('gone')
})

test('a join token that a token makes ends with it', async () => {
  await makeToken('joiner', '--administrator', '--expires=10min')
  const ask = { method: 'POST', token: tokens.joiner }
  const made = await outside.result('n2', '/cluster/token', { ...ask, body: { flags: { remote: true } } })
  const { validUntil } = made as { readonly validUntil: string }
  expect(Date.parse(validUntil)).toBeLessThan(Date.now() + 601_000)
  const longer = { ...ask, body: { flags: { remote: true, 'valid-for': '1h' } } }
  const refused = await outside.ask('n2', '/api/v1/cluster/token', longer)
  expect([refused.status, refused.body]).toEqual([
    400,
    expect.stringContaining('cannot be valid for longer') as unknown,
  ])
  const isOpen = async (): Promise<boolean> => {
    const { tokens: all } = JSON.parse(await lab.systole('n1', 'cluster', 'token', 'list', '--json')) as {
      readonly tokens: readonly { readonly state: string; readonly madeFor?: string }[]
    }
    return all.some(({ state, madeFor }) => state === 'open' && madeFor === 'token:joiner')
  }
  expect(await isOpen()).toBe(true)
  await lab.systole('n1', 'token', 'revoke', 'joiner')
  expect(await isOpen()).toBe(false)
})

// ------------------------------------------------------------------ certificates of one's own, by openssl and curl

const own = join(lab.folder, 'own')
const seenFrom = async (...options: readonly string[]): Promise<{ readonly status: number; readonly body: string }> => {
  const client = ['netns', 'exec', lab.network.clientSpace, 'curl', '-sS', '-w', '\n%{http_code}']
  const said = await run('ip', ...client, ...options)
  const [, body = '', status = ''] = /^([\s\S]*)\n(\d+)$/.exec(said) ?? []
  return { status: Number(status), body }
}
const at = (node: string, path: string): string => `https://${lab.network.address(node)}:7705${path}`
const curlWith = (authority: string): readonly string[] => ['--cacert', authority]

test('a certificate of one’s own is shown at once, followed in its files, warned of when they are wrong, and taken back', async () => {
  mkdirSync(own)
  const shop = makeAuthority(own, 'shop')
  const names = forServers('DNS:n1.shop', `IP:${lab.network.address('n1')}`)
  const first = makeSigned(own, shop, { name: 'first', extensions: names })
  const [certificate, key] = [join(own, 'n1.pem'), join(own, 'n1.key')]
  const put = (from: { readonly certificate: string; readonly key: string }): void => {
    copyFileSync(from.key, key)
    copyFileSync(from.certificate, certificate)
  }
  put(first)
  await expect(seenFrom(...curlWith(shop.certificate), at('n1', '/live'))).rejects.toThrow(/certificate/)
  const wrong = [certificate, join(own, 'shop.key')]
  await expect(lab.systole('n1', 'console', 'certificate', 'set', ...wrong)).rejects.toThrow(/key does not belong/)
  const said = await lab.systole('n1', 'console', 'certificate', 'set', certificate, key)
  expect(said).toMatch(/CN=first, signed by CN=shop[\s\S]*for n1\.shop, 10\.83\.0\.1[\s\S]*shown by itself/)
  expect((await seenFrom(...curlWith(shop.certificate), at('n1', '/live'))).status).toBe(200)
  const shown = async (): Promise<string> =>
    await run(
      'ip',
      'netns',
      'exec',
      lab.network.clientSpace,
      'sh',
      '-c',
      `openssl s_client -connect ${lab.network.address('n1')}:7705 </dev/null 2>/dev/null | openssl x509 -noout -subject`,
    )
  expect(await shown()).toContain('CN = first')
  // Whatever renews it writes the files, and nothing else.
  put(makeSigned(own, shop, { name: 'second', extensions: names }))
  await lab.until('the newer one is shown', async () => (await shown()).includes('CN = second'))
  copyFileSync(shop.key, key)
  const warned = /On n1: The certificate of the HTTPS API is not replaced by that in .*key does not belong/
  await lab.until('another node warns', async () => warned.test(await lab.systole('n2', 'status')), 60_000)
  expect(await shown()).toContain('CN = second')
  await lab.systole('n1', 'console', 'certificate', 'unset')
  expect(await shown()).toContain('CN = n1')
}, 180_000)

test('clients with a certificate: who they are by which rule, on every node, in log and history; others get a sentence', async () => {
  const ops = makeAuthority(own, 'ops')
  const anna = makeSigned(own, ops, { name: 'anna', subject: '/O=Shop/CN=anna', extensions: forClients })
  const other = makeSigned(own, ops, { name: 'other', extensions: forClients })
  const shows = ({ certificate, key }: { readonly certificate: string; readonly key: string }): readonly string[] => [
    ...curlWith(join(lab.folder, 'nodes/n1/etc/pki/authority.crt')),
    ...['--cert', certificate, '--key', key],
  ]
  const rule = ['--ca', ops.certificate, '--common-name=anna', '--role=operator']
  await lab.systole('n1', 'console', 'client', 'add', 'ops', ...rule)
  expect(await lab.systole('n2', 'console', 'client', 'list')).toMatch(
    /ops +signed by CN=ops +roles operator \(only anna\)/,
  )
  for (const node of nodes)
    await lab.until(
      `${node} knows her`,
      async () => (await seenFrom(...shows(anna), at(node, '/api/v1/status'))).status === 200,
    )
  const body = ['-H', 'Content-Type: application/json', '-d', '{"words": ["web"]}']
  expect((await seenFrom(...shows(anna), ...body, at('n2', '/api/v1/resource/disable'))).status).toBe(200)
  expect((await seenFrom(...shows(anna), ...body, at('n2', '/api/v1/resource/delete'))).status).toBe(403)
  expect((await seenFrom(...shows(anna), ...body, at('n2', '/api/v1/resource/enable'))).status).toBe(200)
  expect(await lab.systole('n1', 'config', 'history')).toMatch(/certificate:ops\/anna@n2 +systole resource disable web/)
  const log = await lab.inNode('n2', 'cat', join(lab.folder, 'nodes/n2/systoled.log'))
  expect(log).toMatch(/"user":"certificate:ops\/anna","from":"10\.83\.0\.253","certificate":"O=Shop, CN=anna"/)
  expect(await lab.systole('n2', 'timeline', 'list')).toContain('(certificate O=Shop, CN=anna)')
  const refused = await seenFrom(...shows(other), at('n1', '/api/v1/status'))
  expect([refused.status, refused.body]).toEqual([
    401,
    expect.stringMatching(/CN=other, SHA-256 .* is not one that this cluster accepts/) as unknown,
  ])
  const boss = ['--certificate', other.certificate, '--administrator']
  await lab.systole('n1', 'console', 'client', 'add', 'boss', ...boss)
  const session = await seenFrom(...shows(other), at('n1', '/api/v1/session'))
  expect(JSON.parse(session.body)).toMatchObject({ user: 'certificate:boss', limited: false })
  await lab.systole('n1', 'console', 'client', 'remove', 'boss')
  await lab.systole('n1', 'console', 'client', 'add', 'bin', '--certificate', other.certificate, '--user=bin')
  expect(await seenFrom(...shows(other), at('n1', '/api/v1/session'))).toMatchObject({
    status: 403,
    body: expect.stringContaining('bin is not a member of the group haclient') as unknown,
  })
  await lab.systole('n1', 'console', 'client', 'remove', 'ops')
  await lab.systole('n1', 'console', 'client', 'add', 'names', '--ca', ops.certificate, '--user')
  expect(await lab.systole('n1', 'console', 'client', 'list')).toContain('the user of the common name')
  await lab.systole('n1', 'console', 'client', 'remove', 'names')
  expect((await seenFrom(...shows(anna), at('n1', '/api/v1/status'))).status).toBe(401)
}, 120_000)

test('the process of the API comes back when it is killed, and goes when the API is disabled; another port is another', async () => {
  const before = (await lab.inNode('n3', 'pgrep', '-f', 'dist/web.mjs')).trim()
  await lab.inNode('n3', 'kill', '-9', before)
  await lab.until('it answers again', async () => (await outside.ask('n3', '/live')).status === 200)
  const said = await lab.systole('n3', 'console', 'enable', '--port=7805')
  expect(said).toContain(`https://${lab.network.address('n3')}:7805/`)
  expect(await lab.inNode('n3', 'ss', '-tlnH')).toMatch(/:7805(?![\s\S]*:7705)/)
  await lab.systole('n3', 'console', 'disable')
  expect(await lab.inNode('n3', 'ss', '-tlnH')).not.toMatch(/:7[78]05/)
  await expect(lab.inNode('n3', 'pgrep', '-f', 'dist/web.mjs')).rejects.toThrow()
  await lab.systole('n3', 'console', 'enable')
})

test('a node whose cluster is stopped answers so, and can be started by an administrator’s token', async () => {
  await lab.systole('n3', 'cluster', 'stop')
  expect((await outside.ask('n3', '/live')).status).toBe(200)
  expect((await outside.ask('n3', '/ready')).status).toBe(503)
  const status = await outside.ask('n3', '/api/v1/status', { token: tokens.admin })
  expect([status.status, status.body]).toEqual([503, expect.stringContaining('not started on this node') as unknown])
  await outside.result('n3', '/cluster/start', { method: 'POST', token: tokens.admin, body: { words: ['n3'] } })
  await lab.until('n3 is ready', async () => (await outside.ask('n3', '/ready')).status === 200)
})

test('without quorum it shows the last known state, says so, and changes nothing', async () => {
  await Promise.all(['n2', 'n3'].map(async (node) => await lab.power.off(node)))
  await lab.until('n1 is not ready', async () => (await outside.ask('n1', '/ready')).status === 503)
  expect((await outside.ask('n1', '/resource/web/active')).status).toBe(503)
  expect(await outside.result('n1', '/status', { token: tokens.monitor })).toMatchObject({ quorum: { quorate: false } })
  const change = { method: 'POST', token: tokens.admin, body: { words: ['web'] } }
  expect((await outside.ask('n1', '/api/v1/resource/disable', change)).status).toBe(503)
})
