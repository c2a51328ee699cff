import { spawn } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/index.ts'
import { Lab } from './lab/lab.ts'

/** Drains and moves, and what is left of them when somebody dies in the middle: nothing. */
const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes)

/** `HELD=50 npx vitest run --project machine test/nodes/holds.test.ts` interrupts that many. */
const interrupted = Number(process.env.HELD ?? 5)
const seed = Number(process.env.SEED ?? 1)

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(nodes)
  await lab.createFencing(nodes)
  await lab.systole('n1', 'resource', 'defaults', 'update', 'resource-stickiness=1')
  for (const name of ['web', 'db'])
    await lab.systole('n1', 'resource', 'create', name, 'ocf:pacemaker:Dummy', 'op', 'monitor', 'interval=60s')
  await lab.systole('n1', 'resource', 'create', 'slow', 'ocf:pacemaker:Dummy', 'op_sleep=2', '--wait')
}, 180_000)

afterAll(() => lab.close(), 60_000)

/** Pacemaker's command, as it is installed on a node. */
const tool = async (node: string, ...words: readonly string[]): Promise<string> =>
  await lab.inNode(node, 'sh', '-c', `PATH=${lab.folder}/systole/shims:$PATH; exec "$@"`, 'sh', ...words)

const version = async (node: string): Promise<string> =>
  /epoch="\d+"/.exec(await tool(node, 'cibadmin', '-Q'))?.[0] ?? ''
/** The configuration as any tool reads it, without what counts changes. */
async function configuration(node: string): Promise<string> {
  const cib = await tool(node, 'cibadmin', '-Q', '-o', 'configuration')
  return cib.replaceAll(/ (?:num_updates|dc-uuid|have-quorum)="[^"]*"/g, '')
}
const otherThan = (...taken: readonly string[]): string => nodes.find((node) => !taken.includes(node)) ?? ''

test('a drained node runs nothing, everybody sees by whom and why, and the configuration stays what it is', async () => {
  const [from = ''] = await lab.whereIs('web', 'n1')
  const [before, epoch] = [await configuration('n1'), await version('n1')]
  const said = await lab.systole('n1', 'node', 'drain', from, '--reason=kernel update', '--for=2h', '--wait')
  expect(said).toMatch(
    new RegExp(`^${from} is drained by root since .*: kernel update. To end it: systole node undrain`),
  )
  expect(await lab.whereIs('web', 'n2')).not.toContain(from)
  const line = new RegExp(`${from} is drained by root since .*: kernel update`)
  expect(await lab.systole('n3', 'status')).toMatch(line)
  expect(await lab.systole('n3', 'why', from)).toMatch(line)
  expect(await lab.systole('n3', 'hold', 'list')).toMatch(/drain-n\d .* \(until /)
  expect(await tool('n2', 'crm_mon', '-1')).toContain(`Node ${from}: standby`)
  expect(await tool('n2', 'crm_standby', '-N', from, '-G')).toContain('value=on')
  for (const unstandby of [
    ['systole', 'node', 'unstandby', from],
    ['pcs', 'node', 'unstandby', from],
    ['crm_standby', '-N', from, '-v', 'off'],
    ['crm_standby', '-N', from, '-D'],
  ])
    await expect(tool('n2', ...unstandby), unstandby.join(' ')).rejects.toMatchObject({
      cause: { stderr: expect.stringMatching(line) as unknown },
    })
  expect(await version('n2')).toBe(epoch)
  await lab.systole('n2', 'node', 'undrain', from, '--wait')
  expect(await configuration('n1')).toBe(before)
  expect(await version('n1')).toBe(epoch)
  expect(await lab.systole('n1', 'hold', 'list')).toBe('Nothing is held.\n')
})

test("an operator's own standby stays when a drain ends", async () => {
  await lab.systole('n1', 'node', 'drain', 'n3', '--wait')
  await tool('n1', 'crm_standby', '-N', 'n3', '-v', 'on')
  await lab.systole('n1', 'node', 'undrain', 'n3', '--wait')
  expect((await lab.status('n1')).nodes.find(({ name }) => name === 'n3')?.standby).toBe(true)
  await lab.systole('n1', 'node', 'unstandby', 'n3', '--wait')
  expect((await lab.status('n1')).nodes.find(({ name }) => name === 'n3')?.standby).toBe(false)
})

test('a drain that leaves a resource nowhere to run says so, and is made by force only', async () => {
  await expect(lab.systole('n1', 'node', 'drain', ...nodes)).rejects.toThrow(/web would run nowhere.*--force/)
  expect(await lab.systole('n1', 'hold', 'list')).toBe('Nothing is held.\n')
  expect(await lab.systole('n1', 'node', 'drain', 'n2', '--preview')).toContain('Preview: nothing was changed.')
})

test('a move makes no version of the configuration, and what clears moves ends one that is under way', async () => {
  const [from = ''] = await lab.whereIs('slow', 'n1')
  const to = otherThan(from)
  const [before, epoch] = [await configuration('n1'), await version('n1')]
  expect(await lab.systole('n1', 'resource', 'move', 'slow', to)).toContain(`slow runs on ${to}.`)
  expect(await configuration('n1')).toBe(before)
  const moving = lab.systole('n1', 'resource', 'move', 'slow', from)
  await lab.until('it is held', async () => (await lab.systole('n2', 'hold', 'list')).includes('slow is held on'))
  expect(await configuration('n2')).toContain('rsc_location id="hold-')
  await tool('n2', 'crm_resource', '--clear', '-r', 'slow')
  expect(await lab.systole('n2', 'hold', 'list')).toBe('Nothing is held.\n')
  await moving
  expect(await configuration('n1')).toBe(before)
  expect(await version('n1')).toBe(epoch)
})

/** The daemon ends, announced, and none follows it until `release`. */
async function restartSlowly(node: string): Promise<{ readonly release: () => void }> {
  const mark = join(lab.folder, 'nodes', node, 'hold')
  writeFileSync(mark, '')
  await lab.inNode(node, 'sh', '-c', 'kill -HUP $(cat /run/systoled.pid)')
  return { release: () => rmSync(mark) }
}

const fencings = async (): Promise<readonly string[]> => (await lab.status('n1')).fencing.map(({ target }) => target)

test('an announced restart that takes three times the grace ends in no fencing, and a host that loses power meanwhile is fenced', async () => {
  const before = await fencings()
  const where = await lab.whereIs('web', 'n1')
  const slow = await restartSlowly('n2')
  // A duration is what is tested here: twice the restart grace and more.
  await delay(15_000)
  expect(await fencings()).toEqual(before)
  slow.release()
  await lab.until('n2 is back', async () => (await lab.status('n2')).nodes.every(({ online }) => online), 60_000)
  expect(await fencings()).toEqual(before)
  expect(await lab.whereIs('web', 'n1')).toEqual(where)
  const lost = await restartSlowly('n3')
  await lab.until(
    'its daemon has ended',
    async () =>
      (
        await lab.inNode('n3', 'sh', '-c', 'kill -0 $(cat /run/systoled.pid) 2>/dev/null && echo there || echo gone')
      ).trim() === 'gone',
  )
  await lab.power.off('n3')
  lost.release()
  await lab.until('n3 is fenced', async () => (await fencings()).length > before.length, 40_000)
  expect(await fencings()).toEqual(['n3', ...before])
  await lab.until('n3 is back', async () => (await lab.status('n1')).nodes.every(({ online }) => online), 60_000)
}, 240_000)

/** Kills the client's whole session after a moment of it. */
async function interruptedMove(node: string, afterMs: number, ...words: readonly string[]): Promise<void> {
  const [program = '', ...rest] = lab
    .doorTo(node)
    .split(' ')
    .concat(['systole', ...words])
  const client = spawn(program, rest, { stdio: 'ignore', detached: true })
  const ended = new Promise((resolve) => client.once('exit', resolve))
  await delay(afterMs)
  try {
    process.kill(-(client.pid ?? 0), 'SIGKILL')
  } catch {
    // It was done already.
  }
  await ended
}

const kinds = ['client', 'client', 'dc', 'client', 'all'] as const

test(
  `of ${interrupted} moves and drains that are interrupted nothing is left`,
  async () => {
    const random = seededRandom(seed)
    const before = await configuration('n1')
    for (let round = 0; round < interrupted; round++) {
      const kind = kinds[round % kinds.length] ?? 'client'
      const [from = ''] = await lab.whereIs('slow', 'n1')
      const words =
        random() < 0.7 ? ['resource', 'move', 'slow', otherThan(from)] : ['node', 'drain', from, '--for=15s', '--wait']
      const dc = (await lab.status('n1')).nodes.find((one) => one.dc)?.name ?? 'n1'
      const where = kind === 'dc' ? dc : (nodes[Math.floor(random() * nodes.length)] ?? 'n1')
      await interruptedMove(where, Math.floor(random() * 4000), ...words)
      const lost = kind === 'dc' ? [dc] : kind === 'all' ? nodes : []
      await Promise.all(lost.map(async (node) => await lab.power.off(node)))
      if (kind === 'all') for (const node of nodes) await lab.power.on(node)
      const all = async () => (await lab.status('n1')).nodes.every(({ online }) => online)
      await lab.until(`all nodes are back after round ${round}: ${kind}`, all, 120_000)
      const isFree = async () => (await lab.systole('n1', 'hold', 'list')) === 'Nothing is held.\n'
      await lab.until(`nothing is held after round ${round}: ${kind} ${words.join(' ')}`, isFree, 60_000)
      expect(await configuration('n1'), `round ${round}: ${kind} ${words.join(' ')}`).toBe(before)
      await lab.systole('n1', 'status', 'wait', '60')
    }
  },
  300_000 + interrupted * 60_000,
)
