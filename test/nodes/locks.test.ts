import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from './lab/lab.ts'

/** Named locks, seen from three nodes that want the same one. */
const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes)

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(nodes)
  await lab.createFencing(nodes)
}, 120_000)

afterAll(() => lab.close(), 60_000)

interface Locks {
  readonly locks: readonly { readonly name: string; readonly owner: string; readonly kept: boolean }[]
}

async function owners(seenFrom = 'n1'): Promise<Readonly<Record<string, string>>> {
  const { locks } = JSON.parse(await lab.systole(seenFrom, 'lock', 'list', '--json')) as Locks
  return Object.fromEntries(locks.map(({ name, owner }) => [name, owner]))
}

const isFree = async (name: string, seenFrom = 'n1'): Promise<boolean> => !Object.hasOwn(await owners(seenFrom), name)

test('of three nodes that want a lock at the same moment one gets it', async () => {
  const got = await Promise.all(nodes.map((node) => lab.try(node, 'lock', 'acquire', 'race', '--reason=who is first')))
  expect(got.filter((text) => text !== undefined)).toHaveLength(1)
  const winner = nodes[got.findIndex((text) => text !== undefined)] ?? ''
  expect(await owners('n3')).toEqual({ race: `root@${winner}` })
  const other = nodes.find((node) => node !== winner) ?? ''
  await expect(lab.systole(other, 'lock', 'release', 'race')).rejects.toThrow(
    /root@.* holds the lock race on .*who is first/,
  )
  await lab.systole(winner, 'lock', 'release', 'race')
  expect(await owners()).toEqual({})
})

test('a lock ends with its time, unless its owner extends it', async () => {
  await lab.systole('n1', 'lock', 'acquire', 'short', '--ttl=1s')
  await lab.systole('n1', 'lock', 'acquire', 'long', '--ttl=1s', '--owner=deploy')
  await lab.systole('n2', 'lock', 'acquire', 'long', '--ttl=1h', '--owner=deploy')
  await lab.until('the short lock is free', () => isFree('short'))
  expect(await owners()).toEqual({ long: 'deploy' })
  const waits = lab.systole('n1', 'lock', 'acquire', 'long', '--wait=60')
  await expect(lab.systole('n3', 'lock', 'release', 'long', '--owner=other')).rejects.toThrow(
    /deploy holds the lock long/,
  )
  await lab.systole('n3', 'lock', 'release', 'long', '--owner=deploy')
  expect(await waits).toMatch(/^The lock long is acquired: root@n1 holds it until /)
  await lab.systole('n3', 'lock', 'release', 'long', '--force')
  expect(await lab.systole('n3', 'lock', 'list')).toBe('No locks are held.\n')
})

test('commands that run under a lock run one at a time, and their exit code comes back', async () => {
  const journal = join(lab.folder, 'under-lock')
  const script = `echo begin $0 >> ${journal}; sleep 0.3; echo end $0 >> ${journal}; exit 7`
  const ran = await Promise.allSettled(
    nodes.map((node) =>
      lab.inNode(node, 'systole', 'lock', 'run', 'turn', '--wait=60', '--', 'sh', '-c', script, node),
    ),
  )
  for (const one of ran) expect(one).toMatchObject({ status: 'rejected', reason: { cause: { code: 7 } } })
  const lines = readFileSync(journal, 'utf8').trim().split('\n')
  expect(lines).toHaveLength(6)
  for (let at = 0; at < 6; at += 2) expect(lines[at + 1]).toBe(lines[at]?.replace('begin', 'end'))
  expect(await isFree('turn')).toBe(true)
})

test('a command whose lock is taken from it is ended, and says so', async () => {
  const mark = join(lab.folder, 'runs')
  const running = lab.inNode(
    'n2',
    'systole',
    'lock',
    'run',
    'taken',
    '--reason=a long job',
    '--',
    'sh',
    '-c',
    `touch ${mark}; exec sleep 300`,
  )
  const ended = running.then(
    () => 'ended well',
    (error: unknown) => error,
  )
  await lab.until('the command runs', () => existsSync(mark))
  await expect(lab.systole('n1', 'lock', 'run', 'taken', '--', 'true')).rejects.toMatchObject({
    cause: { code: 75, stderr: expect.stringContaining('a long job') as unknown },
  })
  await lab.systole('n1', 'lock', 'release', 'taken', '--force')
  expect(await ended).toMatchObject({
    cause: { code: 75, stderr: expect.stringContaining('was lost while sh ran') as unknown },
  })
})

test('the lock of a node that loses power is free once the node is fenced, and that of one that is stopped at once', async () => {
  await lab.systole('n2', 'lock', 'acquire', 'upgrade', '--ttl=24h')
  await lab.systole('n3', 'lock', 'acquire', 'backup', '--ttl=24h')
  await lab.systole('n3', 'cluster', 'stop')
  await lab.until('the lock of n3 is free', () => isFree('backup'))
  expect(await owners()).toEqual({ upgrade: 'root@n2' })
  await lab.systole('n3', 'cluster', 'start')
  await lab.until('n3 is back', async () => (await lab.status('n1')).nodes.every(({ online }) => online))
  await lab.power.off('n2')
  await lab.until('the lock of n2 is free', () => isFree('upgrade'))
  expect((await lab.status('n1')).fencing).toMatchObject([{ target: 'n2', outcome: 'succeeded' }])
})

test('locks that scripts keep as a property of the CIB: of two who start from the same CIB one gets it', async () => {
  const node = (name: string, ...words: readonly string[]): Promise<string> => lab.inNode(name, 'pcs', ...words)
  const cib = (name: string): string => join(lab.folder, `cib-of-${name}.xml`)
  for (const name of ['n1', 'n3']) {
    await lab.inNode(name, 'sh', '-c', `pcs cluster cib > ${cib(name)}`)
    await node(name, '-f', cib(name), 'property', 'set', `galera-lock=${name}:4102444800`, '--force')
  }
  await node('n1', 'cluster', 'cib-push', cib('n1'))
  await expect(node('n3', 'cluster', 'cib-push', cib('n3'))).rejects.toMatchObject({ cause: { code: 1 } })
  expect(await node('n3', 'property', 'config', 'galera-lock')).toContain('galera-lock=n1:4102444800')
  await node('n1', 'property', 'set', 'galera-lock=')
  // One other change of whatever kind, which gives the cluster the epoch that one edit has given the copy.
  await lab.inNode('n3', 'sh', '-c', `pcs cluster cib > ${cib('n3')}`)
  await node('n3', '-f', cib('n3'), 'property', 'set', 'galera-lock=n3:4102444800', '--force')
  await node('n1', 'property', 'set', 'batch-limit=7')
  await expect(node('n3', 'cluster', 'cib-push', cib('n3'))).rejects.toMatchObject({ cause: { code: 1 } })
  const cibadmin = join(lab.folder, 'systole/shims/cibadmin')
  const replace = lab.inNode('n3', cibadmin, '--replace', '--xml-file', cib('n3'))
  await expect(replace).rejects.toMatchObject({ cause: { code: 103 } })
  expect(await node('n3', 'property', 'config', 'batch-limit')).toContain('batch-limit=7')
  expect(await node('n3', 'property', 'config', 'galera-lock')).not.toContain('4102444800')
})
