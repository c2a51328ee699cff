import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RolloutsKnown } from '../../src/rollout/index.ts'
import { AgentTimes } from './agent-times.ts'
import { Plane } from './plane.ts'

/** A whole rolling upgrade of five nodes with a database, brokers, load balancers, an address and a versioned service, with clients all the time. */
const plane = new Plane()
const { lab, services } = plane

/** A service is away while a connection finds another server or the address moves. */
const plannedGapMs = 15_000
/** With a node that is fenced, boots and is probed besides; a node whose processors are busy takes one action at a time (load-threshold). */
const failoverGapMs = 60_000
/** Of what the agents need by themselves. */
const slowest = 1.5

beforeAll(async () => await plane.start(), 1_200_000)
afterAll(async () => await plane.close(), 120_000)

async function untilState(name: string, ...states: readonly string[]): Promise<RolloutsKnown['rollouts'][number]> {
  let last: RolloutsKnown['rollouts'][number] | undefined
  await lab.until(
    `${name} is ${states.join(' or ')}`,
    async () => {
      const { rollouts } = JSON.parse(await services.systole('rollout', 'history', '--json')) as RolloutsKnown
      last = rollouts.find(({ definition }) => definition.name === name)
      return last !== undefined && states.includes(last.state)
    },
    1_200_000,
  )
  if (!last) throw new Error(name)
  return last
}

async function measured(what: string, allowedMs: number, run: () => Promise<void>): Promise<void> {
  const from = Date.now()
  await run()
  await plane.untilWhole()
  await plane.untilAnswered()
  const to = Date.now()
  const gaps = plane.gaps({ from, to })
  const rows = gaps.map(({ service, longestGapMs: gap }) => `  ${service.padEnd(20)} ${(gap / 1000).toFixed(1)} s`)
  console.log(`${what}: ${((to - from) / 1000).toFixed(0)} s, longest gaps\n${rows.join('\n')}`)
  expect(gaps.filter(({ longestGapMs: gap }) => gap > allowedMs)).toEqual([])
}

describe('five nodes', { timeout: 1_800_000 }, () => {
  test('a rolling upgrade takes little longer than its agents, and no service is away for long', async () => {
    await measured('a rolling upgrade', plannedGapMs, async () => {
      const times = AgentTimes.follow(services)
      const begun = Date.now()
      await services.systole('rollout', 'start', plane.shop.write({ name: 'whole', version: '2' }), '--no-wait')
      await untilState('whole', 'complete')
      const took = Date.now() - begun
      const needed = await times.end()
      console.log(`the rollout took ${took} ms; its agents needed ${needed} ms one after the other`)
      expect(took).toBeLessThan(slowest * needed)
    })
    expect(plane.shop.versions()).toEqual(lab.nodes.map(() => '2'))
  })

  test('the DC loses power in it: it is completed', async () => {
    await measured('the DC lost', failoverGapMs, async () => {
      await services.systole('rollout', 'start', plane.shop.write({ name: 'dc-lost', version: '3' }), '--no-wait')
      await lab.until('the second node is at work', () => plane.shop.runs('dc-lost').includes('n2 begins'), 600_000)
      const { nodes } = await lab.status(await services.member())
      const dc = nodes.find((node) => node.dc)?.name ?? ''
      await lab.power.off(dc)
      await lab.until('it was fenced', () => lab.power.isOn(dc), 120_000).catch(async () => await lab.power.on(dc))
      await completed('dc-lost')
    })
    expect(plane.shop.versions()).toEqual(lab.nodes.map(() => '3'))
  })

  test('nothing that was acknowledged is lost', async () => {
    const kept = await plane.kept()
    console.log(JSON.stringify(kept))
    expect(kept.rows.acknowledged).toBeGreaterThan(100)
    expect(kept.rows.lost).toBe(0)
    expect(kept.messages.acknowledged).toBeGreaterThan(100)
    expect(kept.messages.lost).toBe(0)
    await plane.begin()
  })

  test('all nodes lose power in it: one abort leaves what was before', async () => {
    const nothingHeld = await services.systole('hold', 'list')
    await services.systole('rollout', 'start', plane.shop.write({ name: 'dark', version: '4' }), '--no-wait')
    await lab.until('the third node is at work', () => plane.shop.runs('dark').includes('n3 begins'), 600_000)
    await Promise.all(lab.nodes.map((node) => lab.power.off(node)))
    await Promise.all(lab.nodes.map((node) => lab.power.on(node)))
    await services.untilOnline()
    const { id } = await untilState('dark', 'running', 'halted')
    await services.systole('rollout', 'abort', id, '--no-wait')
    await untilState('dark', 'aborted')
    await plane.untilWhole()
    await plane.untilAnswered()
    expect(plane.shop.versions()).toEqual(lab.nodes.map(() => '3'))
    expect(await services.systole('hold', 'list')).toBe(nothingHeld)
    // The agent of the brokers begins a new cluster when all are lost: what was in the old one is gone.
    const kept = await plane.kept()
    console.log(`all nodes lost power: ${JSON.stringify(kept)}`)
    expect(kept.rows.lost).toBe(0)
  })
})

/** A command whose node lost power has failed: one resume, if the rollout waits for it. */
async function completed(name: string): Promise<void> {
  const { state, id } = await untilState(name, 'complete', 'halted')
  if (state === 'complete') return
  await services.systole('rollout', 'resume', id, '--no-wait')
  await untilState(name, 'complete')
}
