/**
 * A stranger on the network opens connections to a node as fast as it can. Nobody suspects that node, nobody is fenced, and commands are answered,
 * with the table of nftables, with the filter on the sockets alone, and with neither. SYSTOLE_FLOOD_SECONDS shortens it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { flood } from './lab/flooding.ts'

const seconds = Number(process.env.SYSTOLE_FLOOD_SECONDS ?? 60)
const nodes = ['n1', 'n2', 'n3']

let lab: Lab
const filterBefore = process.env.SYSTOLE_FILTER

async function begin(filter: string): Promise<void> {
  process.env.SYSTOLE_FILTER = filter
  lab = new Lab(nodes)
  await lab.start()
  await lab.formCluster()
  await lab.createFencing()
}

afterEach(async () => {
  await lab.close()
  if (filterBefore === undefined) delete process.env.SYSTOLE_FILTER
  else process.env.SYSTOLE_FILTER = filterBefore
}, 60_000)

/** What the nodes say of each other in their logs once they take another for silent or lost. */
function suspicions(): readonly string[] {
  return nodes.flatMap((node) =>
    readFileSync(join(lab.folder, 'nodes', node, 'systoled.log'), 'utf8')
      .split('\n')
      .filter(
        (line) =>
          /silent|suspect|is lost|was suspended|lost quorum|fenc(?:ed|ing) /.test(line) && !line.includes('fence-n'),
      ),
  )
}

/** CPU seconds of a node's daemon so far. */
async function cpuSeconds(node: string): Promise<number> {
  const stat = await lab.inNode(node, 'bash', '-c', 'cat /proc/$(cat /run/systoled.pid)/stat')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

describe.each(['nft', 'socket', 'process'])('with SYSTOLE_FILTER=%s', (filter) => {
  beforeEach(async () => await begin(filter), 120_000)

  test.each([
    { name: 'the port of the heartbeats', port: 7701, atOnce: 100 },
    { name: 'the port of the heartbeats, 1,700 at once', port: 7701, atOnce: 1700 },
    { name: 'the port of the daemons', port: 7700, atOnce: 1700 },
    { name: 'the port where hosts join', port: 7704, atOnce: 1700 },
    // Without the table it is as etcd leaves it (docs/security.md).
    ...(filter === 'nft' ? [{ name: 'the port of the store for its members', port: 7703, atOnce: 1700 }] : []),
  ])(
    `${seconds} s of connections to $name: nobody is suspected, and the node answers`,
    async ({ port, atOnce }) => {
      const before = await lab.status('n1')
      expect(before.nodes.every(({ online, unclean }) => online && !unclean)).toBe(true)
      const suspectedBefore = suspicions().length
      const cpuBefore = await cpuSeconds('n2')
      const flooding = flood(lab, { node: 'n2', port, atOnce, seconds })
      const answers: number[] = []
      let flooded = false
      void flooding.finally(() => {
        flooded = true
      })
      while (!flooded) {
        const asked = performance.now()
        await lab.systole('n2', 'status')
        answers.push(Math.round(performance.now() - asked))
      }
      const rate = await flooding
      const cpu = (await cpuSeconds('n2')) - cpuBefore
      const slowest = Math.max(...answers)
      console.log(
        `${filter}, ${port}: ${rate} connections/s, ${cpu.toFixed(1)} s of CPU, slowest answer ${slowest} ms of ${answers.length}`,
      )
      const after = await lab.status('n1')
      expect(after.fencing).toEqual([])
      expect(after.nodes.every(({ online, unclean }) => online && !unclean)).toBe(true)
      expect(suspicions().slice(suspectedBefore)).toEqual([])
      expect(rate).toBeGreaterThan(1000)
    },
    240_000,
  )
})
