/** The authority's key in parts: who can sign with what is left, and what is on the disks at each moment of a new splitting. */
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type NodeName, nodeName } from '../../src/base/index.ts'
import { type ClusterView, emptyView, type MemberRecord } from '../../src/controller/index.ts'
import type { Log } from '../../src/daemon/host/log.ts'
import { type ClusterFile, parseClusterFile } from '../../src/daemon/node-list/cluster-file.ts'
import { Authority } from '../../src/daemon/pki/authority.ts'
import { AuthorityKeeper, authorityNotes, keepShare, recordOf, settle } from '../../src/daemon/pki/authority-keeper.ts'
import { combineShares, readShares, splitKey, thresholdOf, writeShares } from '../../src/daemon/pki/authority-shares.ts'
import { pkiFiles, readWholeKey, writeIdentity, writeRemoteIdentity } from '../../src/daemon/pki/identity.ts'
import { authorityKey, keys } from '../../src/daemon/records/keys.ts'
import {
  type AuthorityShare,
  authorityHash,
  createAuthority,
  createNodeCertificate,
  type KeyPair,
  refuse,
} from '../../src/rpc/index.ts'
import { createStore, type Store } from '../../src/store/index.ts'

const log: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
let authority: KeyPair
let folder: string
let store: Store

beforeAll(async () => {
  authority = await createAuthority('prod')
})

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-shares-'))
  store = createStore({ kind: 'embedded', directory: join(folder, 'store') })
})

afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const pkiOf = (name: string): string => join(folder, name)

for (const members of [2, 3, 4, 5, 7])
  test(`of ${members} members any ${thresholdOf(members)} can sign, and fewer cannot`, async () => {
    const shares = await splitKey(authority, { holders: members, generation: '1-a' })
    const threshold = thresholdOf(members)
    expect(threshold).toBeGreaterThan(members / 2)
    expect(await combineShares(authority.certificate, shares.slice(-threshold))).toEqual(authority)
    expect(await combineShares(authority.certificate, shares.slice(0, threshold - 1))).toBeUndefined()
    for (const { share } of shares) expect(authority.key).not.toContain(share.slice(0, 40))
  })

test('shares of different generations, and of another authority, do not fit together', async () => {
  const [one, other] = [
    await splitKey(authority, { holders: 3, generation: '1-a' }),
    await splitKey(authority, { holders: 3, generation: '2-b' }),
  ]
  expect(await combineShares(authority.certificate, [...one.slice(0, 1), ...other.slice(0, 1)])).toBeUndefined()
  const mislabelled = other.slice(0, 1).map((share) => ({ ...share, generation: '1-a' }))
  expect(await combineShares(authority.certificate, [...one.slice(0, 1), ...mislabelled])).toBeUndefined()
  expect(await combineShares((await createAuthority('prod')).certificate, one)).toBeUndefined()
})

test('the same share twice is one', async () => {
  const [share] = await splitKey(authority, { holders: 3, generation: '1-a' })
  if (share === undefined) throw new Error('There is no share.')
  expect(await combineShares(authority.certificate, [share, share])).toBeUndefined()
})

test('a share that is wrong does not keep the others, who are enough, from signing', async () => {
  const shares = await splitKey(authority, { holders: 5, generation: '1-a' })
  const wrong = shares.map((share, index) => {
    const bytes = Buffer.from(share.share, 'base64')
    bytes[0] = (bytes[0] ?? 0) ^ 1
    return index < 2 ? { ...share, share: bytes.toString('base64') } : share
  })
  expect(await combineShares(authority.certificate, wrong)).toEqual(authority)
  expect(await combineShares(authority.certificate, wrong.slice(0, 4))).toBeUndefined()
  expect(await combineShares(authority.certificate, wrong.slice(2))).toEqual(authority)
})

/** Members with folders of their own, and one store. */
class World {
  file: ClusterFile
  readonly down = new Set<string>()
  /** Of whom it is not known that they keep shares. */
  readonly old = new Set<string>()
  /** Whoever is given a share there fails. */
  readonly failing = new Set<string>()

  constructor(names: readonly string[]) {
    this.file = listOf(names)
  }

  async found(first: string): Promise<void> {
    for (const { name } of this.file.nodes) await this.join(name, name === first)
    await store.transaction({
      compare: [],
      writes: [{ kind: 'put', key: keys.dc, value: Buffer.from('{"node":"n1"}') }],
    })
  }

  async join(name: string, founds = false): Promise<void> {
    const own = await createNodeCertificate(authority, { name, addresses: [] })
    if (founds) writeIdentity(pkiOf(name), authority, own)
    else writeRemoteIdentity(pkiOf(name), { authority: authority.certificate, ...own })
  }

  async view(): Promise<ClusterView> {
    const dc = await store.get(keys.dc)
    const members = this.file.nodes.map(({ name, id }) => {
      const record = { node: name, id, incarnation: 1, address: '', daemonVersion: '', state: 'member', since: 0 }
      return [
        name,
        { ...record, ...(this.old.has(name) ? {} : { knowsShares: true }) } as unknown as MemberRecord,
      ] as const
    })
    return {
      ...emptyView,
      members: new Map(members),
      dc: { node: nodeName('n1'), term: Number(dc?.createRevision) } as unknown as NonNullable<ClusterView['dc']>,
    }
  }

  /** Their daemons are there, and the cluster is stopped. */
  readonly stopped = new Set<string>()
  /** How often another authority was asked for. */
  replaced = 0
  /** What else happens while shares are given out. */
  meanwhile: () => Promise<void> = async () => await Promise.resolve()

  authorityOf(self: string): Authority {
    return new Authority({
      pki: pkiOf(self),
      log,
      others: () => this.file.nodes.map(({ name }) => String(name)).filter((name) => name !== self),
      ask: async (member) => await this.ask(member),
    })
  }

  async ask(member: string): Promise<{ shares: readonly AuthorityShare[]; wholeKey?: string }> {
    if (this.down.has(member)) throw new Error('off')
    if (this.stopped.has(member)) throw refuse('no-quorum', 'This node has no quorum.')
    const wholeKey = readWholeKey(pkiOf(member))
    return { shares: readShares(pkiOf(member)), ...(wholeKey === undefined ? {} : { wholeKey }) }
  }

  #view: ClusterView = emptyView
  #entry: Awaited<ReturnType<Store['get']>>
  #finished: () => void = () => undefined

  keeperOf(self: string): AuthorityKeeper {
    const finished = (): void => this.#finished()
    return new AuthorityKeeper({
      self: nodeName(self),
      pki: pkiOf(self),
      log: { ...log, warn: finished, info: finished },
      file: () => this.file,
      store: () => store,
      view: () => this.#view,
      entry: () => this.#entry,
      isUp: (node: NodeName) => !this.down.has(node),
      leads: () => true,
      withAuthority: this.authorityOf(self).with,
      generationsOf: async (member) => (await this.ask(member)).shares.map(({ generation }) => generation),
      keep: async (member, share) => {
        if (this.failing.has(member)) throw new Error('the disk is full')
        keepShare(pkiOf(member), share, recordOf(this.#entry)?.generation)
        await this.meanwhile()
        this.#entry = await store.get(authorityKey)
      },
      replace: async () => void this.replaced++,
    })
  }

  /** What the DC does once, and then every member that is up. */
  async turn(self = 'n1'): Promise<void> {
    const keeper = this.keeperOf(self)
    await this.turnOf(keeper)
    keeper.close()
  }

  async turnOf(keeper: AuthorityKeeper): Promise<void> {
    this.#view = await this.view()
    this.#entry = await store.get(authorityKey)
    const done = new Promise<void>((resolve) => {
      this.#finished = resolve
    })
    keeper.look()
    await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 500))])
    const record = recordOf(await store.get(authorityKey))
    for (const { name } of this.file.nodes)
      if (record !== undefined && !this.down.has(name))
        settle({ pki: pkiOf(name), self: name, file: this.file }, record)
  }

  async canSign(self: string): Promise<boolean> {
    return await this.authorityOf(self)
      .with(async ({ key }) => key === authority.key)
      .catch(() => false)
  }

  async record() {
    return recordOf(await store.get(authorityKey))
  }
}

function listOf(names: readonly string[]): ClusterFile {
  const nodes = names.map((name) => ({ name, id: name.slice(1), keys: [`${'A'.repeat(43)}=`] }))
  const parsed = parseClusterFile(JSON.stringify({ clusterName: 'prod', nodes }))
  if (!parsed.ok) throw new Error(parsed.reports.map(({ message }) => message).join())
  return parsed.value
}

const holdsKey = (name: string): boolean => existsSync(pkiFiles(pkiOf(name)).authorityKey)

test('whoever cannot sign hears of each member what is to be done there', async () => {
  const world = new World(['n1', 'n2', 'n3', 'n4'])
  await world.found('n1')
  await world.turn()
  const attempt = async (): Promise<string> =>
    await world
      .authorityOf('n1')
      .with(() => Promise.resolve('signed'))
      .catch(String)
  world.stopped.add('n3').add('n2')
  expect(await attempt()).toMatch(
    /4 members .* too few give theirs\. No quorum on n2, n3, .*`systole cluster start n2 n3`/,
  )
  expect(await attempt()).not.toContain('No answer')
  world.stopped.delete('n2')
  expect(await attempt()).toBe('signed')
  world.down.add('n2').add('n4')
  expect(await attempt()).toMatch(/start n3`\)\. No answer from n2, n4: start the host or its daemon\./)
})

test('once several have joined, the whole key is on no disk, and any two of three members sign', async () => {
  const world = new World(['n1', 'n2', 'n3'])
  await world.found('n1')
  expect(holdsKey('n1')).toBe(true)
  await world.turn()
  for (const name of ['n1', 'n2', 'n3']) {
    expect(holdsKey(name), name).toBe(false)
    expect(readShares(pkiOf(name)), name).toHaveLength(1)
    expect(statSync(join(pkiOf(name), 'authority-share.json')).mode & 0o777).toBe(0o600)
  }
  for (const off of ['n1', 'n2', 'n3']) {
    world.down.add(off)
    for (const name of ['n1', 'n2', 'n3'].filter((one) => one !== off)) expect(await world.canSign(name)).toBe(true)
    world.down.delete(off)
  }
  world.down.add('n2')
  world.down.add('n3')
  expect(await world.canSign('n1')).toBe(false)
})

test('a cluster whose nodes all hold the key keeps it until each of them knows shares', async () => {
  const world = new World(['n1', 'n2'])
  await world.found('n1')
  await world.join('n2', true)
  world.old.add('n2')
  await world.turn()
  expect([holdsKey('n1'), holdsKey('n2')]).toEqual([true, true])
  world.old.delete('n2')
  await world.turn()
  expect([holdsKey('n1'), holdsKey('n2')]).toEqual([false, false])
  expect(await world.canSign('n2')).toBe(true)
})

test('a member that could not take its share leaves everything as it was', async () => {
  const world = new World(['n1', 'n2', 'n3'])
  await world.found('n1')
  world.failing.add('n3')
  await world.turn()
  expect(await world.record()).toBeUndefined()
  expect(holdsKey('n1')).toBe(true)
  world.failing.delete('n3')
  await world.turn()
  expect((await world.record())?.holders.map(({ name }) => name)).toEqual(['n1', 'n2', 'n3'])
})

test('a splitting that was under way when the authority began to be replaced does not take its place', async () => {
  const world = new World(['n1', 'n2', 'n3'])
  await world.found('n1')
  await world.turn()
  world.file = listOf(['n1', 'n2', 'n3', 'n4'])
  await world.join('n4')
  const rotation = { phase: 'trust', before: 'one', next: 'other' }
  const begun = { ...(await world.record()), number: 2, generation: '2-cccccccccccc', authority: 'other', rotation }
  const value = new TextEncoder().encode(JSON.stringify(begun))
  world.meanwhile = async () => {
    await store.transaction({ compare: [], writes: [{ kind: 'put', key: authorityKey, value }] })
  }
  await world.turn()
  expect(await world.record()).toMatchObject({ generation: '2-cccccccccccc', rotation })
})

test('a member that is added gets a share, and the shares from before are worthless', async () => {
  const world = new World(['n1', 'n2', 'n3'])
  await world.found('n1')
  await world.turn()
  const before = ['n1', 'n2', 'n3'].flatMap((name) => readShares(pkiOf(name)))
  world.file = listOf(['n1', 'n2', 'n3', 'n4'])
  await world.join('n4')
  await world.turn()
  expect(await world.record()).toMatchObject({ number: 2, threshold: 3 })
  const after = ['n1', 'n2', 'n3', 'n4'].flatMap((name) => readShares(pkiOf(name)))
  expect(after).toHaveLength(4)
  const [old, ...fresh] = [before[0], after[1]].flatMap((share) => share ?? [])
  expect(await combineShares(authority.certificate, [...(old ? [old] : []), ...fresh])).toBeUndefined()
})

test('the share of a removed node fits with none that is left', async () => {
  const world = new World(['n1', 'n2', 'n3'])
  await world.found('n1')
  await world.turn()
  const stolen = readShares(pkiOf('n3'))
  world.file = listOf(['n1', 'n2'])
  world.down.add('n3')
  await world.turn()
  expect(await world.canSign('n1')).toBe(true)
  expect(await combineShares(authority.certificate, [...stolen, ...readShares(pkiOf('n1'))])).toBeUndefined()
  expect(await combineShares(authority.certificate, [...stolen, ...readShares(pkiOf('n2'))])).toBeUndefined()
})

test('the last member has the key itself', async () => {
  const world = new World(['n1', 'n2'])
  await world.found('n1')
  await world.turn()
  world.file = {
    ...world.file,
    nodes: world.file.nodes.map((node) => (node.name === 'n2' ? { ...node, leaving: true } : node)),
  }
  await world.turn()
  expect(holdsKey('n1')).toBe(true)
  expect(readShares(pkiOf('n1'))).toEqual([])
  world.down.add('n2')
  expect(await world.canSign('n1')).toBe(true)
})

test('what the members have shown of one generation says nothing of the next: the last member of another authority has its key itself', async () => {
  const world = new World(['n1', 'n2'])
  await world.found('n1')
  const keeper = world.keeperOf('n1')
  await world.turnOf(keeper)
  await world.turnOf(keeper)
  expect(holdsKey('n1')).toBe(false)

  // As a replacement leaves it that was made because n2 is lost.
  world.file = listOf(['n1'])
  const next = await createAuthority('prod')
  const own = await createNodeCertificate(next, { name: 'n1', addresses: [] })
  writeRemoteIdentity(pkiOf('n1'), { authority: next.certificate, ...own })
  const generation = '2-cccccccccccc'
  writeShares(pkiOf('n1'), await splitKey(next, { holders: 2, generation }))
  const holders = [{ name: 'n1', id: '1' }]
  const record = { number: 2, generation, threshold: 1, authority: authorityHash(next.certificate), holders }
  const value = new TextEncoder().encode(JSON.stringify(record))
  await store.transaction({ compare: [], writes: [{ kind: 'put', key: authorityKey, value }] })
  await world.turnOf(keeper)
  keeper.close()
  expect(readWholeKey(pkiOf('n1'))).toBe(next.key)
})

test('a member whose share is lost gets another', async () => {
  const world = new World(['n1', 'n2', 'n3'])
  await world.found('n1')
  await world.turn()
  writeShares(pkiOf('n2'), [])
  await world.turn()
  expect(await world.record()).toMatchObject({ number: 2 })
  expect(readShares(pkiOf('n2'))).toHaveLength(1)
})

test('what counts stays on the disk until the next generation counts', async () => {
  const world = new World(['n1', 'n2', 'n3'])
  await world.found('n1')
  await world.turn()
  const record = await world.record()
  const [counting] = readShares(pkiOf('n2'))
  // A DC ends before it commits, twice.
  for (const generation of ['2-aaaaaaaaaaaa', '2-bbbbbbbbbbbb']) {
    const [share] = await splitKey(authority, { holders: 3, generation })
    if (share) keepShare(pkiOf('n2'), share, record?.generation)
    if (record) settle({ pki: pkiOf('n2'), self: nodeName('n2'), file: world.file }, record)
    expect(readShares(pkiOf('n2'))).toContainEqual(counting)
  }
  expect(await world.canSign('n2')).toBe(true)
})

test('a file of shares that is damaged is as one that is lost', () => {
  writeShares(pkiOf('n1'), [{ generation: '1-a', threshold: 2, authority: 'x', share: 'y' }])
  expect(readShares(pkiOf('n1'))).toHaveLength(1)
  for (const text of ['[{"gener', '{}', '[{"generation":1}]']) {
    writeFileSync(join(pkiOf('n1'), 'authority-share.json'), text)
    expect(readShares(pkiOf('n1'))).toEqual([])
  }
})

for (const { members, left, lost } of [
  { members: ['n1', 'n2'], left: ['n1'], lost: true },
  { members: ['n1', 'n2', 'n3', 'n4'], left: ['n1', 'n2'], lost: true },
  { members: ['n1', 'n2', 'n3', 'n4', 'n5'], left: ['n1', 'n2', 'n3'], lost: false },
])
  test(`of ${members.length} members ${left.length} are left for good: ${lost ? 'another authority is made, and status says so' : 'they go on with this one'}`, async () => {
    const world = new World(members)
    await world.found('n1')
    await world.turn()
    const record = await world.record()
    world.file = listOf(left)
    for (const name of members) if (!left.includes(name)) world.down.add(name)
    if (record) expect(authorityNotes(record, world.file).join()).toMatch(lost ? /Too few shares/ : /^$/)
    await world.turn()
    expect(world.replaced).toBe(lost ? 1 : 0)
    expect(await world.canSign('n1')).toBe(!lost)
  })

test('as long as a lost member is in the list, it may come back with its share: nothing is replaced', async () => {
  const world = new World(['n1', 'n2'])
  await world.found('n1')
  await world.turn()
  world.down.add('n2')
  await world.turn()
  expect(world.replaced).toBe(0)
  const record = await world.record()
  if (record) expect(authorityNotes(record, world.file)).toEqual([])
})

test('a lost member that was removed and added again is not waited for: it has its name and its id, and no share', async () => {
  const world = new World(['n1', 'n2'])
  await world.found('n1')
  await world.turn()
  world.down.add('n2')
  const { nodes } = world.file
  world.file = { ...world.file, nodes: nodes.map((node) => (node.name === 'n2' ? { ...node, keys: [] } : node)) }
  await world.turn()
  expect(world.replaced).toBe(1)
})
