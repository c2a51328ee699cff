import { expect, test } from 'vitest'
import { compareNames } from '../../src/status/index.ts'

const cases: readonly { readonly name: string; readonly names: readonly string[] }[] = [
  { name: 'numbers count as numbers', names: ['node9', 'node10', 'node100'] },
  { name: 'wherever they stand', names: ['web2:1', 'web10', 'web:2', 'web:10'] },
  { name: 'what begins another name comes before it', names: ['node', 'node1', 'node1a'] },
  { name: 'a number comes before a letter, and after a dash', names: ['a-1', 'a1', 'ab'] },
  { name: 'upper and lower case are the same', names: ['alpha', 'Beta', 'gamma'] },
]

for (const { name, names } of cases)
  test(name, () => {
    expect(names.toReversed().sort(compareNames)).toEqual(names)
    expect(names.toSorted(compareNames)).toEqual(names)
  })

test('names that differ in case or in leading zeros only are equal', () => {
  expect([compareNames('Node1', 'node1'), compareNames('n01', 'n1')]).toEqual([0, 0])
})
