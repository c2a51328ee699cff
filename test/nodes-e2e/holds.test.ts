import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/index.ts'
import { beginWithResources, configuration, lab, nodes, otherThan, tool } from '../nodes/lab/held.ts'

/** Drains and moves, and what is left of them when somebody dies in the middle: nothing. */

/** `HELD=50 npx vitest run --project nodes test/nodes-e2e/holds.test.ts` interrupts that many. */
const interrupted = Number(process.env.HELD ?? 5)
const seed = Number(process.env.SEED ?? 1)

beforeAll(beginWithResources, 180_000)

afterAll(() => lab.close(), 60_000)

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

/** ocf:pacemaker:Stateful, which cannot be started and promoted on the node that the file names. */
const refusing = join(lab.folder, 'refusing')
function installRefusing(): void {
  const folder = join(lab.folder, 'systole/agents/ocf/held')
  mkdirSync(folder, { recursive: true })
  const refuses = `[ "$(cat ${refusing})" != "$(crm_node -n)" ] || { echo "ocf-exit-reason:not here" >&2; exit 1; }`
  const script = `#!/bin/sh
case $1 in
start) [ "$OCF_RESOURCE_INSTANCE" != single ] || ${refuses} ;;
promote) ${refuses} ;;
esac
exec /usr/lib/ocf/resource.d/pacemaker/Stateful "$@"
`
  writeFileSync(refusing, '')
  writeFileSync(join(folder, 'refusing'), script)
  chmodSync(join(folder, 'refusing'), 0o755)
}

const promoted = async (): Promise<string> =>
  /is running on: (\S+) (?:Promoted|Master)/.exec(
    await tool('n1', 'crm_resource', '--locate', '-r', 'db-clone'),
  )?.[1] ?? ''

test('a move that fails says what has failed, ends with 1, and leaves nothing', async () => {
  installRefusing()
  const meta = ['meta', 'migration-threshold=1']
  const create = async (...words: readonly string[]) =>
    await lab.systole('n1', 'resource', 'create', ...words, '--wait')
  await create('single', 'ocf:held:refusing', ...meta)
  await create('replica', 'ocf:held:refusing', 'promotable', 'db-clone', ...meta)
  await lab.until('one is promoted', async () => (await promoted()) !== '')
  const before = await configuration('n1')
  const [at = ''] = await lab.whereIs('single', 'n1')
  const to = otherThan(at)
  const failing = async (program: string, resource: string, node: string, ...words: readonly string[]) => {
    writeFileSync(refusing, `${node}\n`)
    const failed = await tool('n1', program, 'resource', 'move', resource, node, ...words).catch(
      (error: unknown) => error,
    )
    expect(failed).toMatchObject({ cause: { code: 1 } })
    expect(await configuration('n1')).toBe(before)
    writeFileSync(refusing, '')
    await lab.systole('n1', 'resource', 'cleanup', resource)
    await lab.until(
      'nothing has failed',
      async () => !/fail-count|FAILED|Failed/.test(await tool('n1', 'crm_mon', '-1f')),
    )
    await lab.until('one is promoted', async () => (await promoted()) !== '')
    await lab.until('two are not', async () => (await tool('n1', 'crm_mon', '-1')).includes('Unpromoted: [ n'))
    await lab.systole('n1', 'status', 'wait')
    return (failed as { readonly cause: { readonly stdout: string } }).cause.stdout
  }
  expect(await failing('systole', 'single', to)).toMatch(
    new RegExp(`single did not move to ${to}: single start on ${to} at .*: not here.`),
  )
  let next = otherThan(await promoted())
  expect(await failing('systole', 'db-clone', next, '--promoted', '--wait')).toMatch(
    new RegExp(
      `The promoted role of db-clone did not move to ${next}: replica:\\d promote on ${next} at .*: not here.`,
    ),
  )
  next = otherThan(await promoted())
  expect(await failing('pcs', 'db-clone', next, '--promoted', '--wait=60')).toContain('did not move')
  const from = await promoted()
  expect(await lab.systole('n1', 'resource', 'move', 'db-clone', otherThan(from), '--promoted')).toContain(
    `db-clone is promoted on ${otherThan(from)}.`,
  )
  // Away from the node where it is promoted, not from the first one where it runs.
  await lab.systole('n1', 'resource', 'move', 'db-clone', '--promoted')
  expect(await promoted()).not.toBe(otherThan(from))
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
