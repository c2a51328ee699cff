/** Users of a host at its HTTPS API: real PAM with the node's own users, sessions, what they may do, forged requests, and guesses. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HttpsClient } from './lab/https.ts'
import { Lab } from './lab/lab.ts'

const lab = new Lab(['n1'])
const outside = new HttpsClient(lab)
const passwords = { alice: 'Aeng4ohb', bob: 'Ieshu5ei', dora: 'Ohz3phah', old: 'Eith6ahk' }

/** A host's own users and passwords: /etc of the machine stays as it is. alice is in haclient; bob is only named in the ACLs; the account of old has expired. */
const boot = `cp /etc/passwd /etc/group /etc/shadow /run; chmod 0600 /run/shadow
sed -i '/^haclient:/d' /run/group
printf 'haclient:x:70100:alice,old\\n' >> /run/group
add() { printf '%s:x:%s:100::/:/bin/sh\\n' "$1" "$2" >> /run/passwd; printf '%s:%s:20000:0:99999:7::%s:\\n' "$1" "$(openssl passwd -6 "$3")" "$4" >> /run/shadow; }
add alice 70001 ${passwords.alice} ''
add bob 70002 ${passwords.bob} ''
add dora 70003 ${passwords.dora} ''
add old 70004 ${passwords.old} 1
for file in passwd group shadow; do mount --bind /run/$file /etc/$file; done
`

beforeAll(async () => {
  writeFileSync(join(lab.folder, 'boot.sh'), boot)
  chmodSync(lab.folder, 0o755)
  await lab.start()
  await lab.formCluster(['n1'])
  await lab.prepare('n1', 'property', 'set', 'stonith-enabled=false')
  await lab.prepare('n1', 'resource', 'create', 'web', 'ocf:pacemaker:Dummy', '--wait')
  await lab.prepare('n1', 'console', 'enable')
}, 120_000)
afterAll(async () => {
  await outside.close()
  await lab.close()
}, 120_000)

const path = '/api/v1/session'
const origin = `https://${lab.network.address('n1')}:7705`

interface Session {
  readonly cookie: string
  readonly csrf: string
  readonly headers: Readonly<Record<string, string>>
}

async function ask(method: string, where: string, headers: Readonly<Record<string, string>> = {}, body?: object) {
  const answer = await outside.ask('n1', where, { method, headers, ...(body === undefined ? {} : { body }) })
  return { ...answer, said: answer.body === '' ? {} : (JSON.parse(answer.body) as Readonly<Record<string, unknown>>) }
}

const login = async (user: string, password: string) => await ask('POST', path, { origin }, { user, password })

async function logIn(user: keyof typeof passwords): Promise<Session> {
  const { status, said, headers } = await login(user, passwords[user])
  expect([status, said.user]).toEqual([200, user])
  const [cookie = ''] = String(headers['set-cookie']).split(';')
  return { cookie, csrf: String(said.csrf), headers: { origin, cookie, 'x-csrf-token': String(said.csrf) } }
}

test('a member of haclient logs in with the password that PAM knows, and what is changed is in the history by that name', async () => {
  const { status, said, headers } = await login('alice', passwords.alice)
  expect([status, said]).toMatchObject([200, { user: 'alice', limited: false, csrf: expect.any(String) as unknown }])
  expect(String(headers['set-cookie'])).toMatch(
    /^__Host-systole-7705=session_[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
  )
  const session = await logIn('alice')
  const { cookie } = session
  expect((await ask('GET', path, { cookie })).said).toMatchObject({ user: 'alice', csrf: session.csrf })
  expect((await ask('GET', '/api/v1/status', { cookie })).status).toBe(200)
  const disable = await ask('POST', '/api/v1/resource/disable', session.headers, {
    words: ['web'],
    flags: { wait: true },
  })
  expect([disable.status, disable.body]).toMatchObject([200, expect.any(String)])
  expect(await lab.systole('n1', 'config', 'history')).toMatch(/alice@n1 +systole resource disable web/)
  // He is nobody's root there: a job needs a role.
  expect((await ask('GET', '/api/v1/job/list', { cookie })).status).toBe(403)
})

test('whoever is no member, has expired, is root, or has another password does not get in', async () => {
  const wrong = await login('alice', 'Aeng4ohc')
  expect([wrong.status, wrong.said.detail]).toEqual([401, 'The user or the password is wrong.'])
  expect(wrong.headers['set-cookie']).toBeUndefined()
  expect(await login('nosuch', passwords.alice)).toMatchObject({ status: 401, said: wrong.said })
  expect(await login('dora', passwords.dora)).toMatchObject({ status: 403, said: { code: 'no-role' } })
  const old = await login('old', passwords.old)
  expect([old.status, old.said.detail]).toEqual([
    401,
    expect.stringContaining('PAM refuses the login of old') as unknown,
  ])
  expect(await login('root', 'x')).toMatchObject({ status: 403 })
  const log = readFileSync(join(lab.folder, 'nodes/n1/systoled.log'), 'utf8')
  expect(log).toMatch(/"user":"alice","from":"10\.83\.0\.253","msg":"a login at the HTTPS API has failed"/)
  for (const password of Object.values(passwords)) expect(log).not.toContain(password)
})

test('a request by a session that changes something needs its second secret and an origin', async () => {
  const { cookie, csrf, headers } = await logIn('alice')
  const forged = [
    { origin, cookie },
    { origin, cookie, 'x-csrf-token': `${csrf.slice(1)}A` },
    { cookie, 'x-csrf-token': csrf },
    { origin: 'https://evil.example', cookie, 'x-csrf-token': csrf },
    { ...headers, 'sec-fetch-site': 'same-site' },
  ]
  for (const one of forged)
    expect([one, (await ask('POST', '/api/v1/resource/enable', one, { words: ['web'] })).status]).toEqual([one, 403])
  expect((await ask('DELETE', path, { origin, cookie })).status).toBe(403)
  const enable = await ask('POST', '/api/v1/resource/enable', headers, { words: ['web'], flags: { wait: true } })
  expect(enable.status).toBe(200)
})

test('a user whom only the ACLs name has his roles, and loses with them what he had', async () => {
  await lab.systole('n1', 'acl', 'role', 'create', 'watcher', 'read', 'xpath', '/cib')
  await lab.systole('n1', 'acl', 'user', 'create', 'bob', 'watcher')
  expect(await login('bob', passwords.bob)).toMatchObject({ status: 403 })
  await lab.systole('n1', 'acl', 'enable')
  const { cookie, headers } = await logIn('bob')
  expect((await ask('GET', path, { cookie })).said).toMatchObject({ user: 'bob', limited: true })
  expect((await ask('GET', '/api/v1/status', { cookie })).status).toBe(200)
  expect((await ask('POST', '/api/v1/resource/disable', headers, { words: ['web'] })).status).toBe(403)
  await lab.systole('n1', 'acl', 'user', 'delete', 'bob')
  expect((await ask('GET', '/api/v1/status', { cookie })).status).toBe(403)
  await lab.systole('n1', 'acl', 'disable')
})

test('logging out ends the session and its stream', async () => {
  const { cookie, headers } = await logIn('alice')
  const stream = await outside.stream('n1', { headers: { cookie } })
  await lab.until('the stream begins', () => stream.events.length > 0)
  const out = await ask('DELETE', path, headers)
  expect([out.status, String(out.headers['set-cookie'])]).toEqual([
    204,
    expect.stringContaining('Max-Age=0') as unknown,
  ])
  expect((await ask('GET', '/api/v1/status', { cookie })).status).toBe(401)
  await lab.until('the stream ends', () => stream.ended())
})

test('an address that guesses waits longer and longer, with the right password too', async () => {
  const statuses: number[] = []
  // Whoever is slower than the first waits are long meets a longer one.
  while (statuses.at(-1) !== 429 && statuses.length < 12)
    statuses.push((await login('alice', `guess${statuses.length}`)).status)
  expect(statuses.slice(0, -1)).toEqual(Array.from({ length: statuses.length - 1 }, () => 401))
  expect(statuses.at(-1)).toBe(429)
  expect(await login('alice', passwords.alice)).toMatchObject({ status: 429, said: { code: 'too-many-logins' } })
}, 120_000)
