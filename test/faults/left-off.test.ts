import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pidOf } from '../nodes/lab/faults.ts'
import { Lab } from '../nodes/lab/lab.ts'

/** Nodes that a fencing has switched off: who is switched on again, and who stays off (docs/adr/0040). */

describe('of three nodes', () => {
  const lab = new Lab(['n1', 'n2', 'n3'])
  beforeAll(async () => {
    await lab.start()
    await lab.formCluster()
    await lab.createFencing()
  }, 180_000)
  afterAll(() => lab.close(), 60_000)

  test('one without which there is no majority is switched on, though nobody could record that it was off', async () => {
    await lab.until('n1 leads', async () => {
      if ((await leader()) === 'n1') return true
      await lab.inNode(await leader(), 'sh', '-c', 'kill -9 $(cat /run/systoled.pid)')
      return false
    })
    const boot = lab.power.pid1('n3')
    const stopped = [await pidOf(lab, 'n2', 'etcd'), await pidOf(lab, 'n2', 'systoled')]
    await lab.inNode('n2', 'kill', '-STOP', ...stopped)
    // The store is n1 and n3 now.
    void lab.try('n1', 'stonith', 'fence', 'n3')
    await lab.until('n3 runs again', () => lab.power.isOn('n3') && lab.power.pid1('n3') !== boot, 120_000)
    await lab.until(
      'n1 has quorum again, without n2',
      async () => {
        const { quorum, nodes } = await lab.status('n1')
        return quorum.quorate && nodes.some(({ name, online }) => name === 'n3' && online)
      },
      120_000,
    )
    if (lab.power.isOn('n2')) await lab.inNode('n2', 'sh', '-c', 'kill -CONT -1; true')
    await lab.until(
      'all are online',
      async () => (await lab.status('n1')).nodes.every(({ online, unclean }) => online && !unclean),
      120_000,
    )
  }, 400_000)

  async function leader(): Promise<string> {
    return (await lab.status('n1')).nodes.find(({ dc }) => dc)?.name ?? 'n1'
  }
})

describe('of two nodes', () => {
  const lab = new Lab(['n1', 'n2'])
  beforeAll(async () => {
    await lab.start()
    await lab.formCluster()
    await lab.createFencing()
  }, 180_000)
  afterAll(() => lab.close(), 60_000)

  test('one that an administrator wants off stays off, while the survivor goes on alone', async () => {
    await lab.systole('n1', 'stonith', 'fence', 'n2', '--off')
    await lab.until(
      'n1 goes on alone',
      async () => {
        const { quorum, nodes } = await lab.status('n1')
        return quorum.quorate && nodes.some(({ name, online, unclean }) => name === 'n2' && !online && !unclean)
      },
      120_000,
    )
    await lab.systole('n1', 'resource', 'create', 'web', 'ocf:pacemaker:Dummy', '--wait')
    expect(lab.power.isOn('n2')).toBe(false)
    const { fencing } = JSON.parse(await lab.systole('n1', 'status', '--json')) as {
      readonly fencing: readonly { readonly target: string; readonly action: string }[]
    }
    expect(fencing.filter(({ action }) => action !== 'off')).toEqual([])
    await lab.power.on('n2')
    await lab.until(
      'both are online',
      async () => (await lab.status('n1')).nodes.every(({ online, unclean }) => online && !unclean),
      120_000,
    )
  }, 400_000)
})
