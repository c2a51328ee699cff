import { expect, test } from 'vitest'
import { allTellStore, endByDiskFencing } from '../../src/quorum/index.ts'

const words: readonly [string, Parameters<typeof endByDiskFencing>, ReturnType<typeof endByDiskFencing>][] = [
  ['a word for this boot resets the machine', [{ bootId: 'b', action: 'reboot' }, 'b'], 'reset'],
  ['or switches it off', [{ bootId: 'b', action: 'off' }, 'b'], 'off'],
  ['one for another boot is over', [{ bootId: 'a', action: 'reboot' }, 'b'], undefined],
  ['one for a boot that nobody knows means any', [{ action: 'reboot' }, 'b'], 'reset'],
  ['a machine that does not know its boot obeys any', [{ bootId: 'a', action: 'reboot' }, undefined], 'reset'],
  ['without a word it goes on', [undefined, 'b'], undefined],
]
for (const [name, [word, bootId], ending] of words)
  test(name, () => expect(endByDiskFencing(word, bootId)).toBe(ending))

test('a node lives on the word of the store only where every member would write one', () => {
  expect(allTellStore([{ knowsDisks: true }, { knowsDisks: true }])).toBe(true)
  expect(allTellStore([{ knowsDisks: true }, {}])).toBe(false)
})
