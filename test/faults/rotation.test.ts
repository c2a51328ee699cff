/** The command that begins it, and daemons, are killed while another authority takes the place of the present one: it goes on, and nobody is fenced. */
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/index.ts'
import { grantTimeToRestart, pidOf } from '../nodes/lab/faults.ts'
import { Lab } from '../nodes/lab/lab.ts'

/** `SYSTOLE_CHAOS_SEED` and `SYSTOLE_ROTATIONS` choose others. */
const random = seededRandom(Number(process.env.SYSTOLE_CHAOS_SEED ?? 1))
const rotations = Number(process.env.SYSTOLE_ROTATIONS ?? 3)
const members = ['n1', 'n2', 'n3']
const lab = new Lab(members)
const diary: string[] = []
const note = (text: string): void => void diary.push(`${new Date().toISOString()} ${text}`)

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
  await grantTimeToRestart(lab)
  await lab.createFencing()
  for (const id of ['s1', 's2', 's3'])
    await lab.systole('n1', 'resource', 'create', id, 'ocf:pacemaker:Dummy', 'op', 'monitor', 'interval=2s')
  await lab.systole('n1', 'status', 'wait', '60')
}, 180_000)

afterAll(() => lab.close(), 60_000)

interface PkiStatus {
  readonly rotation?: string
  readonly nodes: readonly { readonly trusts: readonly string[] }[]
}

async function isDone(seenFrom: string): Promise<boolean> {
  const { rotation, nodes } = JSON.parse(await lab.systole(seenFrom, 'pki', 'status', '--json')) as PkiStatus
  return rotation === undefined && nodes.length === 3 && nodes.every(({ trusts }) => trusts.length === 1)
}

/** The command is killed somewhere in the middle: whether the replacement has begun by then or not, it can be typed again. */
async function rotate(): Promise<void> {
  const seconds = (random() * 0.8).toFixed(2)
  await lab.inNode('n1', 'timeout', '-s', 'KILL', seconds, 'systole', 'pki', 'rotate').catch(() => undefined)
  const begins = async (): Promise<boolean> =>
    (await lab.try('n1', 'pki', 'rotate')) !== undefined || lab.lastFailure.includes('already being replaced')
  await lab.until('a rotation begins', begins, 60_000)
  note(`rotation, its command killed after ${seconds} s`)
}

async function killDaemon(node: string): Promise<void> {
  note(`daemon of ${node} killed`)
  await lab.inNode(node, 'kill', '-KILL', await pidOf(lab, node, 'systoled'))
}

/** One daemon at a time, again once all are heard: what is looked at here is a majority that is there. */
async function killUntil(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await delay(random() * 4000)
    if (signal.aborted) return
    const node = members[Math.floor(random() * 3)] ?? ''
    await killDaemon(node)
    await lab.until(
      `${node} is back`,
      async () => {
        const { nodes } = await lab.status(node)
        return nodes.every(({ online, unclean }) => online && !unclean)
      },
      60_000,
    )
  }
}

const logs = (): string =>
  members
    .map((node) => {
      const lines = readFileSync(`${lab.folder}/nodes/${node}/systoled.log`, 'utf8').split('\n')
      return `--- ${node}\n${lines.slice(-150).join('\n')}`
    })
    .join('\n')

test(
  'nobody is fenced',
  async () => {
    try {
      for (let turn = 0; turn < rotations; turn++) {
        await rotate()
        const stop = new AbortController()
        const killing = killUntil(stop.signal)
        try {
          await lab.until('the old authority is forgotten', () => isDone('n1'), 300_000)
        } finally {
          stop.abort()
          await killing
        }
        note('done')
        expect((await lab.status('n1')).fencing).toEqual([])
      }
    } catch (error) {
      console.log(logs())
      throw error
    } finally {
      console.log(diary.join('\n'))
    }
  },
  rotations * 400_000,
)
