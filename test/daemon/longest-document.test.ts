import { expect, test } from 'vitest'
import { element } from '../../src/cib/index.ts'
import { refuseLongDocument } from '../../src/daemon/access/longest-document.ts'

const cibOf = (characters: number) => element('cib', { text: 'x'.repeat(characters) })

test('a user with roles may send twice the CIB, and always 256 KiB', () => {
  const [small, large] = [cibOf(10), cibOf(1024 * 1024)]
  for (const [cib, length] of [
    [small, 256 * 1024],
    [large, 2 * 1024 * 1024],
  ] as const)
    expect(() => refuseLongDocument(cib, length)).not.toThrow()
  expect(() => refuseLongDocument(small, 256 * 1024 + 1)).toThrow('The document has 262145 characters.')
  expect(() => refuseLongDocument(large, 2.1 * 1024 * 1024)).toThrow('twice the size of the CIB')
})
