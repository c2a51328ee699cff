/** A fuzz test that was called wrongly would compare nothing, and say that nothing differs. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { oneOf, readOptions, someOf, wholeNumber } from '../../scripts/arguments.ts'

let said: string[] = []
beforeEach(() => {
  said = []
  vi.spyOn(console, 'error').mockImplementation((sentence: string) => said.push(sentence))
  vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`exit ${code}`)
  })
})
afterEach(() => vi.restoreAllMocks())

const levels = ['status', 'graph'] as const

test('what is given well is read', () => {
  expect(wholeNumber('seeds', '0500')).toBe(500)
  expect(oneOf('from', undefined, ['old'])).toBeUndefined()
  expect(oneOf('from', 'old', ['old'])).toBe('old')
  expect(someOf('levels', 'graph,status', levels)).toEqual(['graph', 'status'])
})

const wrong: readonly { readonly call: () => unknown; readonly sentence: string }[] = [
  { call: () => wholeNumber('seeds', 'abc'), sentence: "--seeds is a whole number, not 'abc'." },
  { call: () => wholeNumber('seed', '-1'), sentence: "--seed is a whole number, not '-1'." },
  { call: () => wholeNumber('lines', ''), sentence: "--lines is a whole number, not ''." },
  { call: () => oneOf('from', 'bogus', ['joined', 'old']), sentence: "--from is one of joined, old, not 'bogus'." },
  { call: () => someOf('levels', 'status,x', levels), sentence: "--levels is one of status, graph, not 'x'." },
]
for (const { call, sentence } of wrong)
  test(sentence, () => {
    expect(call).toThrow('exit 2')
    expect(said).toEqual([sentence])
  })

test('an option that there is not is told without a stack', () => {
  vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', 'script', '--sedes', '1'])
  expect(() => readOptions({ seeds: { type: 'string', default: '1' } })).toThrow('exit 2')
  expect(said).toHaveLength(1)
  expect(said[0]).toMatch(/^Unknown option '--sedes'/)
})
