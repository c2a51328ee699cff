import { describe, expect, test } from 'vitest'
import { readNodes } from '../../src/cli/commands/cluster/setup.ts'
import { readResourceWords } from '../../src/cli/grammar/resource-words.ts'
import { parsePairs, splitFlags, splitSections } from '../../src/cli/grammar/words.ts'

const none: ReadonlyMap<string, string | true> = new Map()

describe('flags', () => {
  const known = [
    { name: 'wait', value: '[seconds]', summary: '' },
    { name: 'node', value: 'node', summary: '' },
    { name: 'force', summary: '' },
    { name: 'file', letter: 'f', value: 'file', summary: '' },
  ]
  const cases = [
    { line: ['a', '--force', 'b'], words: ['a', 'b'], flags: { force: true } },
    { line: ['--wait', 'a'], words: ['a'], flags: { wait: true } },
    { line: ['--wait=30'], words: [], flags: { wait: '30' } },
    { line: ['--node', 'n1', 'x'], words: ['x'], flags: { node: 'n1' } },
    { line: ['-f', 'cib.xml'], words: [], flags: { file: 'cib.xml' } },
    { line: ['prefers', 'n1=-INFINITY', '-5'], words: ['prefers', 'n1=-INFINITY', '-5'], flags: {} },
    { line: ['--', '--force'], words: ['--force'], flags: {} },
  ] as const
  for (const { line, words, flags } of cases)
    test(line.join(' '), () => {
      const split = splitFlags(line, known)
      expect(split.words).toEqual(words)
      expect(Object.fromEntries(split.flags)).toEqual(flags)
    })

  const wrong = [
    { line: ['--forse'], says: "no option '--forse'. Did you mean '--force'" },
    { line: ['--force=yes'], says: 'takes no value' },
    { line: ['--node'], says: 'requires a value' },
  ] as const
  for (const { line, says } of wrong)
    test(`${line.join(' ')} is refused`, () => expect(() => splitFlags(line, known)).toThrow(says))
})

test('sections open at keywords, also more than once', () => {
  expect(splitSections(['a=1', 'op', 'start', 'op', 'stop', 'meta', 'b=2'], ['op', 'meta'])).toEqual([
    { keyword: '', words: ['a=1'] },
    { keyword: 'op', words: ['start'] },
    { keyword: 'op', words: ['stop'] },
    { keyword: 'meta', words: ['b=2'] },
  ])
})

test('a value may hold equals signs and may be empty', () => {
  expect([...parsePairs(['a=b=c', 'd='], 'options')]).toEqual([
    ['a', 'b=c'],
    ['d', ''],
  ])
})

test('the same name with two values is a mistake, all of which are named', () => {
  expect(() => parsePairs(['a=1', 'a=2', 'b'], 'options')).toThrow(/'a' is given twice.*'b' is not of the form/)
})

test('the words of a resource are read in both dialects of pcs', () => {
  const modern = readResourceWords(
    'ip=10.0.0.1 op monitor interval=5s timeout=9s start timeout=60s meta priority=3 group web after db'.split(' '),
    none,
  )
  expect(modern.operations.map(({ name }) => name)).toEqual(['monitor', 'start'])
  expect(modern.group).toEqual({ id: 'web', after: 'db' })
  expect(modern.meta.get('priority')).toBe('3')
  const old = readResourceWords(['ip=10.0.0.1'], new Map([['group', 'web'] as const, ['after', 'db'] as const]))
  expect(old.group).toEqual({ id: 'web', after: 'db' })
  expect(readResourceWords([], new Map([['master', true] as const])).promotable).toEqual({ meta: new Map() })
  expect(readResourceWords('clone my-clone meta interleave=true'.split(' '), none).clone?.id).toBe('my-clone')
})

const wrongResources = [
  { words: 'op', says: "Expected an operation after 'op'" },
  { words: 'op interval=5s', says: "Expected an operation after 'op'" },
  { words: 'op monitor interval=5parsec', says: "'5parsec' is not a valid interval" },
  { words: 'group a clone', says: 'only one of clone and group' },
  { words: 'group', says: "Expected the group's name after 'group'" },
  { words: 'ip', says: 'not of the form name=value' },
] as const
for (const { words, says } of wrongResources)
  test(`'resource create … ${words}' is refused`, () =>
    expect(() => readResourceWords(words.split(' '), none)).toThrow(says))

test('nodes of a new cluster come with addresses or without', () => {
  expect(readNodes(['n1', 'addr=10.0.0.1', 'n2'])).toEqual([
    { name: 'n1', address: '10.0.0.1' },
    { name: 'n2', address: 'n2' },
  ])
  expect(() => readNodes(['n1', 'n1', 'n_2'])).toThrow(/'n_2' is not a valid node name.*specified twice/)
  expect(() => readNodes(['addr=1.2.3.4'])).toThrow('precedes the first node')
})
