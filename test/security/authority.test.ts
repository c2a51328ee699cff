/** Who gets in, and with what is signed: the attacks of issue 14 on real nodes. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keyOf } from '../../src/rpc/index.ts'
import { Lab } from '../nodes/lab/lab.ts'

const lab = new Lab(['n1', 'n2', 'n3', 'n4', 'r1'], { remotes: ['r1'] })

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(['n1', 'n2', 'n3'])
}, 120_000)

afterAll(() => lab.close(), 60_000)

const pki = (node: string): string => join(lab.folder, 'nodes', node, 'etc/pki')
const address = (node: string): string => lab.network.address(node)

interface Tokens {
  readonly tokens: readonly {
    readonly id: string
    readonly role: string
    readonly node: string
    readonly state: string
  }[]
  readonly events: readonly {
    readonly kind: string
    readonly role: string
    readonly node: string
    readonly why?: string
  }[]
}
const tokens = async (): Promise<Tokens> => JSON.parse(await lab.systole('n2', 'cluster', 'token', 'list', '--json'))
const token = async (...words: readonly string[]): Promise<string> =>
  (await lab.systole('n1', 'cluster', 'token', ...words)).trim()

const isSplit = (nodes: readonly string[]): boolean =>
  nodes.every(
    (node) => !existsSync(join(pki(node), 'authority.key')) && existsSync(join(pki(node), 'authority-share.json')),
  )

async function pkiStatus() {
  const { authority, rotation, nodes } = JSON.parse(await lab.systole('n1', 'pki', 'status', '--json'))
  const isWhole = (members: number): boolean =>
    !rotation && nodes.length === members && nodes.every((node: { trusts: unknown[] }) => node.trusts.length === 1)
  return { authority, nodes, isWhole }
}

test('soon after its members have joined, the authority’s key is on no disk', async () => {
  await lab.until('each member has its share and no key', () => isSplit(['n1', 'n2', 'n3']))
  for (const node of ['n1', 'n2', 'n3'])
    for (const file of readdirSync(pki(node), { recursive: true }) as string[])
      if (!file.startsWith('node.key'))
        expect(readFileSync(join(pki(node), file), 'utf8'), file).not.toContain('PRIVATE')
}, 60_000)

test('a remote host’s token enrols nobody as the member n1, and no token enrols a member again', async () => {
  for (const made of [await token('--remote'), await token()]) {
    const joined = await lab.try('n4', 'cluster', 'join', address('n1'), '--token', made, '--node', 'n1')
    expect(joined).toBeUndefined()
    expect(lab.lastFailure).toMatch(/for a remote node|has already joined the cluster lab/)
  }
  expect(existsSync(join(pki('n4'), 'node.key'))).toBe(false)
  const { events } = await tokens()
  expect(events.filter(({ kind, node }) => kind === 'refused' && node === 'n1')).toHaveLength(2)
}, 60_000)

test('a token lets in one remote host, by any member, and no second one', async () => {
  const made = await token('--remote', '--node', 'r1')
  await lab.inNode('r1', 'systoled', '--remote', '--join', address('n2'), '--token', made)
  const again = lab.inNode('r1', 'systoled', '--remote', '--join', address('n3'), '--token', made)
  await expect(again).rejects.toThrow(/was used by r1/)
  expect((await tokens()).tokens.find(({ node }) => node === 'r1')).toMatchObject({ role: 'remote', state: 'used' })
}, 60_000)

test('names that could pass for another host are not signed', async () => {
  for (const name of ['N1', 'n1', address('n1'), '*', 'localhost']) {
    const made = await token('--remote')
    const joined = lab.inNode('r1', 'systoled', '--remote', '--join', address('n1'), '--node', name, '--token', made)
    await expect(joined, name).rejects.toThrow(/remote node needs|cannot be the name|Use another name/)
  }
}, 60_000)

test('a token from standard input is in no list of processes, and one on the command line is warned of', async () => {
  const watched = async (how: string): Promise<string> => {
    writeFileSync(join(lab.folder, 'token'), await token('--remote'), { mode: 0o600 })
    const line = `systoled --remote --join ${address('n1')} --node r1 ${how.replace('FILE', join(lab.folder, 'token'))}`
    // What anybody sees of any process, for as long as it runs.
    const look = `grep -al '[s]ystole1[.]' /proc/[0-9]*/cmdline 2>/dev/null`
    return await lab.inNode(
      'r1',
      'sh',
      '-c',
      `${line} >/dev/null 2>${lab.folder}/warned & p=$!; while kill -0 $p 2>/dev/null; do ${look}; done; wait $p`,
    )
  }
  expect(await watched('--token - < FILE')).toBe('')
  expect(await watched('--token-file FILE')).toBe('')
  expect(readFileSync(join(lab.folder, 'warned'), 'utf8')).toBe('')
  expect(await watched('--token $(cat FILE)')).toContain('/proc/')
  expect(readFileSync(join(lab.folder, 'warned'), 'utf8')).toContain('every user of this host can read a token')
}, 60_000)

test('a fourth member is let in by shares, gets one, and can let in', async () => {
  const added = JSON.parse(await lab.systole('n1', 'cluster', 'node', 'add', 'n4', `addr=${address('n4')}`, '--json'))
  await lab.systole('n4', 'cluster', 'join', address('n2'), '--token', added.joinToken, '--start')
  await lab.until('n4 is online', async () =>
    (await lab.status('n1')).nodes.some(({ name, online }) => name === 'n4' && online),
  )
  await lab.until('each has a share', () => isSplit(['n1', 'n2', 'n3', 'n4']))
  const made = (await lab.systole('n4', 'cluster', 'token', '--remote')).trim()
  await lab.inNode('r1', 'systoled', '--remote', '--join', address('n4'), '--node', 'r2', '--token', made)
}, 90_000)

test('each member renews its certificate: it is in use at once, nobody takes it for lost, and the old one opens nothing', async () => {
  const others = ['n1', 'n2', 'n4']
  const heartbeats = (): readonly string[] =>
    others.flatMap((node) =>
      readFileSync(join(lab.folder, 'nodes', node, 'systoled.log'), 'utf8')
        .split('\n')
        .filter((line) => line.includes('the heartbeats changed')),
    )
  const shown = async (port: number): Promise<string> =>
    await lab.inNode(
      'n1',
      'bash',
      '-c',
      `openssl s_client -connect ${address('n3')}:${port} </dev/null 2>/dev/null | openssl x509`,
    )
  const before = readFileSync(join(pki('n3'), 'node.crt'), 'utf8')
  const seen = heartbeats()
  await lab.systole('n3', 'cluster', 'certificates', 'renew')
  const renewed = readFileSync(join(pki('n3'), 'node.crt'), 'utf8')
  expect(renewed).not.toBe(before)
  for (const port of [7700, 7701, 7704])
    expect((await shown(port)).replaceAll(/\s/g, ''), String(port)).toBe(renewed.replaceAll(/\s/g, ''))
  const keyOfRenewed = keyOf(renewed)
  await lab.until('n3 is known by its new key alone', () =>
    others.every((node) => {
      const { nodes } = JSON.parse(readFileSync(join(lab.folder, 'nodes', node, 'etc/cluster.json'), 'utf8'))
      return nodes.find(({ name }: { name: string }) => name === 'n3').keys.join() === keyOfRenewed
    }),
  )
  await lab.systole('n3', 'property', 'set', 'batch-limit=7')
  await lab.systole('n1', 'resource', 'create', 'renewed', 'ocf:pacemaker:Dummy', '--wait')
  await lab.systole('n1', 'resource', 'delete', 'renewed')
  expect(heartbeats()).toEqual(seen)
}, 90_000)

test('after a rotation no member keeps a file of what it believed before, nor the one that does not vote', async () => {
  const { nodes } = JSON.parse(readFileSync(join(pki('n4'), '../cluster.json'), 'utf8'))
  expect(nodes.map(({ votes }: { votes?: boolean }) => votes !== false)).toEqual([true, true, true, false])
  await lab.systole('n1', 'pki', 'rotate')
  await lab.until('the old authority is forgotten', async () => (await pkiStatus()).isWhole(4), 180_000)
  await lab.until('no file is left of what counted before', () =>
    ['n1', 'n2', 'n3', 'n4'].every(
      (node) => readdirSync(pki(node)).filter((name) => name.startsWith('trust-')).length === 1,
    ),
  )
}, 240_000)

test('node by node down to one, which then has the key, and up again', async () => {
  for (const node of ['n4', 'n3', 'n2']) await lab.systole('n1', 'cluster', 'node', 'remove', node)
  expect(existsSync(join(pki('n1'), 'authority.key'))).toBe(true)
  const added = JSON.parse(await lab.systole('n1', 'cluster', 'node', 'add', 'n2', `addr=${address('n2')}`, '--json'))
  await lab.systole('n2', 'cluster', 'join', address('n1'), '--token', added.joinToken, '--start')
  await lab.until('each has a share', () => isSplit(['n1', 'n2']))
}, 180_000)

test('another authority takes the place of the first, without its key: keys and certificates are new, the old ones open nothing', async () => {
  await lab.systole('n1', 'property', 'set', 'stonith-enabled=false')
  await lab.systole('n1', 'resource', 'create', 'work', 'ocf:pacemaker:Dummy', 'state=/run/work', '--wait')
  const before = ['n1', 'n2'].map((node) => readFileSync(join(pki(node), 'node.crt'), 'utf8'))
  const authority = readFileSync(join(pki('n1'), 'authority.crt'), 'utf8')
  // The old key cannot be put together any more.
  writeFileSync(join(pki('n2'), 'authority-share.json'), '[]')
  await lab.systole('n2', 'pki', 'rotate')
  await lab.until('the old authority is forgotten', async () => (await pkiStatus()).isWhole(2), 90_000)
  const { authority: signer, nodes } = await pkiStatus()
  for (const node of nodes) expect(node).toMatchObject({ certifiedBy: signer, storeTrusts: true, wholeKey: false })
  expect(['n1', 'n2'].map((node) => readFileSync(join(pki(node), 'node.crt'), 'utf8'))).not.toEqual(before)
  for (const node of ['n1', 'n2'])
    expect(readFileSync(join(pki(node), 'authority.crt'), 'utf8')).not.toContain(authority.trim())
  await lab.until('both are online', async () =>
    (await lab.status('n1')).nodes.every(({ online, unclean }) => online && !unclean),
  )
  expect((await lab.status('n1')).fencing).toEqual([])
  await lab.systole('n2', 'resource', 'create', 'more', 'ocf:pacemaker:Dummy', '--wait')
  const added = JSON.parse(await lab.systole('n1', 'cluster', 'node', 'add', 'n3', `addr=${address('n3')}`, '--json'))
  await lab.systole('n3', 'cluster', 'join', address('n2'), '--token', added.joinToken, '--start')
  await lab.until('each has a share', () => isSplit(['n1', 'n2', 'n3']))
}, 180_000)
