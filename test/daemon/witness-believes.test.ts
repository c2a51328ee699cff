/**
 * A witness that was off while a node was removed, and that cannot read the store: whoever has the removed node's key gives it no list and no authority, where one of
 * the nodes answers that knows of the removal. Real certificates and servers.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { pathsBelow } from '../../src/daemon/host/paths.ts'
import { type ClusterFile, parseClusterFile, printClusterFile } from '../../src/daemon/node-list/cluster-file.ts'
import { writeRemoteIdentity } from '../../src/daemon/pki/identity.ts'
import { AskPlace, witnessPlace } from '../../src/daemon/witness/ask-place.ts'
import { WitnessPlace } from '../../src/daemon/witness/witness-place.ts'
import {
  connectWitness,
  createAuthority,
  createKeys,
  createNodeCertificate,
  type GrpcServer,
  type KeyPair,
  keyOf,
  nodeService,
  RefusedError,
  serialOf,
  serveTcp,
  signNodeCertificate,
  type TlsIdentity,
  type WitnessClient,
} from '../../src/rpc/index.ts'

let folder: string
let authority: KeyPair
let witness: WitnessPlace | undefined
let port: number
const servers: GrpcServer[] = []
const clients: WitnessClient[] = []
const identities = new Map<string, TlsIdentity>()
/** What each node that is up has in its list, by its name. */
const lists = new Map<string, ClusterFile>()
/** Nodes that answer only then. */
const answersAfter = new Map<string, Promise<void>>()

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'systole-believes-'))
  authority = await createAuthority('testing')
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.close()
  await witness?.end()
  await Promise.all(servers.splice(0).map((server) => server.close()))
  identities.clear()
  lists.clear()
  answersAfter.clear()
  rmSync(folder, { recursive: true, force: true })
})

function parsed(value: object): ClusterFile {
  const file = parseClusterFile(JSON.stringify(value))
  if (!file.ok) throw new Error(JSON.stringify(file.reports))
  return file.value
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

async function node(name: string): Promise<object> {
  const identity = {
    ...(await createNodeCertificate(authority, { name, addresses: ['127.0.0.1'] })),
    authority: authority.certificate,
  }
  identities.set(name, identity)
  const getWitnessPlace = async (_: unknown, { caller }: { caller: { name: string; key: string } }) => {
    await answersAfter.get(name)
    const list = lists.get(name)
    if (list === undefined) throw new Error('it is off')
    return witnessPlace(list, caller)
  }
  const admit = async (): Promise<void> => undefined
  const at = { host: '127.0.0.1', port: 0, identity, admit, knows: () => true }
  const server = await serveTcp(at, [{ service: nodeService, handlers: { getWitnessPlace } }], () => undefined)
  servers.push(server)
  return { name, address: '127.0.0.1', ports: { peer: server.port }, keys: [keyOf(identity.certificate)] }
}

/** Its list has a, b and c; c is removed in the list that comes back. */
async function begin(): Promise<{ readonly own: ClusterFile; readonly after: ClusterFile }> {
  const nodes = [await node('a'), await node('b'), await node('c')]
  const paths = pathsBelow(folder)
  mkdirSync(paths.pki, { recursive: true })
  mkdirSync(paths.data, { recursive: true })
  const { publicKey, key } = await createKeys()
  const certificate = await signNodeCertificate(authority, {
    name: 'w',
    addresses: ['127.0.0.1'],
    publicKey,
    isWitness: true,
  })
  writeRemoteIdentity(paths.pki, { authority: authority.certificate, certificate, key })
  port = await freePort()
  const entry = { name: 'w', address: '127.0.0.1', ports: { peer: port }, votes: false, keys: [keyOf(certificate)] }
  const own = parsed({ clusterName: 'x', nodes, nodesVersion: 4, witness: entry })
  writeFileSync(paths.witnessFile, printClusterFile(own))
  const gone = identities.get('c')
  const after = parsed({
    clusterName: 'x',
    nodes: nodes.slice(0, 2),
    nodesVersion: 5,
    witness: entry,
    revoked: [serialOf(keyOf(gone?.certificate ?? ''))],
  })
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  witness = new WitnessPlace(own, {
    paths,
    log: log as never,
    removed: () => undefined,
    onList: () => undefined,
    onFailure: () => undefined,
    onIdentity: () => undefined,
  })
  await witness.take()
  return { own, after }
}

function as(name: string): WitnessClient {
  const identity = identities.get(name)
  if (identity === undefined) throw new Error(name)
  const client = connectWitness({ node: 'w', host: '127.0.0.1', port }, identity)
  clients.push(client)
  return client
}

const known = (): ClusterFile => parsed(JSON.parse(readFileSync(pathsBelow(folder).witnessFile, 'utf8')))
const names = (): string =>
  known()
    .nodes.map(({ name }) => name)
    .join()
const forged = (own: ClusterFile): string =>
  printClusterFile({ ...own, nodesVersion: 999, nodes: own.nodes.filter(({ name }) => name === 'c') })

/** Again and again, as nodes do, while the witness waits for the lists of others: on a busy machine they take their time. */
async function asked<T>(call: () => Promise<T>): Promise<T> {
  type Outcome = { readonly value: T } | { readonly error: unknown }
  const once = async (): Promise<Outcome> =>
    await call().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    )
  const isToCome = (outcome: Outcome): boolean =>
    'error' in outcome && outcome.error instanceof RefusedError && outcome.error.code === 'asks-others'
  let outcome = await once()
  await expect
    .poll(
      async () => {
        if (isToCome(outcome)) outcome = await once()
        return isToCome(outcome)
      },
      { timeout: 25_000 },
    )
    .toBe(false)
  if ('error' in outcome) throw outcome.error
  return outcome.value
}

test('a list of the removed node is refused, and the one without it is taken', async () => {
  const { own, after } = await begin()
  lists.set('a', after)
  const caller = as('c')
  const refused = asked(async () => await caller.follow({ json: forged(own), quorate: true }))
  await expect(refused).rejects.toThrow(/has no node 'c': it was removed/)
  expect(names()).toBe('a,b')
  const other = as('a')
  await asked(async () => await other.follow({ json: printClusterFile(after), quorate: true }))
})

test('a node that is up and answers late is waited for: the removed node is not believed meanwhile', async () => {
  const { own, after } = await begin()
  let answerNow = (): void => undefined
  answersAfter.set(
    'a',
    new Promise((resolve) => {
      answerNow = () => resolve()
    }),
  )
  lists.set('a', after)
  const caller = as('c')
  const follow = async () => await caller.follow({ json: forged(own), quorate: true })
  await expect(follow()).rejects.toThrow(/waits for the node list of .*a.* Try again/)
  expect(names()).toBe('a,b,c')
  answerNow()
  await expect(asked(follow)).rejects.toThrow(/has no node 'c': it was removed/)
  expect(names()).toBe('a,b')
})

test('one that takes connections and never answers counts as off after its time', async () => {
  const { own } = await begin()
  const [a] = own.nodes
  if (a === undefined) throw new Error('no node')
  const taken: Socket[] = []
  const frozen = createServer((socket) => taken.push(socket)).listen(0, '127.0.0.1')
  await new Promise((resolve) => frozen.once('listening', resolve))
  const address = frozen.address()
  const file = { ...own, nodes: [{ ...a, ports: { ...a.ports, peer: Number(Object(address).port) } }] }
  const identity = identities.get('b')
  if (identity === undefined) throw new Error('no identity')
  const unheard = { isLonely: () => false, onWord: () => undefined, onOtherAuthority: () => undefined }
  const place = new AskPlace({ file: () => file, identity: () => identity, lateListWithinMs: 1500, ...unheard })
  expect(await place.lists()).toEqual({ said: [], late: ['a'] })
  await expect.poll(async () => await place.lists()).toEqual({ said: [], late: [] })
  // Nothing listens there: it is off at once.
  for (const socket of taken) socket.destroy()
  await new Promise((resolve) => frozen.close(resolve))
  const off = new AskPlace({ file: () => file, identity: () => identity, ...unheard })
  expect(await off.lists()).toEqual({ said: [], late: [] })
})

test('an authority of the removed node is refused, whatever else it lets the witness believe', async () => {
  const { after } = await begin()
  lists.set('b', after)
  const evil = (await createAuthority('evil')).certificate
  const order = { trust: [authority.certificate, evil], renew: false }
  const [removed, other] = [as('c'), as('a')]
  await expect(asked(async () => await removed.followAuthority(order))).rejects.toThrow(/it was removed/)
  // A node of the list gives it.
  expect(await asked(async () => await other.followAuthority(order))).toMatchObject({ name: 'w' })
})

test('nodes that know no more than the witness speak against nobody, and whoever says nothing new makes no questions', async () => {
  const { own } = await begin()
  lists.set('a', own)
  lists.set('b', own)
  const newer = { ...own, nodesVersion: 6 }
  const caller = as('c')
  await asked(async () => await caller.follow({ json: printClusterFile(newer), quorate: false }))
  expect(known().nodesVersion).toBe(6)
})

test('a witness believes four authorities at most, whoever says so', async () => {
  await begin()
  const trust = [authority.certificate]
  for (let more = 0; more < 4; more++) trust.push((await createAuthority(`next${more}`)).certificate)
  const caller = as('a')
  const believe = async (some: readonly string[]) => await caller.followAuthority({ trust: some, renew: false })
  await expect(asked(async () => await believe(trust))).rejects.toThrow('At most 4 authorities')
  expect(await asked(async () => await believe(trust.slice(0, 4)))).toMatchObject({ name: 'w' })
})
