import { expect, test } from 'vitest'
import { monotonicMs } from '../../src/base/index.ts'
import { lookAtTarget, type SelfFencingLook, type SelfFencingWait } from '../../src/fencing/index.ts'

/** A target that is reset 14.5 s after the end of its lease, looked at for 60 s before that at most. */
type Since = SelfFencingLook['target']

function verdicts(looks: readonly (readonly [atMs: number, target: Since, changes: number])[]): readonly string[] {
  let wait: SelfFencingWait = { waitMs: 14_500, giveUpAt: monotonicMs(60_000) }
  return looks.map(([at, target, changes]) => {
    const verdict = lookAtTarget(wait, { target, changes, rules: true }, monotonicMs(at))
    if (verdict.kind === 'waiting') wait = verdict.wait
    return verdict.kind === 'unproven' ? verdict.why : verdict.kind
  })
}

test('the time counts from the end of the lease', () => {
  const seen = verdicts([
    [0, 'here', 1],
    [3000, 'gone', 2],
    [17_400, 'gone', 2],
    [17_500, 'gone', 2],
  ])
  expect(seen).toEqual(['waiting', 'waiting', 'waiting', 'reset'])
})

test('one that registers again has perhaps fed its watchdog', () => {
  const cameBack = 'it came back before its reset was certain'
  expect(
    verdicts([
      [0, 'gone', 2],
      [900, 'here', 3],
    ]),
  ).toEqual(['waiting', cameBack])
  // A later life, that is, another daemon on the same machine.
  expect(
    verdicts([
      [0, 'here', 1],
      [900, 'came-back', 3],
    ]),
  ).toEqual(['waiting', cameBack])
  // It came and went between two looks.
  expect(
    verdicts([
      [0, 'gone', 2],
      [900, 'gone', 4],
    ]),
  ).toEqual(['waiting', cameBack])
})

test('one that is back after another boot was reset, however soon that is', () => {
  expect(
    verdicts([
      [0, 'here', 1],
      [800, 'rebooted', 2],
    ]),
  ).toEqual(['waiting', 'reset'])
  expect(
    verdicts([
      [0, 'gone', 2],
      [9000, 'rebooted', 3],
    ]),
  ).toEqual(['waiting', 'reset'])
})

test('one that never goes is given up, and so is everything when the term is over', () => {
  expect(
    verdicts([
      [0, 'here', 1],
      [60_000, 'here', 1],
    ]),
  ).toEqual(['waiting', 'it still holds its lease'])
  const wait = { waitMs: 1, giveUpAt: monotonicMs(9) }
  expect(lookAtTarget(wait, { target: 'gone', changes: 0, rules: false }, monotonicMs(0)).kind).toBe('unproven')
})
