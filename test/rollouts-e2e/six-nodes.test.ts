import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RolloutsKnown } from '../../src/rollout/index.ts'
import { Lab } from '../nodes/lab/lab.ts'

/** Six nodes in two roles, of which one begins when the other is done, each with a limit of its own. */
const lab = new Lab(['n1', 'n2', 'n3', 'n4', 'n5', 'n6'])
const at = (name: string): string => join(lab.folder, name)

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
  await lab.createFencing()
}, 300_000)

afterAll(async () => await lab.close(), 120_000)

/** `begins n3`, `ends n3`, in the order in which it happened. */
const lines = (): readonly string[] =>
  existsSync(at('log')) ? readFileSync(at('log'), 'utf8').trim().split('\n').filter(Boolean) : []
const nodesThat = (word: string): readonly string[] =>
  lines().flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []))

/** How many of some nodes were at work at the same time, at most. */
function mostAtWork(of: readonly string[]): number {
  let now = 0
  const counts = lines().map((line) => {
    const [word, node = ''] = line.split(' ')
    if (of.includes(node)) now += word === 'begins' ? 1 : -1
    return now
  })
  return Math.max(0, ...counts)
}

const open = (nodes: readonly string[]): void => {
  for (const node of nodes) writeFileSync(at(`gate-${node}`), '')
}

test('never more at work than their role allows, one role after the other, also when the DC loses power', async () => {
  const dc = (await lab.status('n1')).nodes.find((node) => node.dc)?.name ?? ''
  const [second = '', ...compute] = lab.nodes.filter((node) => node !== dc)
  const controllers = [dc, second]
  for (const node of controllers) await lab.systole('n1', 'role', 'add', 'controller', node)
  for (const node of compute) await lab.systole('n1', 'role', 'add', 'compute', node)
  const run = `echo begins $SYSTOLE_ROLLOUT_NODE >> ${at('log')}
until [ -e ${at('gate-$SYSTOLE_ROLLOUT_NODE')} ]; do sleep 0.1; done
echo ends $SYSTOLE_ROLLOUT_NODE >> ${at('log')}`
  const definition = {
    rollout: 'cloud',
    version: '2',
    nodes: 'all',
    waves: {
      'max-unavailable': 3,
      limits: [
        { role: 'controller', 'max-unavailable': 1 },
        { role: 'compute', 'max-unavailable': 3 },
      ],
      order: ['controller', 'compute'],
    },
    steps: { hold: 'none', actions: [{ name: 'upgrade', run, timeout: '10min' }] },
  }
  writeFileSync(at('cloud.yaml'), JSON.stringify(definition))
  const from = compute[0] ?? ''
  await lab.systole(from, 'rollout', 'start', at('cloud.yaml'), '--no-wait')
  await lab.until('a controller is at work', () => lines().length > 0, 120_000)
  open(controllers)
  await lab.until('three of the others are at work', () => nodesThat('begins').length === 5, 120_000)
  expect(nodesThat('ends').toSorted()).toEqual(controllers.toSorted())
  await lab.power.off(dc)
  await lab.until(
    'there is another DC',
    async () => (await lab.status(from)).nodes.some((node) => node.dc && node.name !== dc),
    120_000,
  )
  expect(nodesThat('begins')).toHaveLength(5)
  open(compute)
  await lab.until(
    'it is complete',
    async () => {
      const { rollouts } = JSON.parse(await lab.systole(from, 'rollout', 'history', '--json')) as RolloutsKnown
      return rollouts[0]?.state === 'complete'
    },
    240_000,
  )
  expect(nodesThat('begins').toSorted()).toEqual(lab.nodes.toSorted())
  expect(nodesThat('ends').toSorted()).toEqual(lab.nodes.toSorted())
  expect(lines().slice(0, 4).toSorted()).toEqual(
    controllers.flatMap((node) => [`begins ${node}`, `ends ${node}`]).toSorted(),
  )
  expect([mostAtWork(controllers), mostAtWork(compute)]).toEqual([1, 3])
}, 600_000)
