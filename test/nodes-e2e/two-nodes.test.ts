import { afterAll, beforeAll, expect, test } from 'vitest'
import { other, WebPair } from '../nodes/lab/web-pair.ts'

/** Two nodes of which the passive one is lost or leaves, and whose fence device fails. */
const pair = new WebPair()
const { lab } = pair

beforeAll(() => pair.begin(), 120_000)

afterAll(() => lab.close(), 60_000)

test('power of the passive node is cut: the service never stops', async () => {
  const active = await pair.settle()
  lab.power.unplugged.add(other(active))
  const cut = Date.now()
  await lab.power.off(other(active))
  await lab.until('the survivor votes alone', async () => (await pair.quorum(active)).twoNode?.alone === true)
  await pair.answeringBy()
  const missed = pair.client.answers.filter(({ asked, ok }) => asked >= cut && !ok)
  expect(missed, missed.length === 0 ? '' : `cut at ${cut}, active ${active}:\n${lab.logs(400)}`).toEqual([])
}, 120_000)

test('a node leaves in order: the other goes on without fencing it, and takes it back', async () => {
  await pair.settle()
  const fenced = (await lab.status('n1')).fencing.length
  await lab.systole('n2', 'cluster', 'stop')
  await lab.until('n1 votes alone', async () => {
    const { quorate, twoNode } = await pair.quorum('n1')
    return quorate && twoNode?.alone === true
  })
  await pair.answeringBy(Date.now(), 'n1')
  expect((await lab.status('n1')).fencing).toHaveLength(fenced)
  await lab.systole('n2', 'cluster', 'start')
  await pair.settle()
}, 120_000)

test('the fence device fails: the survivor keeps what it runs and recovers nothing, until a person confirms', async () => {
  const victim = await pair.settle()
  const survivor = other(victim)
  await lab.systole('n1', 'resource', 'create', 'kept', 'ocf:pacemaker:Dummy')
  await lab.systole('n1', 'constraint', 'location', 'kept', 'prefers', survivor, '--wait')
  await lab.until('it runs on the survivor', async () => (await lab.whereIs('kept', survivor))[0] === survivor)
  lab.power.brokenControllers.add(victim)
  lab.power.unplugged.add(victim)
  try {
    await lab.power.off(victim)
    const cut = Date.now()
    await lab.until('it says that fencing fails', async () =>
      /could not be fenced/.test((await pair.quorum(survivor)).twoNode?.message ?? ''),
    )
    // The daemon's death changes nothing: its member's own copy of the store tells the next one what to do.
    const daemon = (await lab.inNode(survivor, 'cat', '/run/systoled.pid')).trim()
    await lab.inNode(survivor, 'kill', '-9', daemon)
    await lab.until(
      'the next daemon fails to fence as well',
      async () => /could not be fenced/.test((await pair.quorum(survivor)).twoNode?.message ?? ''),
      60_000,
    )
    expect(pair.client.goodSince(cut + 50)).toEqual([])
    expect(await lab.inNode(survivor, 'ls', '/run')).toContain('Dummy-kept.state')
    await lab.systole(survivor, 'stonith', 'confirm', victim, '--yes')
    await pair.answeringBy(cut, survivor)
  } finally {
    lab.power.brokenControllers.delete(victim)
  }
  await pair.settle()
  await lab.systole('n1', 'resource', 'delete', 'kept', '--force', '--wait')
}, 150_000)

test('no daemon has met an error', () => {
  expect(lab.logs(100_000)).not.toMatch(/"level":"error"|Deprecat|DEP0/)
})
