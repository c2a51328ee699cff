import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  begin,
  beginWithVersions,
  fileOf,
  isAtGate,
  lab,
  runsOf,
  untilState,
  versionsOf,
  writeRollout,
} from './lab/versions.ts'

/** Rollouts of a versioned service on three nodes; a client, a DC and a target lost in between. Failed upgrades and power cuts: `npm run e2e:nodes`. */
beforeAll(beginWithVersions, 120_000)

afterAll(() => lab.close(), 60_000)

test('a rollout takes one node after another to the version, drained, and nothing is held afterwards', async () => {
  const said = await lab.systole('n1', 'rollout', 'start', writeRollout('shop', '2'))
  expect(said).toContain('complete')
  expect(said).toMatch(/Wave 1 .* 3 of 3/)
  expect(versionsOf()).toEqual(['2', '2', '2'])
  expect(runsOf('begins shop')).toHaveLength(3)
  expect(await lab.systole('n1', 'cluster', 'cib')).not.toContain('standby')
  expect(await lab.systole('n2', 'rollout', 'verify', '2')).toContain('All 3 nodes run 2.')
  await expect(lab.systole('n2', 'rollout', 'verify', '1', 'n1')).rejects.toMatchObject({ cause: { code: 1 } })
  expect(await lab.systole('n1', 'rollout', 'start', fileOf('shop'))).toBe('Nothing to do: n1, n2, n3 run 2 already.\n')
  expect(runsOf('begins shop')).toHaveLength(3)
})

test('a plan that is refused begins only by force; a paused rollout begins no node, and the words may be followed later', async () => {
  const gate = join(lab.folder, 'gate-forced')
  const file = writeRollout('forced', '2.1', { most: 3, gate })
  await expect(lab.systole('n1', 'rollout', 'start', file)).rejects.toThrow(
    /web would run nowhere while n1, n2, n3 are held/,
  )
  await lab.systole('n1', 'rollout', 'start', file, '--force', '--no-wait')
  await lab.systole('n2', 'rollout', 'pause')
  await expect(lab.systole('n3', 'rollout', 'start', writeRollout('other', '9', { names: ['n2'] }))).rejects.toThrow(
    /The rollout r2 concerns n2 and has not ended/,
  )
  await lab.systole('n1', 'rollout', 'resume', '--no-wait')
  await lab.systole('n3', 'rollout', 'abort', 'r2', '--no-wait')
  writeFileSync(gate, '')
  await expect(lab.systole('n2', 'rollout', 'status', 'r2', '--wait')).rejects.toMatchObject({ cause: { code: 4 } })
  expect(versionsOf()).toEqual(['2', '2', '2'])
  expect(await lab.systole('n1', 'rollout', 'versions', 'n1')).toMatch(/n1 {2}2 {2}validated/)
})

test('the daemons of the DC and of the node at work are killed: the rollout goes on, and the command runs once', async () => {
  const gate = join(lab.folder, 'gate-killed')
  const id = await begin(writeRollout('killed', '3', { names: ['n1', 'n2'], gate }))
  await lab.until('the first node is at work', () => isAtGate('killed'))
  expect(await lab.systole('n3', 'rollout', 'status').catch((error: unknown) => String(error))).toContain('install')
  const dc = (await lab.status('n3')).nodes.find((node) => node.dc)?.name ?? ''
  for (const node of new Set([dc, 'n1'])) await lab.inNode(node, 'sh', '-c', 'kill -9 $(cat /run/systoled.pid)')
  writeFileSync(gate, '')
  await untilState(id, 'complete', 'n3')
  expect(runsOf('begins killed')).toEqual(['n1 begins killed', 'n2 begins killed'])
  expect(versionsOf()).toEqual(['3', '3', '2'])
})
