import { type AddressInfo, connect as connectTcp, createServer } from 'node:net'
import { connect, createServer as createTlsServer } from 'node:tls'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { nodeName, resourceId } from '../../src/base/index.ts'
import {
  type CallHandlers,
  connectRemote,
  type HardwareCalls,
  LinkEndedError,
  mostOutputBytes,
  nobody,
  type OwnerCalls,
  type OwnerLink,
  type RemoteCalls,
  type RemoteLink,
  RemoteUnreachableError,
  serveRemote,
  type TaskAnswer,
} from '../../src/remote/index.ts'
import {
  connectPeer,
  createAuthority,
  createKeys,
  createNodeCertificate,
  frame,
  type KeyPair,
  keyOf,
  nodeService,
  serialOf,
  serveTcp,
  signNodeCertificate,
  type TlsIdentity,
  type TlsServer,
} from '../../src/rpc/index.ts'

let authority: KeyPair
let member: TlsIdentity
let remote: TlsIdentity
const closing: (() => unknown)[] = []

beforeAll(async () => {
  authority = await createAuthority('testing')
  const pair = await createNodeCertificate(authority, { name: 'n1', addresses: [] })
  member = { ...pair, authority: authority.certificate }
  const { publicKey, key } = await createKeys()
  const certificate = await signNodeCertificate(authority, { name: 'r1', addresses: [], publicKey, servesOnly: true })
  remote = { certificate, key, authority: authority.certificate }
})

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const taken = { accepted: true, done: false, why: '', highestTerm: 3, message: '' }
const command: Parameters<CallHandlers<RemoteCalls>['perform']>[0] = {
  term: 3,
  plannedFrom: 9,
  transitionKey: '1:1:0:x',
  timeoutMs: 1000,
  action: {
    kind: 'resource',
    id: 3,
    inputs: [],
    attributes: {},
    priority: 0,
    operation: 'start',
    key: 'web_start_0',
    resource: resourceId('web'),
    intervalMs: 0,
    agent: { class: 'ocf', provider: 'heartbeat', type: 'Dummy' },
    node: nodeName('r1'),
    nodeId: 'r1',
    downed: [],
  },
}

interface Served {
  readonly server: TlsServer
  readonly owners: string[]
  readonly lost: string[]
  link: OwnerLink | undefined
  answer: typeof taken
  readonly revoked: string[]
  readonly noted: object[]
  task: TaskAnswer
  output: { data: string; ended: boolean }
  hardware: HardwareCalls['hardware']['answer']
  health: HardwareCalls['health']['answer']
  /** The certificates of those that call are of an authority that counts. */
  believes: boolean
}

async function serve(): Promise<Served> {
  const served = {
    owners: [] as string[],
    lost: [] as string[],
    link: undefined as OwnerLink | undefined,
    answer: taken,
    revoked: [] as string[],
    noted: [] as object[],
    believes: true,
    task: { trace: { kind: 'alive' }, incarnation: 17, bootId: 'b' } as TaskAnswer,
    output: { data: '', ended: true },
    hardware: {} as HardwareCalls['hardware']['answer'],
    health: {} as HardwareCalls['health']['answer'],
  }
  const server = await serveRemote(
    { host: '127.0.0.1', port: 0, identity: remote },
    {
      incarnation: 17,
      bootId: 'b',
      ownership: nobody,
      saveOwnership: () => undefined,
      isRevoked: (serial) => served.revoked.includes(serial),
      saveRevoked: (serials) => served.revoked.push(...serials),
      noteMembers: (noted) => served.noted.push(noted),
      onOwned: (link, { owner }) => {
        served.owners.push(owner)
        served.link = link
      },
      onLost: (_link, reason) => served.lost.push(reason),
      perform: async () => served.answer,
      release: async () => ({}),
      pki: async () => ({ trusts: [], certifiedBy: '' }),
      believes: () => served.believes,
      tasks: {
        task: async () => served.task,
        readTask: async () => served.output,
        tasks: async ({ drop }) => ({ ids: drop }),
        writeFile: async () => ({ outcome: 'same' }),
      },
      machine: { hardware: async () => served.hardware, health: async () => served.health },
    },
  )
  closing.push(server.close)
  return Object.assign(served, { server })
}

async function open(
  port: number,
  ends: string[] = [],
  told: string[] = [],
  runTool: CallHandlers<OwnerCalls>['tool'] = async ({ tool }) => ({ exitCode: 0, output: tool, errors: '' }),
): Promise<RemoteLink> {
  const handlers: CallHandlers<OwnerCalls> = {
    announce: async () => ({ written: true }),
    record: async () => ({ revision: 1 }),
    forget: async () => ({}),
    tool: runTool,
    taken: async ({ by }) => {
      told.push(by)
      return {}
    },
    renew: async ({ publicKey }) => ({ certificate: publicKey, authority: '' }),
    leave: async () => ({}),
  }
  const link = await connectRemote({ node: 'r1', host: '127.0.0.1', port }, member, handlers, ({ reason }) =>
    ends.push(reason),
  )
  closing.push(() => link.close())
  return link
}

test('both sides call and answer', async () => {
  const served = await serve()
  const link = await open(served.server.port)
  expect(await link.call('own', { owner: 'n1', token: 5, firstCallId: 1 })).toEqual({
    accepted: true,
    highestToken: 5,
    incarnation: 17,
    bootId: 'b',
  })
  expect(await link.call('perform', command)).toEqual(taken)
  expect(await served.link?.call('tool', { tool: 'crm_node', arguments: [] })).toMatchObject({ output: 'crm_node' })
})

test('what is no message ends the connection, and nothing else', async () => {
  const { server, lost } = await serve()
  const link = await open(server.port)
  await link.call('own', { owner: 'n1', token: 5, firstCallId: 1 })
  const { certificate: cert, key, authority: ca } = member
  const stranger = connect({ host: '127.0.0.1', port: server.port, servername: 'r1', cert, key, ca })
  const ended = new Promise((resolve) => stranger.once('close', resolve))
  stranger.on('error', () => undefined)
  const body = Buffer.from('{nonsense')
  const head = Buffer.alloc(4)
  head.writeUInt32BE(body.length)
  stranger.write(Buffer.concat([head, body]))
  await ended
  expect(lost).toEqual([])
  expect(await link.call('perform', command)).toEqual(taken)
})

/** A cluster node's certificate, and messages that no cluster node sends. Answers what comes back until the connection ends. */
async function say(port: number, ...messages: readonly unknown[]): Promise<string> {
  const { certificate: cert, key, authority: ca } = member
  const socket = connect({ host: '127.0.0.1', port, servername: 'r1', cert, key, ca })
  const ended = new Promise((resolve) => socket.once('close', resolve))
  const heard: Buffer[] = []
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => heard.push(chunk))
  for (const message of messages) socket.write(frame(4, Buffer.from(JSON.stringify(message))))
  await ended
  return Buffer.concat(heard).toString()
}

for (const name of ['toString', '__proto__', 'constructor', 'hasOwnProperty'])
  test(`a call of '${name}' is a word that nobody knows, and ends no daemon`, async () => {
    const { server } = await serve()
    const heard = await say(server.port, { kind: 'call', id: 1, name, body: {} }, { kind: 'no message' })
    expect(heard).toContain(`This version does not support '${name}'.`)
    expect(await (await open(server.port)).call('own', { owner: 'n1', token: 5, firstCallId: 1 })).toMatchObject({
      accepted: true,
    })
  })

const badMessages: readonly { readonly name: string; readonly message: unknown }[] = [
  { name: 'a call without a number', message: { kind: 'call', name: 'own', body: {} } },
  {
    name: 'a token that is no number',
    message: { kind: 'call', id: 1, name: 'own', body: { owner: 'n1', token: '9', firstCallId: 1 } },
  },
  {
    name: 'an owner whose name nobody can have',
    message: { kind: 'call', id: 1, name: 'own', body: { owner: 'n\u001b1', token: 9, firstCallId: 1 } },
  },
  {
    name: 'an action that is none',
    message: { kind: 'call', id: 1, name: 'perform', body: { ...command, action: { kind: 'pseudo' } } },
  },
  { name: 'a list', message: [] },
  { name: 'nothing', message: null },
  {
    name: 'more than a node without a token has to say',
    message: { kind: 'call', id: 1, name: 'own', body: { owner: 'x'.repeat(20_000), token: 9, firstCallId: 1 } },
  },
]
for (const { name, message } of badMessages)
  test(`${name} ends the connection, and nobody else's`, async () => {
    const { server, lost, owners } = await serve()
    const link = await open(server.port)
    await link.call('own', { owner: 'n1', token: 5, firstCallId: 1 })
    await say(server.port, message)
    expect(lost).toEqual([])
    expect(owners).toEqual(['n1'])
    expect(await link.call('perform', command)).toEqual(taken)
  })

test('an answer that is none ends the connection, and fails what waits for it', async () => {
  const served = await serve()
  const ends: string[] = []
  const link = await open(served.server.port, ends)
  await link.call('own', { owner: 'n1', token: 5, firstCallId: 1 })
  served.answer = { ...taken, highestTerm: 'three' } as unknown as typeof taken
  await expect(link.call('perform', command)).rejects.toThrow(LinkEndedError)
  expect(ends).toEqual(['it uses another protocol: an answer to perform, highestTerm: not number'])
})

const moment = '2026-01-01T00:00:00.000Z'
const result = { started: moment, ended: moment, exitCode: 0 }
const wrongResults: readonly { readonly name: string; readonly more: object; readonly says: string }[] = [
  { name: 'more of its output than a record keeps', more: { tail: 'x'.repeat(4102) }, says: 'tail: ' },
  { name: 'more to be known by others than is kept', more: { said: 'x'.repeat(64 * 1024 + 1) }, says: 'said: ' },
  { name: 'results of commands that are none', more: { commands: '0:1 evil' }, says: 'commands: ' },
  { name: 'a time that is none', more: { ended: 'later' }, says: 'ended: ' },
  { name: 'an exit code that no program has', more: { exitCode: 256 }, says: 'exitCode: ' },
  { name: 'a signal with escape characters', more: { signal: 'SIG\u001b[2J' }, says: 'signal: ' },
]
for (const { name, more, says } of wrongResults)
  test(`a remote node that answers for a task with ${name} is left`, async () => {
    const served = await serve()
    const ends: string[] = []
    const link = await open(served.server.port, ends)
    await link.call('own', { owner: 'n1', token: 5, firstCallId: 1 })
    served.task = { ...served.task, trace: { kind: 'ended', result } }
    expect(await link.call('task', { id: 'j1.1', waitMs: 0 })).toEqual(served.task)
    served.task = { ...served.task, trace: { kind: 'ended', result: { ...result, ...more } } }
    await expect(link.call('task', { id: 'j1.1', waitMs: 0 })).rejects.toThrow(LinkEndedError)
    expect(ends.join()).toContain(says)
  })

test('of output, a remote node tells 256 KiB at a time, or is left', async () => {
  const served = await serve()
  const ends: string[] = []
  const link = await open(served.server.port, ends)
  await link.call('own', { owner: 'n1', token: 5, firstCallId: 1 })
  served.output = { data: Buffer.alloc(mostOutputBytes).toString('base64'), ended: false }
  expect(await link.call('readTask', { id: 'j1.1', offset: 0, waitMs: 0 })).toEqual(served.output)
  served.output = { data: Buffer.alloc(mostOutputBytes + 3).toString('base64'), ended: false }
  await expect(link.call('readTask', { id: 'j1.1', offset: 0, waitMs: 0 })).rejects.toThrow(LinkEndedError)
})

test('why a task did not run is shown in one line, whatever a remote node writes', async () => {
  const served = await serve()
  const link = await open(served.server.port)
  await link.call('own', { owner: 'n1', token: 5, firstCallId: 1 })
  served.task = { ...served.task, trace: { kind: 'ended', result: { ...result, reason: 'no\u001b[2J\nn2 succeeded' } } }
  const { trace } = await link.call('task', { id: 'j1.1', waitMs: 0 })
  expect(trace).toMatchObject({ result: { reason: 'no\ufffd[2J\ufffdn2 succeeded' } })
})

const wrongMachines: readonly {
  readonly name: string
  readonly call: 'hardware' | 'health'
  readonly answer: object
}[] = [
  { name: 'a number that is none', call: 'hardware', answer: { cpus: '8' } },
  { name: 'less than nothing', call: 'hardware', answer: { memoryBytes: -1 } },
  { name: 'a text without end', call: 'hardware', answer: { vendor: 'x'.repeat(4097) } },
  {
    name: 'more disks than a machine has',
    call: 'hardware',
    answer: { diskBytes: Array.from({ length: 10_001 }, () => 1) },
  },
  { name: 'a colour that no strategy knows', call: 'health', answer: { fans: { colour: 'mauve', reasons: [] } } },
  {
    name: 'reasons without number',
    call: 'health',
    answer: { fans: { colour: 'red', reasons: 'x'.repeat(65).split('') } },
  },
  { name: 'a reason without end', call: 'health', answer: { fans: { colour: 'red', reasons: ['x'.repeat(201)] } } },
]
for (const { name, call, answer } of wrongMachines)
  test(`a remote node that says of its machine ${name} is left`, async () => {
    const served = await serve()
    const ends: string[] = []
    const link = await open(served.server.port, ends)
    await link.call('own', { owner: 'n1', token: 5, firstCallId: 1 })
    served.hardware = { cpus: 8, vendor: 'Acme' }
    served.health = { fans: { colour: 'red', reasons: ['fan 1'] } }
    expect([await link.call('hardware', {}), await link.call('health', {})]).toEqual([served.hardware, served.health])
    Object.assign(served, { [call]: answer })
    await expect(link.call(call, {})).rejects.toThrow(LinkEndedError)
    expect(ends.join()).toContain(`an answer to ${call}`)
  })

test('of its machine a remote node says what there is a word for, in one line', async () => {
  const served = await serve()
  const link = await open(served.server.port)
  await link.call('own', { owner: 'n1', token: 5, firstCallId: 1 })
  Object.assign(served, { hardware: { cpus: 8, node: 'n2', '#facts-cpus': '900' } })
  expect(await link.call('hardware', {})).toEqual({ cpus: 8 })
  const told = { colour: 'red', reasons: ['fan\n1\u001b[2J'] }
  Object.assign(served, { health: { fans: told, standby: told } })
  expect(await link.call('health', {})).toEqual({ fans: { colour: 'red', reasons: ['fan\ufffd1\ufffd[2J'] } })
})

test('only who owns a remote node asks for its machine', async () => {
  const served = await serve()
  const link = await open(served.server.port)
  for (const name of ['hardware', 'health'] as const)
    await expect(link.call(name, {})).rejects.toThrow('This connection does not own the remote node.')
})

test('a remote node says nothing of a task, a file or a machine by itself', async () => {
  const heard: Buffer[] = []
  const server = createTlsServer(
    { cert: remote.certificate, key: remote.key, ca: remote.authority, requestCert: true },
    (socket) => {
      socket.on('error', () => undefined)
      socket.on('data', (chunk) => heard.push(chunk))
      const answer = { trace: { kind: 'ended', result }, incarnation: 17, bootId: 'b' }
      const say = (message: object): unknown => socket.write(frame(4, Buffer.from(JSON.stringify(message))))
      say({ kind: 'answer', id: 1, body: answer })
      for (const name of ['task', 'tasks', 'readTask', 'writeFile', 'hardware', 'health'])
        say({ kind: 'call', id: 1, name, body: { id: 'j1.1', waitMs: 0, ...answer } })
      closing.push(() => socket.destroy())
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  await open((server.address() as AddressInfo).port)
  for (const name of ['task', 'tasks', 'readTask', 'writeFile', 'hardware', 'health'])
    await vi.waitFor(
      () => expect(Buffer.concat(heard).toString()).toContain(`This version does not support '${name}'.`),
      { timeout: 15_000 },
    )
})

test('a remote node that asks and does not read what it is answered is left, before it fills the memory', async () => {
  const server = createTlsServer(
    { cert: remote.certificate, key: remote.key, ca: remote.authority, requestCert: true },
    (socket) => {
      socket.on('error', () => undefined)
      const say = (message: object): unknown => socket.write(frame(4, Buffer.from(JSON.stringify(message))))
      for (let id = 1; id <= 100; id++)
        say({ kind: 'call', id, name: 'tool', body: { tool: 'x'.repeat(64), arguments: [] } })
      const alive = setInterval(() => say({ kind: 'alive' }), 500)
      socket.once('close', () => clearInterval(alive))
      closing.push(() => socket.destroy())
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  const ends: string[] = []
  let answered = 0
  const long = 'x'.repeat(4 * 1024 * 1024)
  await open((server.address() as AddressInfo).port, ends, [], async () => {
    answered++
    return await Promise.resolve({ exitCode: 0, output: long, errors: '' })
  })
  await vi.waitFor(() => expect(ends).toEqual(['it does not read its messages']), { timeout: 15_000 })
  expect(answered).toBeLessThan(60)
})

test('time in which this process stood still is not the silence of the other side', async () => {
  const { server } = await serve()
  const ends: string[] = []
  const link = await open(server.port, ends)
  await link.call('own', { owner: 'n1', token: 5, firstCallId: 1 })
  // Both sides are in this process: neither hears anything meanwhile.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4500)
  expect(await link.call('perform', command)).toEqual(taken)
  expect(ends).toEqual([])
})

test('nothing is obeyed before the connection is owned', async () => {
  const { server } = await serve()
  const link = await open(server.port)
  await expect(link.call('perform', command)).rejects.toThrow('does not own')
})

test('an owner that was recorded earlier is refused', async () => {
  const { server } = await serve()
  const newer = await open(server.port)
  await newer.call('own', { owner: 'n2', token: 9, firstCallId: 1 })
  const older = await open(server.port)
  expect(await older.call('own', { owner: 'n1', token: 5, firstCallId: 1 })).toMatchObject({
    accepted: false,
    highestToken: 9,
  })
  await expect(older.call('perform', command)).rejects.toThrow('does not own')
  expect(await newer.call('perform', command)).toEqual(taken)
})

test('a later owner takes the connection, and the one before is told', async () => {
  const served = await serve()
  const told: string[] = []
  const ends: string[] = []
  const before = await open(served.server.port, ends, told)
  await before.call('own', { owner: 'n1', token: 5, firstCallId: 1 })
  const after = await open(served.server.port)
  await after.call('own', { owner: 'n2', token: 9, firstCallId: 1 })
  await vi.waitFor(() => expect(ends).toHaveLength(1), { timeout: 15_000 })
  expect(told).toEqual(['n2'])
  await expect(before.call('perform', command)).rejects.toThrow(LinkEndedError)
  expect(served.owners).toEqual(['n1', 'n2'])
})

test('a remote node that is gone ends what waits for it', async () => {
  const { server } = await serve()
  const ends: string[] = []
  const link = await open(server.port, ends)
  await link.call('own', { owner: 'n1', token: 5, firstCallId: 1 })
  await server.close()
  closing.splice(0, 1)
  await vi.waitFor(() => expect(ends).toHaveLength(1), { timeout: 15_000 })
  await expect(link.call('perform', command)).rejects.toThrow(LinkEndedError)
  await expect(open(server.port)).rejects.toThrow(RemoteUnreachableError)
})

/** A wire that can be cut without a word to either end, as a lost host cuts it. */
async function wire(to: number): Promise<{ readonly port: number; readonly cut: () => void }> {
  let isCut = false
  const proxy = createServer((near) => {
    const far = connectTcp(to, '127.0.0.1')
    closing.push(
      () => near.destroy(),
      () => far.destroy(),
    )
    near.on('data', (chunk) => isCut || far.write(chunk))
    far.on('data', (chunk) => isCut || near.write(chunk))
    for (const socket of [near, far]) socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  closing.push(() => proxy.close())
  const address = proxy.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    cut: () => {
      isCut = true
    },
  }
}

test('both sides notice that nothing is heard any more', async () => {
  const served = await serve()
  const { port, cut } = await wire(served.server.port)
  const ends: string[] = []
  const link = await open(port, ends)
  await link.call('own', { owner: 'n1', token: 5, firstCallId: 1 })
  cut()
  await vi.waitFor(() => expect([...ends, ...served.lost]).toEqual(['silent for 3000 ms', 'silent for 3000 ms']), {
    timeout: 15_000,
  })
})

test('a node that was removed owns it no more, by an open connection or by another, whatever its token', async () => {
  const { server, owners, revoked } = await serve()
  const link = await open(server.port)
  const removed = await open(server.port)
  await removed.call('own', { owner: 'n3', token: 5, firstCallId: 1 })
  await link.call('own', { owner: 'n1', token: 6, firstCallId: 1 })
  await link.call('own', { owner: 'n1', token: 6, firstCallId: 1, revoked: [serialOf(keyOf(member.certificate))] })
  expect(revoked).toEqual([serialOf(keyOf(member.certificate))])
  const again = await open(server.port)
  await expect(again.call('own', { owner: 'n3', token: 99, firstCallId: 1 })).rejects.toThrow()
  const early = await serve()
  const before = await open(early.server.port)
  early.revoked.push(serialOf(keyOf(member.certificate)))
  await expect(before.call('own', { owner: 'n3', token: 99, firstCallId: 1 })).rejects.toThrow()
  expect([owners, early.owners]).toEqual([['n3', 'n1', 'n1'], []])
})

test('it learns from where cluster nodes come by those that own it, and by their word, and by nobody else', async () => {
  const { server, noted } = await serve()
  const link = await open(server.port)
  await link.call('own', { owner: 'n1', token: 5, firstCallId: 1 })
  await link.call('own', { owner: 'n1', token: 5, firstCallId: 1, members: ['10.0.0.1', 'fd00::1'] })
  expect(noted).toEqual([
    { from: '127.0.0.1', told: undefined },
    { from: '127.0.0.1', told: ['10.0.0.1', 'fd00::1'] },
  ])
  const old = await open(server.port)
  await old.call('own', { owner: 'n2', token: 4, firstCallId: 1, members: ['10.9.9.9'] })
  await expect(link.call('own', { owner: 'n1', token: 5, firstCallId: 1, members: ['n1.example'] })).rejects.toThrow()
  expect(noted).toHaveLength(2)
})

test('a cluster node whose authority is believed no more owns nothing, also on a connection from before', async () => {
  const served = await serve()
  const link = await open(served.server.port)
  served.believes = false
  await expect(link.call('own', { owner: 'n1', token: 9, firstCallId: 1 })).rejects.toThrow(/no longer trusted/)
  expect(served.owners).toEqual([])
})

test('only the owner may say whom a remote node believes', async () => {
  const served = await serve()
  const link = await open(served.server.port)
  await expect(link.call('pki', {})).rejects.toThrow(/does not own/)
  await link.call('own', { owner: 'n1', token: 9, firstCallId: 1 })
  await expect(link.call('pki', {})).resolves.toEqual({ trusts: [], certifiedBy: '' })
})

test('the certificate of a remote node opens nothing', async () => {
  const { server } = await serve()
  const { authority: ca, certificate: cert, key } = remote
  const refusal = await new Promise<string>((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: server.port, servername: 'r1', ca, cert, key })
    socket.on('error', (error) => resolve(error.message))
    socket.on('close', () => resolve('closed'))
  })
  expect(refusal).not.toBe('')
  const peer = await serveTcp(
    { host: '127.0.0.1', port: 0, identity: member, admit: async () => undefined },
    [{ service: nodeService, handlers: { getClusterFile: async () => ({ json: '', quorate: true }) } }],
    () => undefined,
  )
  closing.push(peer.close)
  const client = connectPeer({ node: 'n1', host: '127.0.0.1', port: peer.port }, remote)
  closing.push(client.close)
  await expect(client.getClusterFile({}, { timeoutMs: 2000 })).rejects.toThrow()
  const trusted = connectPeer({ node: 'n1', host: '127.0.0.1', port: peer.port }, member)
  closing.push(trusted.close)
  expect(await trusted.getClusterFile({})).toMatchObject({ quorate: true })
})

test('a certificate that was renewed is shown to whoever connects next, and what is open stays', async () => {
  const served = await serve()
  const link = await open(served.server.port)
  await link.call('own', { owner: 'n1', token: 5, firstCallId: 1 })
  const { publicKey, key } = await createKeys()
  const certificate = await signNodeCertificate(authority, { name: 'r2', addresses: [], publicKey, servesOnly: true })
  served.server.replaceIdentity({ certificate, key, authority: authority.certificate })
  expect(await link.call('perform', command)).toEqual(taken)
  await expect(open(served.server.port), 'it names another node now').rejects.toThrow(RemoteUnreachableError)
})
