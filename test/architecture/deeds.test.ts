import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { isStandIn, testPieces } from '../../scripts/deeds/tests.ts'

test('a test that makes its daemon or program itself shows no deed, one on nodes does', () => {
  expect(isStandIn('test/cli/some.test.ts', 'openCluster: () => ({ live: daemon as never })')).toBe(true)
  expect(isStandIn('test/cli/some.test.ts', 'live: live as unknown as LocalClient')).toBe(true)
  expect(isStandIn('test/cli/booth.test.ts', '')).toBe(true)
  expect(isStandIn('test/cli/some.test.ts', 'fileAccess(file)')).toBe(false)
  expect(isStandIn('test/nodes/some.test.ts', 'answer as unknown as Answer')).toBe(false)
})

test('no piece of a stand-in counts, and of lines that are typed only those that are not refused', () => {
  const pieces = testPieces(resolve(import.meta.dirname, '../..'))
  const of = (file: string) => pieces.filter((piece) => piece.file === file)
  const asked = of('test/cli/daemon-option-effects.test.ts')
  expect(asked.every(({ isNoDeed }) => isNoDeed)).toBe(true)
  const typed = new Map(of('test/cli/cases/hardware/lines.txt').map(({ title, isNoDeed }) => [title, isNoDeed]))
  expect(typed.get('systole node benchmark --here --parts=gpu')).toBe(true)
  expect(typed.get('systole node facts --differences')).toBeUndefined()
  // It reads every test there is, which takes a busy machine longer than half a minute.
}, 180_000)
