import { expect, test } from 'vitest'
import { firstNotInXml, printable } from '../../src/base/index.ts'

test.each([
  { name: 'an escape', text: '\u001b[2Jgone', shown: '\\u001b[2Jgone' },
  { name: 'an escape as one character', text: '\u009b31mred', shown: '\\u009b31mred' },
  { name: 'a return that writes over the line', text: 'failed\rok', shown: 'failed\\u000dok' },
  { name: 'a backspace and a deletion', text: 'a\bb\u007f', shown: 'a\\u0008b\\u007f' },
  { name: 'marks of direction', text: 'a\u202eb\u2066c\u200fd', shown: 'a\\u202eb\\u2066c\\u200fd' },
  { name: 'letters that nobody sees', text: `a\u{e0041}`, shown: 'a\\udb40\\udc41' },
  { name: 'lines, tabs and the letters of all scripts', text: 'a\tb\nÄ שלום 日本 👍', shown: 'a\tb\nÄ שלום 日本 👍' },
])('$name, on a terminal', ({ text, shown }) => expect(printable(text)).toBe(shown))

test('a text of JSON means the same afterwards', () => {
  const value = { reason: 'a\u009bb\u202ec\u001b' }
  const text = printable(JSON.stringify(value))
  expect(text).toMatch(/^[ -~]*$/)
  expect(JSON.parse(text)).toEqual(value)
})

test.each([
  ['a\u0001', 'U+0001'],
  ['a\u0000', 'U+0000'],
  ['a\ud800b', 'U+D800'],
  ['\uffff', 'U+FFFF'],
])('%j has a character that XML cannot hold', (text, character) => expect(firstNotInXml(text)).toBe(character))

test.each(['', 'a\tb\r\n', '\u009b\u202e', '👍'])('%j has none', (text) => expect(firstNotInXml(text)).toBeUndefined())
