/** What a request may say, and what is refused before anything is done. */
import { expect, test } from 'vitest'
import { allCommands } from '../../src/cli/index.ts'
import { bounds, Guesses, Room } from '../../src/web/bounds.ts'
import { endpointsOf } from '../../src/web/command-table.ts'
import { Problem, statusOfCode } from '../../src/web/problem.ts'
import {
  expectedVersion,
  givenInBody,
  givenInQuery,
  lineOf,
  refuseOtherOrigin,
  targetOf,
  tokenIn,
} from '../../src/web/request.ts'
import { runCommand } from '../../src/web/run-command.ts'

const endpointOf = (path: string) => {
  const found = endpointsOf(allCommands).find((one) => one.path === path)
  if (!found) throw new Error(`no endpoint ${path}`)
  return found
}
const create = endpointOf('/resource/create')
const statusOf = (act: () => unknown): number => {
  try {
    act()
  } catch (error) {
    if (error instanceof Problem) return error.status
    throw error
  }
  return 200
}

test('paths that another program might read otherwise are refused', () => {
  for (const path of [
    '//x',
    '/a//b',
    '/../etc/passwd',
    '/a/../b',
    '/a/./b',
    '/%2e%2e/a',
    '/a%2fb',
    '/a%00',
    '/a\\b',
    '/a b',
    'http://x/',
    '',
    '*',
    '/é',
  ])
    expect([path, statusOf(() => targetOf(path))]).toEqual([path, 400])
  expect(statusOf(() => targetOf(`/${'a'.repeat(5000)}`))).toBe(414)
  expect(targetOf('/resource/web%3A1/active?x=1').path).toBe('/resource/web%3A1/active')
})

test('pages of other origins are refused, whatever the browser says of them', () => {
  const host = 'n1:7705'
  const by = (headers: Readonly<Record<string, string>>) =>
    statusOf(() => refuseOtherOrigin({ headers: { host, ...headers } }))
  expect(by({})).toBe(200)
  expect(by({ origin: 'https://n1:7705' })).toBe(200)
  for (const origin of ['https://evil.example', 'http://n1:7705', 'null', 'https://n1:7705.evil.example'])
    expect(by({ origin })).toBe(403)
  expect(by({ 'sec-fetch-site': 'cross-site' })).toBe(403)
  expect(by({ 'sec-fetch-site': 'same-site' })).toBe(403)
})

test('a token is a bearer token, and nothing else is', () => {
  expect(tokenIn({ headers: { authorization: 'Bearer systole_a-B' } })).toBe('systole_a-B')
  for (const authorization of [
    '',
    'Bearer',
    'Bearer ',
    'Basic cm9vdDpyb290',
    'Bearer a b',
    'Bearer a\nb',
    `Bearer ${'a'.repeat(300)}`,
    'Bearer é',
  ])
    expect(statusOf(() => tokenIn({ headers: { authorization } }))).toBe(401)
})

test('words and options become the line that would be typed', () => {
  const given = givenInBody(
    '{"words":["web","ocf:heartbeat:IPaddr2","ip=10.0.0.1"],"flags":{"wait":"30","force":true,"group":"site"}}',
  )
  expect(lineOf(create, given)).toEqual([
    'resource',
    'create',
    'web',
    'ocf:heartbeat:IPaddr2',
    'ip=10.0.0.1',
    '--wait=30',
    '--force',
    '--group=site',
  ])
  expect(lineOf(create, { words: ['-5', '-INFINITY'], flags: {} })).toEqual(['resource', 'create', '-5', '-INFINITY'])
  expect(givenInQuery(endpointOf('/status'), new URLSearchParams('full=&hide-inactive=false'))).toEqual({
    words: [],
    flags: { full: true, 'hide-inactive': false },
  })
})

test('options among the words, options of files, and what is not there are refused', () => {
  for (const word of ['-f', '-f/etc/passwd', '--file=/etc/passwd', '--json', '--', '-', '--compat=0.9', '-h'])
    expect([word, statusOf(() => lineOf(create, { words: [word], flags: {} }))]).toEqual([word, 400])
  for (const name of ['file', 'json', 'debug', 'preview', 'nosuch', 'xml-file'])
    expect([name, statusOf(() => lineOf(create, { words: [], flags: { [name]: 'x' } }))]).toEqual([name, 400])
  expect(statusOf(() => lineOf(create, { words: [], flags: { force: 'yes' } }))).toBe(400)
  expect(statusOf(() => lineOf(create, { words: [], flags: { group: true } }))).toBe(400)
  expect(statusOf(() => givenInQuery(endpointOf('/simulate'), new URLSearchParams('batch=true')))).toBe(400)
  expect(statusOf(() => givenInQuery(endpointOf('/simulate'), new URLSearchParams('xml-file=/etc/passwd')))).toBe(400)
})

test('bodies of another form are refused', () => {
  for (const text of [
    '[]',
    '1',
    'null',
    '{"words":"a"}',
    '{"words":[1]}',
    '{"argv":[]}',
    '{"flags":{"a":1}}',
    '{"files":{"a":1}}',
    '{',
    '{"__proto__":{"a":1}}',
  ])
    expect([text, statusOf(() => givenInBody(text))]).toEqual([text, 400])
  expect(statusOf(() => givenInBody(JSON.stringify({ words: Array.from({ length: 1001 }, () => 'a') })))).toBe(400)
  expect(statusOf(() => givenInBody(JSON.stringify({ words: ['a'.repeat(65 * 1024)] })))).toBe(400)
  expect(givenInBody('')).toEqual({ words: [], flags: {}, files: {} })
})

test('If-Match is a version in quotes', () => {
  expect(expectedVersion({ headers: { 'if-match': '"17"' } })).toBe(17)
  expect(expectedVersion({ headers: {} })).toBeUndefined()
  for (const said of ['17', '"a"', 'W/"17"', '"17", "18"'])
    expect(statusOf(() => expectedVersion({ headers: { 'if-match': said } }))).toBe(400)
})

test('a word that belongs to the name of another command runs nothing', async () => {
  const history = endpointOf('/stonith/history')
  const nobody = { live: undefined as never, user: 'x', ifVersion: undefined }
  const given = { words: ['cleanup'], flags: {}, files: {}, isDryRun: false }
  await expect(runCommand(history, given, nobody)).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('another command') as unknown,
  })
  const token = endpointOf('/cluster/token')
  await expect(runCommand(token, { ...given, words: [], isDryRun: true }, nobody)).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('Nothing was done') as unknown,
  })
})

test('refusals of the daemon have the status that fits', () => {
  const statuses = {
    'unknown-token': 401,
    'expired-token': 401,
    'permission-denied': 403,
    'no-such-node': 404,
    conflict: 409,
    'no-quorum': 503,
    'not-started': 503,
    'bad-name': 400,
  }
  for (const [code, status] of Object.entries(statuses)) expect([code, statusOfCode(code)]).toEqual([code, status])
  expect(statusOfCode(undefined)).toBe(400)
})

test('requests under way have a most, for a token and for all, and make room when they are over', () => {
  const room = new Room('requests', { most: 3, mostOfOne: 2 })
  const leave = room.enter('a')
  room.enter('a')
  expect(statusOf(() => room.enter('a'))).toBe(429)
  room.enter('b')
  expect(statusOf(() => room.enter('c'))).toBe(503)
  leave()
  leave()
  room.enter('c')
  expect(room.size).toBe(3)
})

test('an address that guesses is not listened to for a minute, and others are; no number of addresses fills the memory', () => {
  const guesses = new Guesses()
  for (let count = 1; count <= bounds.wrongTokens; count++)
    expect(guesses.note('a', count)).toBe(count === bounds.wrongTokens)
  expect(statusOf(() => guesses.refuse('a', 1000))).toBe(429)
  expect(statusOf(() => guesses.refuse('b', 1000))).toBe(200)
  expect(statusOf(() => guesses.refuse('a', 61_000))).toBe(200)
  for (let number = 0; number < bounds.wrongTokens; number++) guesses.note('x', 0)
  for (let number = 0; number < 2 * bounds.addresses; number++) guesses.note(`n${number}`, 0)
  expect(statusOf(() => guesses.refuse('x', 1))).toBe(200)
})

test('whoever has a network of IPv6 has one share of what is limited for an address, and a token is no address', () => {
  const guesses = new Guesses()
  for (let count = 1; count <= bounds.wrongTokens; count++) guesses.note(`2001:db8::${count}`, count)
  expect(statusOf(() => guesses.refuse('2001:db8::77', 1000))).toBe(429)
  expect(statusOf(() => guesses.refuse('2001:db8:0:1::1', 1000))).toBe(200)
  const logins = new Room('logins', { most: 9, mostOfOne: 1, whose: 'address' })
  logins.enter('2001:db8::1')()
  logins.enter('2001:db8::1')
  expect(statusOf(() => logins.enter('2001:db8::2'))).toBe(429)
  const requests = new Room('requests', { most: 9, mostOfOne: 1 })
  requests.enter('2001:db8::1')
  expect(statusOf(() => requests.enter('2001:db8::2'))).toBe(200)
})
