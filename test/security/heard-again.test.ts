/**
 * Daemons that stand still for a moment, and fence devices with a delay, as docs/guides/two-nodes.md recommends it: who is heard again before its
 * device is told is not fenced. On the build before, one of two nodes power-cycled the other again and again.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { shell, signal } from '../nodes/lab/faults.ts'
import { Lab } from '../nodes/lab/lab.ts'

/** Longer than the delay of the devices, and what would follow. */
const watchedMs = 15_000

describe.each([
  ['two', ['n1', 'n2']],
  ['three', ['n1', 'n2', 'n3']],
] as const)('of %s nodes', (_count, nodes) => {
  const lab = new Lab([...nodes])
  const boots = async (): Promise<readonly string[]> =>
    await Promise.all(lab.nodes.map((node) => shell(lab, node, 'stat -c %Y /proc/1; readlink /proc/1/ns/pid')))

  async function settled(): Promise<void> {
    await lab.until('all nodes are online and clean', async () => {
      const views = await Promise.all(lab.nodes.map((node) => lab.status(node)))
      return views.every(
        (view) => view.nodes.length === nodes.length && view.nodes.every((n) => n.online && !n.unclean),
      )
    })
  }

  beforeAll(async () => {
    await lab.start()
    await lab.formCluster()
    await lab.createFencing()
    for (const node of nodes) await lab.systole('n1', 'stonith', 'update', `fence-${node}`, 'pcmk_delay_base=5s')
    await settled()
  }, 180_000)

  afterAll(() => lab.close(), 60_000)

  test.each([1700, 2500])(
    'a daemon that stands still for %i ms is not fenced, nor the other',
    async (ms) => {
      await settled()
      const before = await boots()
      await signal(lab, 'n2', 'systoled', 'STOP')
      await delay(ms)
      await signal(lab, 'n2', 'systoled', 'CONT')
      await delay(watchedMs)
      expect(await boots()).toEqual(before)
      await settled()
    },
    120_000,
  )
})
