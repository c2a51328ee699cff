/** What the console makes of a typed command: the request that the API takes, by the API's own description. */
import { expect, test } from 'vitest'
import { allCommands } from '../../src/cli/index.ts'
import { commandsIn, confirmationOf, readLine, splitWords } from '../../src/console/change/command-line.ts'
import { endpointsOf } from '../../src/web/command-table.ts'
import { openApi } from '../../src/web/openapi.ts'

const endpoints = endpointsOf(allCommands)
const commands = commandsIn(openApi(endpoints, '0'))

test('every command that changes something can be typed, and no other', () => {
  const changing = endpoints.filter(({ method }) => method === 'POST').map(({ path }) => path)
  expect(commands.map(({ path }) => path).sort()).toEqual([...changing].sort())
  for (const { name, path, canPreview } of commands) {
    expect(readLine(`systole ${name}`, commands)).toMatchObject({ kind: 'request', command: { path } })
    expect(canPreview).toBe(endpoints.find((one) => one.path === path)?.canPreview)
  }
})

test.each([
  ['resource move web n2', '/resource/move', { words: ['web', 'n2'], flags: {} }],
  ['pcs resource disable web --wait=30', '/resource/disable', { words: ['web'], flags: { wait: '30' } }],
  [
    'node drain n1 --reason="new disk" --force',
    '/node/drain',
    { words: ['n1'], flags: { reason: 'new disk', force: true } },
  ],
  ["  systole   tag create t 'a b'", '/tag/create', { words: ['t', 'a b'], flags: {} }],
  ['apply a --x=1 --x=2 --x=3', '/apply', { words: ['a'], flags: { x: ['1', '2', '3'] } }],
])('%s', (line, path, body) => {
  expect(readLine(line, commands)).toMatchObject({ kind: 'request', command: { path }, body })
})

test.each([
  ['', /Type a command/],
  ['resource mo', /Go on with: resource move/],
  ['status', /no command 'status'/],
  ['node drain "n1', /quotation mark is open/],
])('what is not whole says how to go on: %j', (line, sentence) => {
  expect(readLine(line, commands)).toMatchObject({ kind: 'unfinished', sentence: expect.stringMatching(sentence) })
})

test('empty words in quotation marks are words', () => {
  expect(splitWords(`a '' "b"c`)).toEqual(['a', '', 'bc'])
})

test('what cuts off a node wants its name once more, a move does not', () => {
  const confirmation = (line: string): unknown => {
    const read = readLine(line, commands)
    return read.kind === 'request' ? confirmationOf(read) : read
  }
  expect(confirmation('stonith fence n2')).toBe('n2')
  expect(confirmation('stonith confirm n3')).toBe('n3')
  expect(confirmation('resource move web n2')).toBeUndefined()
})
