/** Tokens for the HTTPS API: what each may do, when it ends, and what a stopped node knows of them. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import type { ReplicatedConfiguration } from '../../src/controller/index.ts'
import { ApiTokens } from '../../src/daemon/console/api-tokens.ts'
import { createStore, type Entry, type Store } from '../../src/store/index.ts'

let folder: string
let store: Store
let entries: readonly Entry[] | undefined
let aclIsOn: boolean
let warned: object[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-tokens-'))
  store = createStore({ kind: 'embedded', directory: join(folder, 'store') })
  entries = []
  aclIsOn = false
  warned = []
})
afterEach(async () => {
  vi.useRealTimers()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

function configuration(): ReplicatedConfiguration {
  const parsed =
    parseXml(`<cib><configuration><crm_config><cluster_property_set id="o"><nvpair id="o-a" name="enable-acl" value="${aclIsOn}"/></cluster_property_set></crm_config>
    <nodes/><resources/><constraints/><acls><acl_role id="monitor"><acl_permission id="m" kind="read" xpath="/cib"/></acl_role>
    <acl_role id="runner"><acl_permission id="r" kind="read" xpath="/cib"/><acl_permission id="j" kind="write" object-type="job"/></acl_role></acls></configuration></cib>`)
  if (!parsed.ok) throw new Error(parsed.reports[0]?.message)
  return { cib: parsed.value, typed: readConfiguration(parsed.value), version: 1 } as unknown as ReplicatedConfiguration
}

const file = (): string => join(folder, 'api-tokens.json')
const silent = { debug: () => undefined, info: () => undefined, error: () => undefined }
const tokens = (): ApiTokens =>
  new ApiTokens({
    file: file(),
    log: { ...silent, warn: (_, fields = {}) => void warned.push(fields) },
    known: () => entries,
    store: () => store,
    configuration: () => (entries === undefined ? undefined : configuration()),
  })
const look = async (): Promise<void> => {
  entries = (await store.list('/systole/api-tokens/')).entries
}
const by = (token: string) => ({ kind: 'web', token, from: '10.0.0.9' }) as const

test('a token has the permissions of its roles while access control is off, but runs no jobs', async () => {
  const all = tokens()
  const { token } = await all.create({ name: 'ci', roles: ['runner'], validSeconds: 60 }, 'root')
  await look()
  const permitted = () => {
    const rights = all.rightsOf(by(token))
    return rights.kind === 'limited' ? rights.permissions.map(({ id }) => id) : rights.kind
  }
  expect(permitted()).toEqual(['r'])
  aclIsOn = true
  expect(permitted()).toEqual(['r', 'j'])
  expect(all.rightsOf(by(token)).user).toBe('token:ci')
})

test('an administrator’s token may do all under its own name, and the store has no token in it', async () => {
  const all = tokens()
  const { token } = await all.create({ name: 'boss', roles: [], validSeconds: 60 }, 'root')
  await look()
  expect(all.rightsOf(by(token))).toEqual({ kind: 'all', user: 'token:boss', mayNameAnother: false })
  const stored = (entries ?? []).map(({ value }) => new TextDecoder().decode(value)).join()
  expect(stored).toContain('boss')
  expect(stored).not.toContain(token)
  expect(readFileSync(file(), 'utf8')).not.toContain(token)
  expect(statSync(file()).mode & 0o777).toBe(0o600)
})

test('a token ends with its time and when it is revoked, and wrong ones are logged, not each', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const all = tokens()
  const { token } = await all.create({ name: 'short', roles: [], validSeconds: 60 }, 'root')
  await look()
  vi.setSystemTime(Date.now() + 61_000)
  expect(() => all.rightsOf(by(token))).toThrow(/expired/)
  await all.revoke('short', 'root')
  await look()
  for (let number = 0; number < 100; number++) expect(() => all.rightsOf(by(token))).toThrow(/not known/)
  expect(() => all.rightsOf(by(''))).toThrow(/not known/)
  expect(warned).toEqual([{ from: '10.0.0.9', times: 1 }])
})

test('names, times and roles that are none are refused, and a name is one token’s', async () => {
  const all = tokens()
  const create = async (name: string, roles: readonly string[] = [], validSeconds = 60) =>
    await all.create({ name, roles, validSeconds }, 'root')
  for (const name of ['', '-a', 'a b', 'a/b', 'é', 'a'.repeat(65)])
    await expect(create(name)).rejects.toThrow(/not a name/)
  for (const seconds of [0, -1, Number.NaN, 367 * 86_400])
    await expect(create('a', [], seconds)).rejects.toThrow(/valid for/)
  await expect(create('a', ['monitor', 'nosuch'])).rejects.toThrow(/no role 'nosuch'/)
  await create('a')
  await expect(create('a')).rejects.toThrow(/already a token/)
  await expect(all.revoke('b', 'root')).rejects.toThrow(/no token 'b'/)
})

test('a node that is stopped knows the tokens as they were: an administrator’s is good, roles are not known', async () => {
  const all = tokens()
  const admin = await all.create({ name: 'admin', roles: [], validSeconds: 60 }, 'root')
  const monitor = await all.create({ name: 'monitor', roles: ['monitor'], validSeconds: 60 }, 'root')
  await look()
  expect(all.list()).toHaveLength(2)
  entries = undefined
  const again = tokens()
  expect(again.rightsOf(by(admin.token)).kind).toBe('all')
  expect(() => again.rightsOf(by(monitor.token))).toThrow(/does not know the roles/)
  again.forget()
  expect(() => again.rightsOf(by(admin.token))).toThrow(/not known/)
})

test('a join token that is made with a token ends with it at the latest, and one of a user of the host when it says', async () => {
  const all = tokens()
  const short = await all.create({ name: 'short', roles: [], validSeconds: 600 }, 'root')
  const long = await all.create({ name: 'long', roles: [], validSeconds: 86_400 }, 'root')
  await look()
  expect(all.joinTokenSeconds(by(short.token), undefined)).toBeLessThanOrEqual(600)
  expect(all.joinTokenSeconds(by(short.token), 60)).toBe(60)
  expect(() => all.joinTokenSeconds(by(short.token), 3600)).toThrow(/'short' expires on .* Specify at most \d+s\./)
  expect(all.joinTokenSeconds(by(long.token), undefined)).toBe(3600)
  expect(all.joinTokenSeconds(by(long.token), 7200)).toBe(7200)
})
