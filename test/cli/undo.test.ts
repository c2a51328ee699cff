/** `config undo --at`: which version was in force at a time. What it does to a cluster is shown in test/nodes/plan.test.ts. */
import { expect, test } from 'vitest'
import { versionAt } from '../../src/cli/commands/config/undo.ts'

const versions = [
  { version: 7, time: '2026-11-27T21:30:00.000Z', node: 'n1', user: 'root', command: 'x' },
  { version: 8, time: '2026-11-27T21:40:05.700Z', node: 'n1', user: 'root', command: 'y' },
  { version: 9, time: '2026-11-27T21:50:00.000Z', node: 'n1', user: 'root', command: 'z' },
]
const now = Date.parse('2026-11-27T22:00:00Z')

test.each([
  ['2026-11-27 21:30', 7],
  ['2026-11-27 21:40', 7],
  ['2026-11-27 21:40:04', 7],
  // As 'config history' prints it.
  ['2026-11-27 21:40:05', 8],
  ['2026-11-27T21:40:05.600Z', 7],
  ['2026-11-27 21:40:05 UTC', 8],
  ['2026-11-27 22:45 +01:00', 8],
  ['2026-11-27 21:59', 9],
  ['2026-11-27 22:00:00', 9],
])('at %s it was version %i', (at, version) => {
  expect(versionAt(versions, at, now)).toBe(version)
})

test.each([
  ['2026-11-27 21:29', 'The history begins with version 7, made at 2026-11-27 21:30:00'],
  ['2026-11-27', 'The history begins with version 7'],
  ['2026-11-27 22:01', 'This time has not come yet'],
  ['21:40', 'This is not a time. Specify one such as'],
  ['yesterday', 'This is not a time.'],
  ['2026-13-27 21:40', 'This is not a time.'],
  ['', 'This is not a time.'],
])('%j is refused: %s', (at, sentence) => {
  expect(() => versionAt(versions, at, now)).toThrow(sentence)
})
