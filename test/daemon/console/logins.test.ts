/** Sessions at the HTTPS API and who may try to log in: with a clock of the test. */
import { expect, test } from 'vitest'
import { LoginLimit } from '../../../src/daemon/console/login-limit.ts'
import { Logins } from '../../../src/daemon/console/logins.ts'
import { askPam, type PamAnswer } from '../../../src/daemon/console/pam.ts'
import { Sessions } from '../../../src/daemon/console/sessions.ts'

const minuteMs = 60_000

test('a session ends after half an hour without a call, after half a day in any case, and when it is closed', () => {
  const sessions = new Sessions()
  const quiet = sessions.open('alice', 0)
  expect(sessions.userOf(quiet, 29 * minuteMs)).toBe('alice')
  expect(sessions.userOf(quiet, 58 * minuteMs)).toBe('alice')
  expect(() => sessions.userOf(quiet, 89 * minuteMs)).toThrow('This session has ended. Log in again.')
  const busy = sessions.open('alice', 0)
  for (let minute = 1; minute < 720; minute++) sessions.userOf(busy, minute * minuteMs)
  expect(sessions.leftMs(busy, 719 * minuteMs)).toBe(minuteMs)
  expect(() => sessions.userOf(busy, 720 * minuteMs)).toThrow('has ended')
  const closed = sessions.open('alice', 0)
  sessions.close(closed)
  expect(() => sessions.userOf(closed, 0)).toThrow('has ended')
  expect(() => sessions.userOf(`${closed}x`, 0)).toThrow('has ended')
})

test('a user has twenty sessions at most: the oldest makes room, those of others stay', () => {
  const sessions = new Sessions()
  const other = sessions.open('bob', 0)
  const own = Array.from({ length: 21 }, (_, at) => sessions.open('alice', at))
  expect(() => sessions.userOf(own[0] ?? '', 30)).toThrow('has ended')
  expect(sessions.userOf(own[1] ?? '', 30)).toBe('alice')
  expect(sessions.userOf(other, 30)).toBe('bob')
})

test('of a thousand sessions the oldest makes room, whosever it is: no number of users fills the memory', () => {
  const sessions = new Sessions()
  const all = Array.from({ length: 1001 }, (_, at) => sessions.open(`u${at}`, at))
  expect(() => sessions.userOf(all[0] ?? '', 2000)).toThrow('has ended')
  expect(sessions.userOf(all[1] ?? '', 2000)).toBe('u1')
  expect(sessions.userOf(all[1000] ?? '', 2000)).toBe('u1000')
})

test('an address that fails waits longer each time, up to five minutes, and until a login only its own count', () => {
  const limit = new LoginLimit()
  const alice = { user: 'alice', address: 'a' }
  const waits: number[] = []
  for (let count = 0; count < 16; count++) {
    limit.begin(alice, 1000)
    waits.push(limit.waitMs(alice, 1000))
  }
  expect(waits.slice(0, 8)).toEqual([0, 0, 0, 0, 1000, 2000, 4000, 8000])
  expect(waits.at(-1)).toBe(300_000)
  expect(limit.waitMs({ user: 'bob', address: 'a' }, 1000)).toBe(300_000)
  expect(limit.waitMs({ user: 'alice', address: 'b' }, 1000)).toBe(0)
  expect(limit.waitMs(alice, 1000 + 10 * minuteMs)).toBe(0)
  limit.succeeded(alice)
  expect(limit.waitMs(alice, 1000)).toBe(0)
})

test('a user at whom many addresses guess logs in from where he has before, and nobody else does', () => {
  const limit = new LoginLimit()
  limit.succeeded({ user: 'alice', address: 'home' })
  for (let count = 0; count < 30; count++) limit.begin({ user: 'alice', address: `bot${count}` }, count)
  expect(limit.waitMs({ user: 'alice', address: 'new' }, 40)).toBe(10 * minuteMs - 40)
  expect(limit.waitMs({ user: 'alice', address: 'home' }, 40)).toBe(0)
  expect(limit.waitMs({ user: 'bob', address: 'new' }, 40)).toBe(0)
})

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

function loginsThat(answer: (user: string) => Promise<PamAnswer>, asked: string[] = []): Logins {
  return new Logins({
    log: silent,
    sessions: new Sessions(),
    now: () => 0,
    askPam: async ({ user }) => {
      asked.push(user)
      return await answer(user)
    },
    rightsOf: async (user) => await Promise.resolve({ kind: 'all', user, mayNameAnother: false }),
  })
}

test('PAM is asked for two logins of an address and four in all at a time, never for root or what is no name', async () => {
  const asked: string[] = []
  const logins = loginsThat(async () => await new Promise<never>(() => undefined), asked)
  const code = async (user: string, address: string, password = 'x'): Promise<string> =>
    await logins.login({ user, password }, { from: address }).then(
      () => 'ok',
      (error: unknown) => String((error as { readonly code?: unknown }).code),
    )
  for (const [user, password] of [
    ['', 'x'],
    ['a b', 'x'],
    ['../x', 'x'],
    ['-f', 'x'],
    ['alice', ''],
    ['alice', 'a\nb'],
    ['alice', 'a\0b'],
    ['alice', 'a'.repeat(513)],
  ] as const)
    expect([user, password, await code(user, 'z', password)]).toEqual([user, password, 'bad-login'])
  expect(await code('root', 'z')).toBe('no-role')
  for (const address of ['a', 'a', 'b', 'b']) void code('alice', address)
  expect(await code('alice', 'a')).toBe('too-many-logins')
  expect(await code('alice', 'c')).toBe('too-many-logins')
  expect(asked).toEqual(['alice', 'alice', 'alice', 'alice'])
})

test('many attempts at once are no way around the wait: each counts until it has succeeded', async () => {
  const asked: string[] = []
  const logins = loginsThat(async () => await Promise.resolve({ kind: 'wrong' }), asked)
  for (let count = 0; count < 20; count++)
    await expect(logins.login({ user: `u${count}`, password: 'x' }, { from: 'a' })).rejects.toThrow()
  expect(asked).toHaveLength(5)
})

test('a process for PAM that fails, or says what nobody knows, lets nobody in', async () => {
  const question = { user: 'alice', password: 'x', from: '' }
  for (const [program, why] of [
    ['process.exit(3)', 'its process ended with 3'],
    ['console.log("ok")', 'its process ended with 0'],
    ['console.log(JSON.stringify({kind: "yes"}))', 'its process ended with 0'],
    ['console.error("no libpam"); process.exit(1)', 'no libpam'],
  ] as const)
    expect(await askPam(question, ['-e', program])).toEqual({ kind: 'failed', why })
})

test('the wait begins when the attempt has failed, however long PAM has taken', () => {
  const limit = new LoginLimit()
  const alice = { user: 'alice', address: 'a' }
  for (let count = 0; count < 5; count++) limit.begin(alice, 0)
  limit.failed(alice, 5000)
  expect(limit.waitMs(alice, 5000)).toBe(1000)
})

test('whoever has a network of IPv6 guesses no more often than whoever has one address', async () => {
  const asked: string[] = []
  const logins = loginsThat(async () => await Promise.resolve({ kind: 'wrong' }), asked)
  for (let count = 0; count < 20; count++)
    await expect(logins.login({ user: `u${count}`, password: 'x' }, { from: `2001:db8::${count}` })).rejects.toThrow()
  expect(asked).toHaveLength(5)
})

test('what a witness says of an address does not slow down whoever comes from there himself', async () => {
  const asked: string[] = []
  const logins = loginsThat(async () => await Promise.resolve({ kind: 'wrong' }), asked)
  const code = async (user: string, through?: string): Promise<string> =>
    await logins.login({ user, password: 'x' }, { from: '192.0.2.1', ...(through && { through }) }).then(
      () => 'ok',
      (error: unknown) => String((error as { readonly code?: unknown }).code),
    )
  for (let count = 0; count < 6; count++) await code(`u${count}`, 'w')
  expect(await code('alice', 'w')).toBe('too-many-logins')
  expect(await code('alice')).toBe('wrong-login')
})
