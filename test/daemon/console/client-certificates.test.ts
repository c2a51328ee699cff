/** Certificates of clients at the real HTTPS server on loopback, shown by curl: whom each rule lets in and as whom, and what is said to the others. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { parseXml, readConfiguration } from '../../../src/cib/index.ts'
import type { ReplicatedConfiguration } from '../../../src/controller/index.ts'
import { rightsOf } from '../../../src/daemon/access/rights.ts'
import { ClientCertificates } from '../../../src/daemon/console/client-certificates.ts'
import { createAuthority, createNodeCertificate, type LocalClient, refuse } from '../../../src/rpc/index.ts'
import { createStore, type Entry, type Store } from '../../../src/store/index.ts'
import { Web } from '../../../src/web/listen.ts'
import {
  type CertificateFiles,
  forClients,
  forServers,
  makeAuthority,
  makeSigned,
} from '../../support/own-certificates.ts'

const run = promisify(execFile)
const host = '127.0.0.1'
const at = { port: 30_000 + ((process.pid + 7) % 20_000), addresses: [host] }
const silent = { debug: () => undefined, info: () => undefined, error: () => undefined }
const warned: string[] = []
let folder: string
let store: Store
let entries: readonly Entry[] = []
let aclIsOn = false
let clients: ClientCertificates
let web: Web
let told: (() => void) | undefined
let cluster: Awaited<ReturnType<typeof createAuthority>>
let identity: Parameters<Web['obey']>[0]['identity']
const files: Record<string, CertificateFiles> = {}
const pem = (name: string): string => readFileSync(files[name]?.certificate ?? '', 'utf8')

function configuration(): ReplicatedConfiguration {
  const parsed =
    parseXml(`<cib><configuration><crm_config><cluster_property_set id="o"><nvpair id="o-a" name="enable-acl" value="${aclIsOn}"/></cluster_property_set></crm_config>
    <nodes/><resources/><constraints/><acls><acl_role id="monitor"><acl_permission id="m" kind="read" xpath="/cib"/></acl_role>
    <acl_target id="anna"><role id="monitor"/></acl_target></acls></configuration></cib>`)
  if (!parsed.ok) throw new Error(parsed.reports[0]?.message)
  return { cib: parsed.value, typed: readConfiguration(parsed.value), version: 1 } as unknown as ReplicatedConfiguration
}

/** A daemon that knows certificates alone. */
function daemonFor(token: string, from: string): LocalClient {
  const sources = {
    users: {
      byId: async () => await Promise.resolve(undefined),
      byName: async () => await Promise.resolve(undefined),
      knownByName: async (name: string) =>
        await Promise.resolve(name === 'hal' ? { name, groups: ['haclient'] } : undefined),
    },
    web: () => {
      if (token.startsWith('certificate_')) return clients.rightsOf({ token })
      throw refuse('unknown-token', 'This token is not known.')
    },
    ownUid: 0,
    configuration,
    wasOn: () => false,
  }
  return {
    openCertificate: async (asked: Parameters<ClientCertificates['open']>[0]) =>
      await Promise.resolve({ session: clients.open(asked, from) }),
    whoAmI: async () => {
      const rights = await rightsOf({ kind: 'web', token, from }, sources)
      return { user: rights.user, limited: rights.kind === 'limited' }
    },
    closeSession: async () => await Promise.resolve({}),
    close: () => undefined,
  } as unknown as LocalClient
}

async function obey(): Promise<void> {
  const begun = new Promise<void>((resolve) => {
    told = resolve
  })
  web.obey({ ...at, identity, clientAuthorities: clients.authorities })
  await begun
}

async function add(name: string, certificate: string, more: Partial<Parameters<ClientCertificates['add']>[0]>) {
  const asked = { name, certificate, isAuthority: false, commonNames: [], kind: 'user', user: '', roles: [], ...more }
  await clients.add(asked, 'root')
  await look()
}
async function look(): Promise<void> {
  entries = (await store.list('/systole/api-clients/')).entries
  await obey()
}

interface Said {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** What curl gets for a certificate; several files are one chain. */
async function ask(name?: string, ...options: readonly string[]): Promise<Said> {
  const shown = name === undefined ? [] : ['--cert', files[name]?.certificate ?? '', '--key', files[name]?.key ?? '']
  const { stdout } = await run('curl', [
    ...['-sS', '--cacert', join(folder, 'cluster.pem'), '-w', '\n%{http_code}', ...shown, ...options],
    `https://${host}:${at.port}/api/v1/session`,
  ])
  const [body = '', status = '0'] = stdout.split(/\n(?=\d+$)/)
  return { status: Number(status), body: JSON.parse(body === '' ? '{}' : body) as Said['body'] }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'systole-clients-'))
  store = createStore({ kind: 'embedded', directory: join(folder, 'store') })
  cluster = await createAuthority('cluster')
  writeFileSync(join(folder, 'cluster.pem'), cluster.certificate)
  identity = {
    ...(await createNodeCertificate(cluster, { name: 'n1', addresses: [host] })),
    authority: cluster.certificate,
  }
  const ops = makeAuthority(folder, 'ops')
  const other = makeAuthority(folder, 'other')
  Object.assign(files, { ops, other })
  const between = makeSigned(folder, ops, { name: 'between', extensions: ['basicConstraints=critical,CA:TRUE'] })
  const client = (name: string, by: CertificateFiles, more: object = { extensions: forClients }): CertificateFiles => {
    const made = makeSigned(folder, by, { name, ...more })
    files[name] = made
    return made
  }
  for (const name of ['anna', 'bert', 'hal', 'root', 'hacluster']) client(name, ops)
  client('stranger', other, { subject: '/CN=anna', extensions: forClients })
  client('server', ops, { subject: '/CN=anna', extensions: forServers('DNS:anna') })
  client('twice', ops, { subject: '/CN=anna/CN=bert', extensions: forClients })
  client('odd', ops, { subject: '/CN=anna; rm', extensions: forClients })
  client('authority', ops, { subject: '/CN=anna', extensions: ['basicConstraints=critical,CA:TRUE'] })
  const below = client('below', between, { subject: '/CN=anna', extensions: forClients })
  files.alone = below
  files.chain = { ...below, certificate: join(folder, 'chain.pem') }
  writeFileSync(
    files.chain.certificate,
    readFileSync(below.certificate, 'utf8') + readFileSync(between.certificate, 'utf8'),
  )
  clients = new ClientCertificates({
    file: join(folder, 'api-clients.json'),
    log: { ...silent, warn: (text) => void warned.push(text) },
    known: () => entries,
    store: () => store,
    configuration,
    authority: () => cluster.certificate,
    onChange: () => undefined,
  })
  web = new Web(
    ({ token, from }) => daemonFor(token, from),
    () => undefined,
    { tell: () => told?.(), pages: new Map() },
  )
  await obey()
})
afterEach(async () => {
  for (const { name } of clients.list()) await clients.remove(name, 'root')
  aclIsOn = false
  await look()
})
afterAll(async () => {
  await web.close()
  clients.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

test('nobody is asked for a certificate before one is accepted; then a token is not needed', async () => {
  expect(await ask('anna')).toMatchObject({
    status: 401,
    body: { detail: expect.stringContaining('token') as unknown },
  })
  await add('monitor', pem('anna'), { kind: 'roles', roles: ['monitor'] })
  expect(await ask('anna')).toEqual({ status: 200, body: { user: 'certificate:monitor', limited: true } })
  expect((await ask()).status).toBe(401)
  await clients.remove('monitor', 'root')
  await look()
  expect((await ask('anna')).status).toBe(401)
})

test('a single certificate that is not the one that was named is refused, with its subject', async () => {
  await add('admin', pem('bert'), { kind: 'administrator' })
  expect(await ask('bert')).toMatchObject({ status: 200, body: { user: 'certificate:admin', limited: false } })
  const { status, body } = await ask('anna')
  expect([status, body.code, body.detail]).toEqual([
    401,
    'unknown-certificate',
    expect.stringMatching(/\(CN=anna, SHA-256 [\dA-F:]{95}\) is not one that this cluster accepts.*console client add/),
  ])
  expect(warned).toContain('the certificate of a client was refused')
})

test('of an authority: its common names are users with the rights that the access control lists give them', async () => {
  await add('ops', pem('ops'), { isAuthority: true })
  // A member of haclient on this host, and nobody else while access control is off.
  expect(await ask('hal')).toMatchObject({ status: 200, body: { user: 'hal', limited: false } })
  expect(await ask('anna')).toMatchObject({ status: 403, body: { code: 'no-role' } })
  aclIsOn = true
  expect(await ask('anna')).toMatchObject({ status: 200, body: { user: 'anna', limited: true } })
  expect(await ask('chain')).toMatchObject({ status: 200, body: { user: 'anna' } })
  expect(await ask('bert')).toMatchObject({ status: 403, body: { code: 'no-role' } })
  for (const name of ['root', 'hacluster'])
    expect(await ask(name)).toMatchObject({ status: 403, body: { code: 'no-such-user' } })
  for (const name of ['stranger', 'server', 'authority', 'alone'])
    expect([name, await ask(name)]).toMatchObject([name, { status: 401, body: { code: 'unknown-certificate' } }])
})

test.each(['twice', 'odd'])('a common name that is no single user is refused: %s', async (name) => {
  aclIsOn = true
  await add('ops', pem('ops'), { isAuthority: true })
  expect(await ask(name)).toMatchObject({ status: 401, body: { code: 'no-common-name' } })
})

test('of an authority only those with a name that was named, before a rule for all', async () => {
  await add('few', pem('ops'), { isAuthority: true, commonNames: ['bert', 'hal'], kind: 'administrator' })
  expect(await ask('bert')).toMatchObject({ status: 200, body: { user: 'certificate:few/bert', limited: false } })
  expect((await ask('anna')).status).toBe(401)
  await add('all', pem('ops'), { isAuthority: true, kind: 'roles', roles: ['monitor'] })
  expect((await ask('bert')).body).toMatchObject({ user: 'certificate:few/bert' })
  expect((await ask('anna')).body).toMatchObject({ user: 'certificate:all/anna', limited: true })
})

test('a token that is shown counts, whatever certificate comes with it', async () => {
  await add('admin', pem('bert'), { kind: 'administrator' })
  expect(await ask('bert', '-H', 'Authorization: Bearer systole_wrong')).toMatchObject({
    status: 401,
    body: { code: 'unknown-token' },
  })
})

test('what changes something comes as JSON, which a page elsewhere cannot send by itself', async () => {
  await add('admin', pem('bert'), { kind: 'administrator' })
  expect(await ask('bert', '-X', 'DELETE')).toMatchObject({ status: 415, body: { code: 'not-json' } })
  expect((await ask('bert', '-X', 'DELETE', '-H', 'Content-Type: application/json')).status).toBe(204)
})

test('a rule that is removed ends what it gave, also on a connection that stays open', async () => {
  await add('admin', pem('bert'), { kind: 'administrator' })
  await add('other', pem('hal'), { kind: 'administrator' })
  const shown = { cert: pem('bert'), key: readFileSync(files.bert?.key ?? '', 'utf8'), ca: cluster.certificate }
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const sockets = new Set<unknown>()
  const status = async (): Promise<number> =>
    await new Promise((resolve, reject) => {
      const asked = request({ host, port: at.port, path: '/api/v1/session', agent, ...shown }, (response) => {
        sockets.add(response.socket)
        response.resume().on('end', () => resolve(response.statusCode ?? 0))
      })
      asked.on('error', reject).end()
    })
  expect(await status()).toBe(200)
  await clients.remove('admin', 'root')
  await look()
  expect([await status(), sockets.size]).toEqual([401, 1])
  agent.destroy()
})

test('guessing with certificates closes the door as with tokens', async () => {
  await add('admin', pem('bert'), { kind: 'administrator' })
  await new Promise<void>((resolve) => setImmediate(resolve))
  const answers: number[] = []
  for (let times = 0; times < 12 && answers.at(-1) !== 429; times += 1) answers.push((await ask('anna')).status)
  expect(answers.at(-1)).toBe(429)
})

test('what is no sensible rule is refused', async () => {
  const one = { isAuthority: false, commonNames: [], kind: 'administrator', user: '', roles: [], name: 'x' }
  const outcome = async (more: object): Promise<string> =>
    await clients.add({ ...one, certificate: pem('anna'), ...more }, 'root').then(
      () => 'added',
      (error: unknown) => String(error),
    )
  const ops = { certificate: pem('ops'), isAuthority: true }
  expect(await outcome({ name: 'a b' })).toContain('is not a name')
  expect(await outcome({ certificate: 'x' })).toContain('has no certificate')
  expect(await outcome({ certificate: pem('anna') + pem('bert') })).toContain('has 2 certificates')
  expect(await outcome({ isAuthority: true, commonNames: ['a'] })).toContain('is not an authority')
  expect(await outcome(ops)).toContain('Every certificate of this authority would be an administrator')
  expect(await outcome({ ...ops, kind: 'user', user: 'root' })).toContain('Nobody is root')
  expect(await outcome({ kind: 'user' })).toContain('Specify which user')
  expect(await outcome({ kind: 'roles' })).toContain('at least one role')
  expect(await outcome({ kind: 'roles', roles: ['nosuch'] })).toContain("no role 'nosuch'")
  expect(await outcome({ kind: 'emperor' })).toContain("'emperor' is not known")
  expect(await outcome({ commonNames: ['a'] })).toContain('--common-name')
  expect(await outcome({ certificate: cluster.certificate, isAuthority: true, kind: 'user' })).toContain(
    'of the cluster itself',
  )
  await add('x', pem('anna'), { kind: 'administrator' })
  expect(await outcome({})).toContain("'x' is already for the same certificates")
  expect(await outcome({ certificate: pem('bert') })).toContain("already a client 'x'")
})
