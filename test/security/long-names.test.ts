/**
 * A name of 260 letters, which no file system takes: refused where it enters; and in a configuration of an older version, where it is there already,
 * it is run. On the build before, no node told what came of the probe, and the DC fenced two of three nodes together.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shell } from '../nodes/lab/faults.ts'
import { Lab } from '../nodes/lab/lab.ts'

const lab = new Lab(['n1', 'n2', 'n3'])
const long = 'a'.repeat(260)
const primitive = `<primitive id="${long}" class="ocf" provider="pacemaker" type="Dummy"/>`
/** The time of a probe, of a command on its way, and what would follow. */
const fencedAfterMs = 95_000

const boots = async (): Promise<readonly string[]> =>
  await Promise.all(lab.nodes.map((node) => shell(lab, node, 'stat -c %Y /proc/1; readlink /proc/1/ns/pid')))

async function settled(): Promise<void> {
  await lab.until('all nodes are online and clean', async () => {
    const views = await Promise.all(lab.nodes.map((node) => lab.status(node)))
    return views.every(({ nodes }) => nodes.length === 3 && nodes.every(({ online, unclean }) => online && !unclean))
  })
}

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
  await lab.createFencing()
  await settled()
}, 180_000)

afterAll(() => lab.close(), 60_000)

test('it is refused with a sentence, by every way in', async () => {
  const sentence = /The id.* 'a+…' has 260 bytes. The limit is 128/
  await expect(lab.systole('n1', 'resource', 'create', long, 'ocf:pacemaker:Dummy')).rejects.toThrow(sentence)
  await expect(lab.systole('n1', 'cib', 'element', 'create', 'resources', primitive)).rejects.toThrow(sentence)
}, 60_000)

test('in a configuration that has it, it runs, and nobody is fenced', async () => {
  await settled()
  const before = await boots()
  await lab.systole('n1', 'cib', 'element', 'create', 'resources', primitive, '--force')
  // Dummy names a file of its own after it: its start fails, which is the agent's result, and the others are tried.
  await lab.until('its start has a result on each node', async () => {
    const failed = await lab.systole('n1', 'status', '--full')
    return failed.includes(long.slice(0, 60))
  })
  await delay(fencedAfterMs)
  expect(await boots()).toEqual(before)
  await settled()
}, 240_000)
