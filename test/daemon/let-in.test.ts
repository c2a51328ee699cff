/** Who is let in with which token: the attacks of strangers and of holders of a token that was meant for something else. */

import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { fieldsWithoutSecrets, type Log } from '../../src/daemon/host/log.ts'
import { pathsBelow } from '../../src/daemon/host/paths.ts'
import { AttemptLimit } from '../../src/daemon/joining/attempt-limit.ts'
import { JoinTokens } from '../../src/daemon/joining/join-tokens.ts'
import { askToJoin } from '../../src/daemon/joining/joining-key.ts'
import { enrolHandler } from '../../src/daemon/joining/let-in.ts'
import { type ClusterFile, type ClusterNodeEntry, parseClusterFile } from '../../src/daemon/node-list/cluster-file.ts'
import { changeNodeList, ofNodes, storedList } from '../../src/daemon/node-list/node-list.ts'
import { alikeHosts, remoteNameObstacle } from '../../src/daemon/node-list/node-names.ts'
import { learnKey } from '../../src/daemon/pki/pins.ts'
import {
  createAuthority,
  createKeys,
  createNodeCertificate,
  type Enrol,
  type JoinRole,
  type KeyPair,
  keyOfPublic,
  parseToken,
  serveEnrolment,
} from '../../src/rpc/index.ts'
import { createStore, type Store, StoreUnavailableError } from '../../src/store/index.ts'

const silentLog: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

let authority: KeyPair
let folder: string
let file: ClusterFile
let publicKey: string
let rotating = false
let outOfReach = false

beforeAll(async () => {
  authority = await createAuthority('prod')
  publicKey = (await createKeys()).publicKey
})

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-let-in-'))
  file = clusterOf({ n1: [keyText], n2: [keyText], n4: [] })
  rotating = false
  outOfReach = false
})

afterEach(() => rmSync(folder, { recursive: true }))

const keyText = `${'A'.repeat(43)}=`

function clusterOf(nodes: Readonly<Record<string, readonly string[] | undefined>>): ClusterFile {
  const entries = Object.entries(nodes).map(([name, keys], index) => ({
    name,
    address: `10.83.0.${index + 1}`,
    ...(keys && { keys }),
  }))
  const witness = { name: 'w1', address: '10.83.0.9', keys: [] }
  const parsed = parseClusterFile(JSON.stringify({ clusterName: 'prod', nodes: entries, witness }))
  if (!parsed.ok) throw new Error(parsed.reports.map(({ message }) => message).join())
  return parsed.value
}

/** A member with its own file of tokens; `store`: what members share. */
function member(
  name = 'n1',
  store?: Store,
  meanwhile: () => Promise<unknown> = async () => undefined,
  log = silentLog,
): { readonly tokens: JoinTokens; readonly enrol: Enrol } {
  const tokens = new JoinTokens({
    file: join(folder, `${name}.json`),
    self: () => name,
    log,
    store: () => (outOfReach ? undefined : store),
    mayBeInStore: () => store !== undefined,
  })
  const enrol = enrolHandler({
    log,
    tokens,
    file: () => file,
    wasSeen: (node) => node === 'n2',
    isRotating: () => rotating,
    isRemoteNode: (node) => node === 'r1',
    withAuthority: async (use) => await use(authority),
    withKeyOf: async (host, publicKey) => {
      await meanwhile()
      const key = keyOfPublic(createPublicKey(publicKey))
      const ports = { self: name, log: silentLog, store, tell: async () => undefined }
      const changed = await learnKey(ports, file, { host, key, joins: true })
      // Others learn it from the store, later.
      if (store === undefined) file = changed
      return changed
    },
  })
  return { tokens, enrol }
}

async function secretFor(tokens: JoinTokens, role: JoinRole, node?: string): Promise<string> {
  const { token } = await tokens.issue(authority.certificate, { role, ...(node === undefined ? {} : { node }) })
  const parsed = parseToken(token)
  if (!parsed.ok) throw new Error('The token is bad.')
  return parsed.value.secret
}

const as = (role: JoinRole) => (role === 'member' ? {} : { [role]: true })

const attacks: readonly {
  readonly name: string
  readonly token: JoinRole
  readonly of?: string
  readonly asked: JoinRole
  readonly node: string
  readonly says: RegExp
}[] = [
  {
    name: 'a remote host’s token for the member that is there',
    token: 'remote',
    asked: 'member',
    node: 'n1',
    says: /for a remote node/,
  },
  {
    name: 'a remote host’s token for a member that is awaited',
    token: 'remote',
    asked: 'member',
    node: 'n4',
    says: /for a remote node/,
  },
  {
    name: 'a member’s token for a remote node',
    token: 'member',
    asked: 'remote',
    node: 'east-05',
    says: /for a member/,
  },
  { name: 'a member’s token for the witness', token: 'member', asked: 'witness', node: 'w1', says: /for a member/ },
  {
    name: 'a token for any member, for one that has joined',
    token: 'member',
    asked: 'member',
    node: 'n1',
    says: /has already joined/,
  },
  { name: 'the token of n4, for n2', token: 'member', of: 'n4', asked: 'member', node: 'n2', says: /is for n4/ },
  { name: 'a node of no list', token: 'member', asked: 'member', node: 'n9', says: /has no node 'n9'/ },
  { name: 'a member’s name in capitals', token: 'member', asked: 'member', node: 'N4', says: /has no node 'N4'/ },
  { name: 'a remote node N1 beside n1', token: 'remote', asked: 'remote', node: 'N1', says: /means n1/ },
]

for (const { name, token, of, asked, node, says } of attacks)
  test(`refused: ${name}`, async () => {
    const { tokens, enrol } = member()
    const secret = await secretFor(tokens, token, of)
    await expect(enrol({ secret, node, publicKey, ...as(asked) }, '10.0.0.66')).rejects.toThrow(says)
    const { events } = await tokens.list()
    expect(events.at(-1)).toMatchObject({ kind: 'refused', role: asked, node, address: '10.0.0.66' })
  })

test('a store that does not answer is no fault of the token: the same one lets the host in afterwards', async () => {
  const store = createStore({ kind: 'embedded', directory: join(folder, 'store') })
  try {
    const { tokens, enrol } = member('n1', store)
    const asked = { secret: await secretFor(tokens, 'member', 'n4'), node: 'n4', publicKey }
    const failed = async () => {
      throw new StoreUnavailableError('etcd does not answer at https://10.83.0.1:2379.')
    }
    const spies = [
      vi.spyOn(store, 'get').mockImplementation(failed),
      vi.spyOn(store, 'transaction').mockImplementation(failed),
    ]
    const failure: unknown = await enrol(asked, '').catch((error: unknown) => error)
    expect(failure).toMatchObject({
      code: 'store-failed',
      sentences: [expect.stringContaining('store'), expect.stringContaining('same token')],
    })
    // What etcd said, and where it listens, is for the log of this node.
    expect(JSON.stringify(failure)).not.toContain('2379')
    for (const spy of spies) spy.mockRestore()
    await expect(enrol(asked, '')).resolves.toMatchObject({ certificate: expect.any(String) })
  } finally {
    await store.close()
  }
})

test('a member of a list that an older build wrote is not enrolled again either', async () => {
  file = clusterOf({ n1: undefined, n2: undefined })
  const { tokens, enrol } = member()
  await expect(enrol({ secret: await secretFor(tokens, 'member'), node: 'n2', publicKey }, '')).rejects.toThrow(
    /has already joined/,
  )
})

test('the member that is awaited is let in once, without a key of the authority, and nobody again with that token', async () => {
  const { tokens, enrol } = member()
  const secret = await secretFor(tokens, 'member', 'n4')
  const answer = await enrol({ secret, node: 'n4', publicKey }, '10.83.0.3')
  expect(answer.authority).toEqual({ certificate: authority.certificate })
  expect(JSON.stringify(answer)).not.toContain('PRIVATE')
  expect(new X509Certificate(answer.certificate).checkHost('n4')).toBe('n4')
  const another = (await createKeys()).publicKey
  await expect(enrol({ secret, node: 'n4', publicKey: another }, '10.83.0.3')).rejects.toThrow(/was used by n4/)
  const { events, tokens: kept } = await tokens.list()
  expect(events.map(({ kind }) => kind)).toEqual(['issued', 'joined', 'refused'])
  expect(kept).toMatchObject([{ role: 'member', node: 'n4', used: { node: 'n4', address: '10.83.0.3' } }])
})

test('no file has the secret, and only root reads it', async () => {
  const { tokens } = member()
  const secret = await secretFor(tokens, 'member')
  const path = join(folder, 'n1.json')
  expect(readFileSync(path, 'utf8')).not.toContain(secret)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('of two members that are shown one token at the same time, one lets in', async () => {
  const store = createStore({ kind: 'embedded', directory: join(folder, 'store') })
  const [one, other] = [member('n1', store), member('n2', store)]
  const secret = await secretFor(one.tokens, 'remote')
  const asked = (node: string) => ({ secret, node, publicKey, remote: true })
  const answers = await Promise.allSettled([one.enrol(asked('east-1'), 'a'), other.enrol(asked('east-2'), 'b')])
  expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect((await one.tokens.list()).events.map(({ kind }) => kind).sort()).toEqual(['issued', 'joined', 'refused'])
  await store.close()
})

test('of two hosts that join as one member at the same time, each with a good token, one is it', async () => {
  const store = createStore({ kind: 'embedded', directory: join(folder, 'store') })
  const members = [member('n1', store), member('n2', store)]
  const join2 = members.map(async ({ tokens, enrol }) => {
    const { publicKey: own } = await createKeys()
    return await enrol({ secret: await secretFor(tokens, 'member'), node: 'n4', publicKey: own }, '')
  })
  const answers = await Promise.allSettled(join2)
  expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(String(answers.find(({ status }) => status === 'rejected')?.['reason' as never])).toMatch(/joined .* as n4/)
  expect((await storedList(store))?.nodes.find(({ name }) => name === 'n4')?.keys).toHaveLength(1)
  await store.close()
})

for (const { what, change } of [
  { what: 'removed', change: () => [] },
  { what: 'marked as leaving', change: (node: ClusterNodeEntry) => [{ ...node, leaving: true as const }] },
])
  test(`a node that is ${what} while it is let in gets no certificate, which nothing would revoke`, async () => {
    const store = createStore({ kind: 'embedded', directory: join(folder, 'store') })
    const changed = ofNodes((nodes) => nodes.flatMap((node) => (node.name === 'n4' ? change(node) : [node])))
    const { tokens, enrol } = member('n1', store, async () => await changeNodeList(store, file, changed))
    const secret = await secretFor(tokens, 'member', 'n4')
    await expect(enrol({ secret, node: 'n4', publicKey }, '')).rejects.toThrow(/n4 was removed/)
    expect((await storedList(store))?.nodes.find(({ name }) => name === 'n4')?.keys ?? []).toEqual([])
    await store.close()
  })

test('a key that is none is refused, and the token is good for the next attempt', async () => {
  const { tokens, enrol } = member()
  const secret = await secretFor(tokens, 'remote', 'east-1')
  await expect(enrol({ secret, node: 'east-1', publicKey: 'x', remote: true }, '')).rejects.toThrow(/P-256/)
  await expect(enrol({ secret, node: 'east-1', publicKey, remote: true }, '')).resolves.toBeDefined()
})

test('the log says by its id which token was made, used and refused, as the list of tokens does', async () => {
  const logged: unknown[] = []
  const note = (_message: string, fields: object = {}): void => void logged.push(fieldsWithoutSecrets(fields, 0))
  const { tokens, enrol } = member('n1', undefined, undefined, { debug: note, info: note, warn: note, error: note })
  const secret = await secretFor(tokens, 'remote')
  await enrol({ secret, node: 'east-1', publicKey, remote: true }, 'a')
  await expect(enrol({ secret, node: 'east-2', publicKey, remote: true }, 'b')).rejects.toThrow(/was used/)
  const { id } = (await tokens.list()).tokens[0] ?? {}
  expect(logged).toMatchObject([{ id }, { id, node: 'east-1' }, { id, node: 'east-2' }])
  expect(JSON.stringify(logged)).not.toContain(secret)
})

test('guesses are refused by their address, and cannot push uses out of the history', async () => {
  const { tokens, enrol } = member()
  const secret = await secretFor(tokens, 'remote')
  const guess = async (address: string) => await enrol({ secret: 'x'.repeat(32), node: 'n1', publicKey }, address)
  for (let count = 0; count < 5; count++)
    await expect(guess('10.0.0.66')).rejects.toMatchObject({ code: 'token-not-valid' })
  await expect(guess('10.0.0.66')).rejects.toMatchObject({ code: 'too-many-attempts' })
  for (let count = 0; count < 60; count++) await guess(`10.0.1.${count}`).catch(() => undefined)
  const book = await tokens.list()
  expect(book.strangers).toHaveLength(20)
  expect(book.events.map(({ kind }) => kind)).toEqual(['issued'])
  // The rightful host is not kept out by that.
  await expect(enrol({ secret, node: 'east-1', publicKey, remote: true }, '10.0.0.5')).resolves.toBeDefined()
})

test('guesses from many addresses are not all written down, and keep out nobody who has a token', async () => {
  const warned: string[] = []
  const warn = (message: string): void => void warned.push(message)
  const { tokens, enrol } = member('n1', undefined, undefined, { ...silentLog, warn })
  const secret = await secretFor(tokens, 'remote')
  const noted = vi.spyOn(tokens, 'note')
  const judged = vi.spyOn(tokens, 'judge')
  const guess = async (address: string) => await enrol({ secret: 'x'.repeat(32), node: 'n1', publicKey }, address)
  for (let count = 0; count < 80; count++)
    await expect(guess(`10.0.${count}.1`)).rejects.toMatchObject({ code: 'token-not-valid' })
  expect(noted).toHaveBeenCalledTimes(60)
  expect(warned.filter((message) => message === 'a host was not let in')).toHaveLength(60)
  expect(warned.filter((message) => message.startsWith('more wrong join tokens'))).toHaveLength(1)
  // One after the other: not all that come at once are looked for in the store at once.
  let atOnce = 0
  let most = 0
  judged.mockImplementation(async () => {
    most = Math.max(most, ++atOnce)
    await new Promise((resolve) => setImmediate(resolve))
    atOnce--
    return { kind: 'unknown' }
  })
  const crowd = Array.from({ length: 8 }, (_, count) => guess(`10.1.${count}.1`).catch(() => undefined))
  await Promise.all(crowd)
  expect(most).toBe(1)
  judged.mockRestore()
  await expect(enrol({ secret, node: 'east-1', publicKey, remote: true }, '10.0.0.5')).resolves.toBeDefined()
})

test('an address may try again after a minute, and many together are written down again', () => {
  const limit = new AttemptLimit()
  for (let time = 0; time < 5; time++) limit.failed('a', time)
  expect(limit.mayTry('a', 100)).toBe(false)
  expect(limit.mayTry('b', 100)).toBe(true)
  expect(limit.mayTry('a', 61_000)).toBe(true)
  const verdicts = Array.from({ length: 70 }, (_, count) => limit.failed(`c${count}`, 1000))
  expect(verdicts.filter((verdict) => verdict === 'noted')).toHaveLength(55)
  expect(limit.failed('d', 62_000)).toBe('noted')
})

for (const { role, node } of [
  { role: 'member', node: 'n4' },
  { role: 'remote', node: 'east-1' },
  { role: 'witness', node: 'w1' },
] as const)
  test(`a ${role} that has not heard the answer asks again with its key, as long as the token is valid`, async () => {
    const store = createStore({ kind: 'embedded', directory: join(folder, 'store') })
    const { tokens, enrol } = member('n1', store)
    const secret = await secretFor(tokens, role)
    const asked = { secret, node, publicKey, ...as(role) }
    await enrol(asked, 'a')
    file = (await storedList(store)) ?? file
    const again = await enrol(asked, 'b')
    expect(new X509Certificate(again.certificate).publicKey.equals(createPublicKey(publicKey))).toBe(true)
    const other = { ...asked, publicKey: (await createKeys()).publicKey }
    await expect(enrol(other, 'a')).rejects.toThrow(/was used by/)
    vi.useFakeTimers({ now: Date.now() + 2 * 3_600_000, toFake: ['Date'] })
    await expect(enrol(asked, 'a').finally(() => vi.useRealTimers())).rejects.toThrow(/was valid until/)
    await store.close()
  })

test('a host that has not heard the answer because the connection broke has its place all the same', async () => {
  const { tokens, enrol } = member()
  const open = new Set<Socket>()
  let calls = 0
  const identity = await createNodeCertificate(authority, { name: 'n1', addresses: ['127.0.0.1'] })
  const served = await serveEnrolment(
    { host: '127.0.0.1', port: 0, identity: { ...identity, authority: authority.certificate } },
    async (asked, address) => {
      const answer = await enrol(asked, address)
      if (++calls === 1) for (const socket of open) socket.destroy()
      return answer
    },
    () => undefined,
  )
  const wire = createServer((socket) => {
    const on = connect(served.port, '127.0.0.1')
    open.add(socket)
    for (const end of [socket, on]) end.on('error', () => undefined)
    socket.pipe(on).pipe(socket)
    socket.on('close', () => on.destroy())
  })
  await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve))
  const at = { host: '127.0.0.1', port: (wire.address() as AddressInfo).port }
  const parsed = parseToken((await tokens.issue(authority.certificate, { role: 'member', node: 'n4' })).token)
  if (!parsed.ok) throw new Error('The token is bad.')
  const paths = pathsBelow(folder)
  const { answer, key, keep } = await askToJoin(paths, at, parsed.value, { node: 'n4' })
  expect(calls).toBe(2)
  expect(new X509Certificate(answer.certificate).checkPrivateKey(createPrivateKey(key))).toBe(true)
  expect(file.nodes.find(({ name }) => name === 'n4')?.keys).toHaveLength(1)
  // So would one that was ended before it had written the answer down.
  expect((await askToJoin(paths, at, parsed.value, { node: 'n4' })).key).toBe(key)
  expect(statSync(`${paths.pki}.joining`).mode & 0o777).toBe(0o600)
  keep()
  await expect(askToJoin(paths, at, parsed.value, { node: 'n4' })).rejects.toThrow(/was used by n4/)
  for (const socket of open) socket.destroy()
  wire.close()
  await served.close()
})

test('a token without a name gives nobody the name of a remote node that is there', async () => {
  const { tokens, enrol } = member()
  const secret = await secretFor(tokens, 'remote')
  const asked = (node: string) => ({ secret, node, publicKey, remote: true })
  await expect(enrol(asked('r1'), '')).rejects.toThrow(/already has a remote node 'r1'/)
  await expect(enrol(asked('r2'), '')).resolves.toBeDefined()
  const named = await secretFor(tokens, 'remote', 'r1')
  await expect(enrol({ ...asked('r1'), secret: named }, '')).resolves.toBeDefined()
})

test('nobody is let in while the authority is replaced, and the token is not used up', async () => {
  const { tokens, enrol } = member()
  const asked = { secret: await secretFor(tokens, 'member', 'n4'), node: 'n4', publicKey }
  rotating = true
  await expect(enrol(asked, '')).rejects.toMatchObject({ code: 'is-rotating' })
  rotating = false
  await expect(enrol(asked, '')).resolves.toBeDefined()
})

test('a node that cannot read the store calls no token invalid, and counts nothing against the host', async () => {
  const store = createStore({ kind: 'embedded', directory: join(folder, 'store') })
  const { tokens, enrol } = member('n1', store)
  const asked = { secret: await secretFor(tokens, 'member', 'n4'), node: 'n4', publicKey }
  outOfReach = true
  for (let attempt = 0; attempt < 10; attempt++)
    await expect(enrol(asked, '10.83.0.4')).rejects.toThrow(/cannot check the token: it has no quorum/)
  outOfReach = false
  await expect(enrol(asked, '10.83.0.4')).resolves.toBeDefined()
  expect((await tokens.list()).strangers).toEqual([])
  await store.close()
})

test('with a node that is removed go the tokens that were made for it, and those that it has made', async () => {
  const store = createStore({ kind: 'embedded', directory: join(folder, 'store') })
  const [n1, n2] = [member('n1', store), member('n2', store)]
  await secretFor(n1.tokens, 'member', 'n4')
  await secretFor(n1.tokens, 'member', 'n2')
  await n2.tokens.issue(authority.certificate, { role: 'remote', user: 'alice' })
  expect((await n1.tokens.list()).tokens.map(({ by }) => by)).toEqual([
    { node: 'n1' },
    { node: 'n1' },
    { node: 'n2', user: 'alice' },
  ])
  expect(await n1.tokens.withdrawOf('n2')).toBe(2)
  expect((await n1.tokens.list()).tokens).toMatchObject([{ node: 'n4', by: { node: 'n1' } }])
  await store.close()
})

test('a token that was withdrawn lets nobody in', async () => {
  const { tokens, enrol } = member()
  const secret = await secretFor(tokens, 'member', 'n4')
  expect(await tokens.withdraw(({ node }) => node === 'n4')).toBe(1)
  await expect(enrol({ secret, node: 'n4', publicKey }, '')).rejects.toMatchObject({ code: 'token-not-valid' })
})

const names: readonly { readonly name: string; readonly says: RegExp | undefined }[] = [
  { name: 'east-05', says: undefined },
  { name: 'east_05.example', says: undefined },
  { name: 'N1', says: /means n1/ },
  { name: 'w1', says: /means w1, which is the witness/ },
  { name: '10.83.0.1', says: /is an address/ },
  { name: '192.0.2.7', says: /is an address/ },
  { name: 'fd00::1', says: /cannot be the name/ },
  { name: '*', says: /cannot be the name/ },
  { name: '*.example', says: /cannot be the name/ },
  { name: 'a b', says: /cannot be the name/ },
  { name: 'a,DNS:n1', says: /cannot be the name/ },
  { name: 'localhost', says: /more than one host/ },
  { name: 'ip-10-83-0-1.systole', says: /more than one host/ },
  { name: 'a'.repeat(300), says: /cannot be the name/ },
  { name: '', says: /cannot be the name/ },
]
for (const { name, says } of names)
  test(`'${name.slice(0, 20)}' ${says === undefined ? 'may' : 'may not'} be a remote node’s name`, () => {
    const why = remoteNameObstacle(file, name)
    if (says === undefined) expect(why).toBeUndefined()
    else expect(why).toMatch(says)
  })

test('members whose certificates could pass for each other are told', () => {
  const host = (name: string, address: string) => ({ name, address })
  expect(alikeHosts([host('n1', '10.0.0.1'), host('n2', '10.0.0.2'), host('n10', '10.0.0.10')])).toEqual([])
  // Several on one machine, as in the demo.
  expect(alikeHosts([host('n1', '127.0.0.1'), host('n2', '127.0.0.1')])).toEqual([])
  expect(alikeHosts([host('10.0.0.1', '10.0.0.1'), host('10.0.0.2', '10.0.0.2')])).toEqual([])
  expect(alikeHosts([host('n1', '10.0.0.1'), host('N1', '10.0.0.2')])).toHaveLength(1)
  expect(alikeHosts([host('10.0.0.2', '10.0.0.1'), host('n2', '10.0.0.2')])).toHaveLength(1)
})
