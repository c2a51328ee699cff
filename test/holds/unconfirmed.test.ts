import { describe, expect, test } from 'vitest'
import { monotonicMs } from '../../src/base/index.ts'
import {
  noneUnconfirmed,
  parseUnconfirmed,
  type UnconfirmedChange,
  type UnconfirmedState,
  unconfirmedStep,
} from '../../src/holds/index.ts'

const calendar = Date.parse('2026-11-23T14:02:00.000Z')
const change = (version: number, more: Partial<UnconfirmedChange> = {}): UnconfirmedChange => ({
  version,
  since: '2026-11-23T14:02:00.000Z',
  withinMs: 60_000,
  user: 'root',
  node: 'n1',
  ...more,
})

function look(state: UnconfirmedState, changes: readonly UnconfirmedChange[], at: number, calendarMs = calendar + at) {
  const input = {
    kind: 'looked',
    changes: changes.map((one) => ({ change: one, revision: one.version })),
    calendarMs,
  } as const
  const { state: next, effects } = unconfirmedStep(state, input, monotonicMs(at))
  const due = effects.flatMap((effect) => (effect.kind === 'take-back' ? [effect.change.version] : []))
  const wake = effects.flatMap((effect) => (effect.kind === 'wake' ? [effect.afterMs] : []))[0]
  return { next, due, wake }
}

describe('a change that waits for confirmation', () => {
  test('is due when its time has run, and not before', () => {
    const first = look(noneUnconfirmed, [change(7)], 0)
    expect(first).toMatchObject({ due: [], wake: 60_000 })
    expect(look(first.next, [change(7)], 59_999)).toMatchObject({ due: [], wake: 1 })
    expect(look(first.next, [change(7)], 60_000).due).toEqual([7])
  })

  test('goes on counting with another DC, by the calendar', () => {
    expect(look(noneUnconfirmed, [change(7)], 0, calendar + 45_000).wake).toBe(15_000)
    expect(look(noneUnconfirmed, [change(7)], 0, calendar + 61_000).due).toEqual([7])
  })

  test('is due by the clock of the DC where the calendar of its node was ahead', () => {
    const { next } = look(noneUnconfirmed, [change(7)], 0, calendar - 3_600_000)
    expect(look(next, [change(7)], 60_000, calendar - 3_540_000).due).toEqual([7])
  })

  test('is taken back after those that came later, one at a time, and is looked at again soon', () => {
    expect(look(noneUnconfirmed, [change(7), change(9), change(8)], 70_000)).toMatchObject({ due: [9], wake: 500 })
  })

  test('is left alone once it could not be taken back, and where this node leads no more', () => {
    expect(look(noneUnconfirmed, [change(7, { failed: 'later changes rely on it' })], 70_000)).toMatchObject({
      due: [],
      wake: undefined,
    })
    expect(unconfirmedStep(noneUnconfirmed, { kind: 'stopped' }, monotonicMs(70_000)).effects).toEqual([])
  })
})

test('what no version writes is not obeyed', () => {
  expect(parseUnconfirmed(change(7))).toEqual(change(7))
  for (const wrong of [
    null,
    'x',
    {},
    { ...change(7), version: 'x' },
    { ...change(7), since: 'tomorrow' },
    { ...change(7), withinMs: -1 },
  ])
    expect(parseUnconfirmed(wrong)).toBeUndefined()
})
