import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { pathsBelow } from '../../src/daemon/host/paths.ts'
import { type ClusterFile, parseClusterFile, type WitnessEntry } from '../../src/daemon/node-list/cluster-file.ts'
import { writeRemoteIdentity } from '../../src/daemon/pki/identity.ts'
import { witnessPlace } from '../../src/daemon/witness/ask-place.ts'
import { WitnessHost } from '../../src/daemon/witness/witness-host.ts'
import {
  createAuthority,
  createKeys,
  createNodeCertificate,
  type GrpcServer,
  type KeyPair,
  keyOf,
  nodeService,
  refuse,
  serialOf,
  serveTcp,
  signNodeCertificate,
  type TlsIdentity,
} from '../../src/rpc/index.ts'

function parsed(value: object): ClusterFile {
  const file = parseClusterFile(JSON.stringify(value))
  if (!file.ok) throw new Error(JSON.stringify(file.reports))
  return file.value
}

describe('what a node answers to a witness', () => {
  const nodes = [{ name: 'a' }, { name: 'b' }]
  const known = { name: 'w', key: Buffer.alloc(32, 7).toString('base64') }
  const list = (more: object): ClusterFile => parsed({ clusterName: 'x', nodes, nodesVersion: 4, ...more })

  test('the one that the list names is the witness', () =>
    expect(witnessPlace(list({ witness: { name: 'w' } }), known)).toMatchObject({ listed: true, nodesVersion: 4 }))

  test('the witness reads the list, and nobody else does', () => {
    const named = list({ witness: { name: 'w' } })
    expect(parsed(JSON.parse(witnessPlace(named, known).json))).toEqual(named)
    expect(witnessPlace(list({ witness: { name: 'v' } }), known).json).toBe('')
    expect(witnessPlace({ ...named, revoked: [serialOf(known.key)] }, known).json).toBe('')
  })

  test('one that the list names no more is not', () => {
    expect(witnessPlace(list({}), known).listed).toBe(false)
    expect(witnessPlace(list({ witness: { name: 'v' } }), known).listed).toBe(false)
  })

  test('one that was removed is not, although the host that was added since has its name', () =>
    expect(witnessPlace(list({ witness: { name: 'w' }, revoked: [serialOf(known.key)] }), known).listed).toBe(false))
})

describe('a witness that no node calls', () => {
  let folder: string
  let authority: KeyPair
  let host: WitnessHost | undefined
  const servers: GrpcServer[] = []
  /** What each node has in its list, by its name. */
  const lists = new Map<string, ClusterFile>()
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'systole-place-'))
    authority = await createAuthority('testing')
  })
  afterEach(async () => {
    await host?.end()
    host = undefined
    await Promise.all(servers.splice(0).map((server) => server.close()))
    lists.clear()
    rmSync(folder, { recursive: true, force: true })
  })

  const entry = (name: string, port: number): object => ({ name, address: '127.0.0.1', ports: { peer: port } })

  async function serveNode(name: string, by = authority): Promise<object> {
    const pair = await createNodeCertificate(by, { name, addresses: ['127.0.0.1'] })
    const identity: TlsIdentity = { ...pair, authority: by.certificate }
    const getWitnessPlace = async (_: unknown, { caller }: { caller: { name: string; key: string } }) => {
      const list = lists.get(name)
      if (list === undefined) throw refuse('witness', 'A witness calls no daemon of the cluster.')
      return witnessPlace(list, caller)
    }
    const admit = async (): Promise<void> => {
      throw refuse('removed', 'It was removed.')
    }
    const at = { host: '127.0.0.1', port: 0, identity, admit, knows: () => false }
    const server = await serveTcp(at, [{ service: nodeService, handlers: { getWitnessPlace } }], () => undefined)
    servers.push(server)
    return entry(name, server.port)
  }

  async function witnessOf(
    nodes: readonly object[],
    votes = true,
  ): Promise<{ own: ClusterFile; witness: WitnessHost }> {
    const paths = pathsBelow(folder)
    mkdirSync(paths.pki, { recursive: true })
    mkdirSync(paths.data, { recursive: true })
    const { publicKey, key } = await createKeys()
    const asked = { name: 'w', addresses: ['127.0.0.1'], publicKey, isWitness: true }
    const certificate = await signNodeCertificate(authority, asked)
    writeRemoteIdentity(paths.pki, { authority: authority.certificate, certificate, key })
    writeFileSync(paths.witnessFile, '')
    const own = parsed({
      clusterName: 'x',
      nodes,
      nodesVersion: 4,
      witness: { name: 'w', address: '127.0.0.1', votes, keys: [keyOf(certificate)] },
    })
    host = new WitnessHost(own, {
      paths,
      log: log as never,
      own: own.witness as WitnessEntry,
      onList: () => undefined,
      removed: () => undefined,
      renewed: () => undefined,
      pace: { afterMs: 50, everyMs: 20 },
    })
    return { own, witness: host }
  }

  const without = ({ witness: _gone, ...file }: ClusterFile): ClusterFile => ({ ...file, nodesVersion: 5 })

  async function until(condition: () => boolean): Promise<void> {
    for (let look = 0; look < 600 && !condition(); look++) await delay(50)
    expect(condition()).toBe(true)
  }

  test('learns from more than half of them that it was removed, and that it is the witness again', async () => {
    const { own, witness } = await witnessOf([await serveNode('a'), await serveNode('b'), await serveNode('c')])
    lists.set('a', without(own))
    witness.begin()
    let heard = 0
    const told = (file: ClusterFile): ClusterFile => ({
      ...file,
      get nodesVersion() {
        heard++
        return 5
      },
    })
    lists.set('b', told(own))
    await until(() => heard > 1)
    expect(witness.state()).toMatchObject({ votes: true })
    lists.set('b', without(own))
    await until(() => !witness.state().votes)
    expect(witness.state().problem).toMatch(/have removed its store member and no longer list this host/)
    lists.set('a', { ...own, nodesVersion: 6 })
    await until(() => witness.state().votes)
  })

  test('believes nobody whose list is older than its own, and no older build', async () => {
    const { own, witness } = await witnessOf([await serveNode('a'), await serveNode('b')])
    let heard = 0
    const { witness: _not, ...older } = own
    lists.set('a', {
      ...older,
      get nodesVersion() {
        heard++
        return 3
      },
    })
    witness.begin()
    await until(() => heard > 1)
    expect(witness.state()).toMatchObject({ votes: true })
  })

  test('is shown certificates of another authority by more than half of them: it says so, with the way out, until one is believed', async () => {
    const next = await createAuthority('testing')
    const { own, witness } = await witnessOf([await serveNode('a', next), await serveNode('b', next), entry('c', 1)])
    const said = vi.spyOn(log, 'warn')
    witness.begin()
    await until(() => witness.state().problem !== undefined)
    expect(witness.state()).toMatchObject({
      votes: true,
      problem: expect.stringContaining('qdevice destroy net --force'),
    })
    await delay(100)
    expect(said.mock.calls).toEqual([[witness.state().problem, {}]])
    await witness.follow(own, false, 'a')
    expect(witness.state().problem).toBeUndefined()
  })

  test('does not take one host that shows another authority for the cluster, nor nodes that are off', async () => {
    const next = await createAuthority('testing')
    const { own, witness } = await witnessOf([await serveNode('a', next), await serveNode('b'), entry('c', 1)])
    lists.set('b', own)
    witness.begin()
    await delay(400)
    expect(witness.state().problem).toBeUndefined()
  })

  test('and has no member of the store keeps no file of authorities that it believes no more', async () => {
    const { witness } = await witnessOf([entry('a', 1), entry('b', 1), entry('c', 1)], false)
    await witness.start()
    const [present, next] = [authority.certificate, (await createAuthority('next')).certificate]
    for (const trust of [[present, next], [next, present], [present]])
      await witness.followAuthority({ trust, renew: false })
    await until(() => readdirSync(pathsBelow(folder).pki).filter((name) => name.startsWith('trust-')).length === 1)
  })
})
