import { expect, test } from 'vitest'
import { World } from './world.ts'

/** More by hand: ROLLOUT_SEEDS=5000 npx vitest run --project quick test/rollout/simulation.test.ts */
const seeds = Number(process.env.ROLLOUT_SEEDS ?? 200)

test('with faults at any write a rollout ends complete or as before, within its limits, and runs no command twice', () => {
  const outcomes = Array.from({ length: seeds }, (_, seed) => ({ seed, ...new World(seed).run() }))
  expect(outcomes.filter(({ violations }) => violations.length > 0).slice(0, 3)).toEqual([])
  const ended = outcomes.map(({ state }) => state)
  expect(ended.filter((state) => state === 'complete').length).toBeGreaterThan(seeds / 10)
  expect(ended.filter((state) => state === 'aborted').length).toBeGreaterThan(seeds / 10)
  expect(Math.max(...outcomes.map(({ tasks }) => tasks))).toBeGreaterThan(10)
}, 1_800_000)
