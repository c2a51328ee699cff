import { describe, expect, test } from 'vitest'
import { patternOrNothing, readPattern } from '../../src/base/index.ts'

const finds = (pattern: string, text: string): readonly string[] | null => patternOrNothing(pattern).match(text)
const why = (pattern: string): string => {
  const read = readPattern(pattern)
  return read.ok ? 'a regular expression' : read.reports.join(' ')
}

/** The platform's own engine needs longer for the first than this machine will exist. */
test.each([
  { pattern: '^(a+)+$', text: `${'a'.repeat(60)}!` },
  { pattern: '(x+x+)+y', text: 'x'.repeat(60) },
  { pattern: '(a|aa)+$', text: `${'a'.repeat(200)}b` },
  { pattern: '(.*)(.*)(.*)(.*)(.*)z', text: 'a'.repeat(5000) },
])('$pattern is searched in no time', ({ pattern, text }) => {
  const begun = performance.now()
  expect(finds(pattern, text)).toBeNull()
  expect(performance.now() - begun).toBeLessThan(3000)
})

describe('as in POSIX', () => {
  test.each([
    { pattern: '^vip-(.*)$', text: 'vip-1', found: ['vip-1', '1'] },
    { pattern: 'a|ab', text: 'ab', found: ['ab'] },
    { pattern: '(web)|(db)', text: 'db', found: ['db', '', 'db'] },
    { pattern: '^node[[:digit:]]+$', text: 'node12', found: ['node12'] },
    { pattern: '^a{,2}$', text: 'aa', found: ['aa'] },
    { pattern: '\\<db\\>', text: 'web-db-1', found: ['db'] },
    { pattern: 'a.b', text: 'a\nb', found: ['a\nb'] },
    { pattern: '[]a]+', text: 'x]a', found: [']a'] },
    { pattern: '^\\d+$', text: '42', found: ['42'] },
  ])('$pattern finds in $text', ({ pattern, text, found }) => expect(finds(pattern, text)).toEqual(found))
})

describe('refused, with the reason', () => {
  test.each([
    { pattern: '(a)\\1', reason: `references back, such as '\\1', are not supported` },
    { pattern: '(?=a)b', reason: 'looking ahead or behind is not supported' },
    { pattern: '(?<!a)b', reason: 'looking ahead or behind is not supported' },
    { pattern: '[a', reason: `missing closing ]: '[a'` },
    { pattern: '*', reason: `missing argument to repetition operator: '*'` },
    { pattern: 'a'.repeat(1025), reason: 'it is longer than 1024 characters' },
    { pattern: '((ab[c-z]){30}){30}'.repeat(9), reason: 'its repetitions make it too large' },
    { pattern: 'a{1000}'.repeat(11), reason: 'its repetitions make it too large' },
    { pattern: `(${'a'.repeat(500)}){30}`, reason: 'its repetitions make it too large' },
    { pattern: '((', reason: `missing closing ): '(('` },
  ])('$pattern', ({ pattern, reason }) => expect(why(pattern)).toBe(reason))

  test.each(['[0-9]{1,3}(\\.[0-9]{1,3}){3}', '^(web|db|cache){1,20}-[[:alnum:]]{1,64}$', 'a\\{1000\\}'.repeat(50)])(
    'not %s',
    (pattern) => expect(why(pattern)).toBe('a regular expression'),
  )
})
