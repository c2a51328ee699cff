/** Strangers at the log-in of a node's HTTPS API, with real PAM and the node's own users: what they type as a name and a password, accounts that may not log in, and many tries at once. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HttpsClient } from '../nodes/lab/https.ts'
import { Lab } from '../nodes/lab/lab.ts'

const lab = new Lab(['n1'])
const outside = new HttpsClient(lab)
const password = 'Aeng4ohb'

/** A host's own users: alice may log in, the password of locked is locked, that of empty is empty, late must choose another, toor is root by another name, gone has expired. */
const boot = `cp /etc/passwd /etc/group /etc/shadow /run; chmod 0600 /run/shadow
sed -i '/^haclient:/d' /run/group
printf 'haclient:x:70100:alice,locked,empty,late,toor,gone,nologin\\n' >> /run/group
hash=$(openssl passwd -6 ${password})
add() { printf '%s:x:%s:100::/:%s\\n' "$1" "$2" "\${6:-/bin/sh}" >> /run/passwd; printf '%s:%s:%s:0:99999:7::%s:\\n' "$1" "$3" "$4" "$5" >> /run/shadow; }
add alice 70001 "$hash" 20000 ''
add locked 70002 "!$hash" 20000 ''
add empty 70003 '' 20000 ''
add late 70004 "$hash" 0 ''
add toor 0 "$hash" 20000 ''
add gone 70006 "$hash" 20000 1
for file in passwd group shadow; do mount --bind /run/$file /etc/$file; done
`

beforeAll(async () => {
  writeFileSync(join(lab.folder, 'boot.sh'), boot)
  chmodSync(lab.folder, 0o755)
  await lab.start()
  await lab.formCluster(['n1'])
  await lab.systole('n1', 'property', 'set', 'stonith-enabled=false')
  await lab.systole('n1', 'console', 'enable')
}, 120_000)
afterAll(async () => {
  await outside.close()
  await lab.close()
}, 120_000)

const origin = `https://${lab.network.address('n1')}:7705`

async function login(user: unknown, tried: unknown) {
  const body = { user, password: tried }
  const {
    status,
    headers,
    body: text,
  } = await outside.ask('n1', '/api/v1/session', {
    method: 'POST',
    headers: { origin },
    body,
  })
  const { code, detail } = JSON.parse(text) as { readonly code?: string; readonly detail?: string }
  return { status, code, detail, cookie: headers['set-cookie'] }
}

const log = (): string => readFileSync(join(lab.folder, 'nodes/n1/systoled.log'), 'utf8')
/** Each is a process of its own. */
const asking = async (): Promise<number> =>
  Number(await lab.inNode('n1', 'bash', '-c', 'ps -eo args | grep -c "[/]pam\\.mjs" || true'))
const daemon = async (): Promise<string> => await lab.inNode('n1', 'cat', '/run/systoled.pid')

const notNames: readonly unknown[] = [
  '',
  'a'.repeat(65),
  'x'.repeat(60_000),
  'alice\n',
  'alice\u0000root',
  'alice\u001b[2J',
  '-alice',
  '../alice',
  'alice bob',
  'alice:x',
  '$(id)',
  '{"toString":1}',
  'älice',
  ['alice'],
  { user: 'alice' },
  0,
  null,
]

test.each(notNames)('%j is no name: PAM is not asked for it', async (name) => {
  const before = log().length
  const { status, cookie } = await login(name, password)
  expect([status, cookie]).toEqual([expect.toBeOneOf([400, 401, 413, 422]), undefined])
  expect(log().slice(before)).not.toContain('has failed')
})

test.each(['', '\u0000', `${password}\u0000`, 'x\ny', 'x'.repeat(513), ['x'], null])(
  '%j is no password: PAM is not asked for it',
  async (tried) => {
    const before = log().length
    const { status, cookie } = await login('alice', tried)
    expect([status, cookie]).toEqual([expect.toBeOneOf([400, 401, 413, 422]), undefined])
    expect(log().slice(before)).not.toContain('has failed')
  },
)

test('an account that is locked, has no password, must choose another or has expired does not get in, and toor is root', async () => {
  for (const user of ['locked', 'empty', 'late', 'gone', 'toor']) {
    const { status, cookie, detail } = await login(user, password)
    expect([user, status >= 400, cookie], detail).toEqual([user, true, undefined])
  }
}, 120_000)

test('names of other languages are users whom nobody knows', async () => {
  for (const user of ['__proto__', 'constructor', 'toString', '0', 'DOMAIN\\root', 'root@localhost']) {
    const { status, cookie, detail } = await login(user, password)
    expect([user, status, cookie], detail).toEqual([user, expect.toBeOneOf([401, 403, 429]), undefined])
  }
}, 120_000)

test('of fifty tries at once two are asked of PAM, nothing is left of them, and the daemon and its log are whole', async () => {
  const before = await daemon()
  let most = 0
  const tries = Promise.all(
    Array.from({ length: 50 }, async (_, at) => await login(`guest${at}`, 'wrong').catch(() => ({ status: 0 }))),
  )
  let isOver = false
  void tries.finally(() => {
    isOver = true
  })
  while (!isOver) most = Math.max(most, await asking())
  const answers = await tries
  expect(most).toBeLessThanOrEqual(2)
  expect(answers.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(2)
  for (const { status } of answers) expect([0, 401, 429, 503]).toContain(status)
  await lab.until('no process that asks PAM is left', async () => (await asking()) === 0)
  expect(await daemon()).toBe(before)
  for (const line of log().trim().split('\n')) expect(JSON.parse(line)).toBeInstanceOf(Object)
  expect(log()).not.toContain(password)
}, 120_000)
