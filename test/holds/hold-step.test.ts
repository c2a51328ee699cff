import { describe, expect, test } from 'vitest'
import { monotonicMs } from '../../src/base/index.ts'
import { type HoldInput, type HoldKeeperState, type HoldRecord, holdStep, noHoldsSeen } from '../../src/holds/index.ts'
import { hold } from './hold.ts'

const calendar = Date.parse('2026-11-23T14:02:00.000Z')

function look(
  state: HoldKeeperState,
  holds: readonly (readonly [HoldRecord, number])[],
  at: number,
  more: { readonly running?: readonly string[]; readonly calendarMs?: number } = {},
) {
  const { running = [], calendarMs = calendar } = more
  const input: HoldInput = {
    kind: 'looked',
    holds: holds.map(([one, revision]) => ({ hold: one, revision })),
    running: (_, name) => running.includes(name),
    calendarMs,
  }
  const { state: next, effects } = holdStep(state, input, monotonicMs(at))
  const freed = effects.flatMap((effect) => (effect.kind === 'free' ? [effect.id] : []))
  const wake = effects.flatMap((effect) => (effect.kind === 'wake' ? [effect.afterMs] : []))[0]
  return { next, freed, wake }
}

const kept = hold('prefer', {
  resource: 'web',
  node: 'n2',
  holder: 'abc',
  ttlMs: 20_000,
  owner: { kind: 'command', name: 'resource move web n2', user: 'root', node: 'n1' },
})

describe('what a process renews', () => {
  test('ends so long after its last renewal, by the clock of the DC', () => {
    const first = look(noHoldsSeen, [[kept, 5]], 1000)
    expect(first).toMatchObject({ freed: [], wake: 20_000 })
    const renewed = look(first.next, [[kept, 6]], 15_000)
    expect(renewed).toMatchObject({ freed: [], wake: 20_000 })
    expect(look(renewed.next, [[kept, 6]], 34_999)).toMatchObject({ freed: [], wake: 1 })
    expect(look(renewed.next, [[kept, 6]], 35_000).freed).toEqual([kept.id])
  })

  test('has its whole time again with another DC, whatever the calendar says', () => {
    const far = calendar + 10 * 24 * 3_600_000
    expect(look(noHoldsSeen, [[kept, 5]], 9_000_000, { calendarMs: far }).freed).toEqual([])
  })

  test('a DC that leads no more forgets what it has counted', () => {
    const { next } = look(noHoldsSeen, [[kept, 5]], 0)
    const stopped = holdStep(next, { kind: 'stopped' }, monotonicMs(5)).state
    expect(look(stopped, [[kept, 5]], 20_000).freed).toEqual([])
  })
})

describe('what an operator has asked for', () => {
  test('does not keep the DC from looking when another ends where it has no time', () => {
    expect(
      look(
        noHoldsSeen,
        [
          [hold('drain', { node: 'n2' }), 4],
          [kept, 5],
        ],
        0,
      ).wake,
    ).toBe(20_000)
  })

  test('stays until it is released where it has no time', () => {
    const drain = hold('drain', { node: 'n2' })
    expect(look(noHoldsSeen, [[drain, 5]], 0, { calendarMs: calendar + 1e12 })).toMatchObject({
      freed: [],
      wake: undefined,
    })
  })

  test('ends by the calendar, also when each DC has seen it for a moment only', () => {
    const drain = hold('drain', { node: 'n2', ttlMs: 3_600_000 })
    expect(look(noHoldsSeen, [[drain, 5]], 0, { calendarMs: calendar + 3_599_000 })).toMatchObject({
      freed: [],
      wake: 1000,
    })
    expect(look(noHoldsSeen, [[drain, 5]], 0, { calendarMs: calendar + 3_600_000 }).freed).toEqual([drain.id])
  })

  test('ends by the clock of the DC, where the calendar has been put back', () => {
    const drain = hold('drain', { node: 'n2', ttlMs: 3_600_000 })
    const { next } = look(noHoldsSeen, [[drain, 5]], 0)
    expect(look(next, [[drain, 5]], 3_600_000, { calendarMs: calendar - 1e9 }).freed).toEqual([drain.id])
  })
})

test('what a rollout or a job holds ends with it', () => {
  const drain = hold('drain', { node: 'n2', owner: { kind: 'rollout', name: 'r7', user: 'root', node: 'n1' } })
  expect(look(noHoldsSeen, [[drain, 5]], 0, { running: ['r7'] }).freed).toEqual([])
  expect(look(noHoldsSeen, [[drain, 5]], 0, { running: ['r8'] }).freed).toEqual([drain.id])
})

test('what could not be freed is tried again', () => {
  const { next } = look(noHoldsSeen, [[kept, 5]], 0)
  const over = look(next, [[kept, 5]], 20_000)
  expect(over).toMatchObject({ freed: [kept.id], wake: 500 })
  expect(look(over.next, [[kept, 5]], 20_500).freed).toEqual([kept.id])
})
