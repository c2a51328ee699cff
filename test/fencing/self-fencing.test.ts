import { expect, test } from 'vitest'
import { monotonicMs } from '../../src/base/index.ts'
import { lookAtTarget, type SelfFencingWait } from '../../src/fencing/index.ts'

/** A target that is reset 14.5 s after the end of its lease, looked at for 60 s before that at most. */
function verdicts(looks: readonly (readonly [atMs: number, present: boolean, changes: number])[]): readonly string[] {
  let wait: SelfFencingWait = { waitMs: 14_500, giveUpAt: monotonicMs(60_000) }
  return looks.map(([at, present, changes]) => {
    const verdict = lookAtTarget(wait, { present, changes, rules: true }, monotonicMs(at))
    if (verdict.kind === 'waiting') wait = verdict.wait
    return verdict.kind === 'unproven' ? verdict.why : verdict.kind
  })
}

test('the time counts from the end of the lease', () => {
  const seen = verdicts([
    [0, true, 1],
    [3000, false, 2],
    [17_400, false, 2],
    [17_500, false, 2],
  ])
  expect(seen).toEqual(['waiting', 'waiting', 'waiting', 'reset'])
})

test('one that registers again has perhaps fed its watchdog', () => {
  const cameBack = 'it came back before it was surely reset'
  expect(
    verdicts([
      [0, false, 2],
      [900, true, 3],
    ]),
  ).toEqual(['waiting', cameBack])
  // It came and went between two looks.
  expect(
    verdicts([
      [0, false, 2],
      [900, false, 4],
    ]),
  ).toEqual(['waiting', cameBack])
})

test('one that never goes is given up, and so is everything when the term is over', () => {
  expect(
    verdicts([
      [0, true, 1],
      [60_000, true, 1],
    ]),
  ).toEqual(['waiting', 'it still holds its lease'])
  const wait = { waitMs: 1, giveUpAt: monotonicMs(9) }
  expect(lookAtTarget(wait, { present: false, changes: 0, rules: false }, monotonicMs(0)).kind).toBe('unproven')
})
