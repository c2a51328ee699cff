import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import type { ClusterNodeEntry } from '../../src/daemon/node-list/cluster-file.ts'
import { defaultPorts } from '../../src/daemon/node-list/cluster-file.ts'
import { ownCertificates, renewalTime, signForNode } from '../../src/daemon/pki/certificates.ts'
import {
  dropOldTrust,
  pkiFiles,
  readIdentity,
  trustFile,
  UnusableIdentityError,
  writeIdentity,
  writeRemoteIdentity,
  writeTrust,
} from '../../src/daemon/pki/identity.ts'
import { createAuthority, createKeys, createNodeCertificate } from '../../src/rpc/index.ts'
import { readTlsFiles } from '../../src/store/index.ts'

const day = 24 * 3_600_000

describe('a certificate is renewed with a third of its life left', () => {
  const cases: readonly {
    readonly name: string
    readonly days: number
    readonly turn: number
    readonly after: number
  }[] = [
    { name: 'the first node', days: 3, turn: 0, after: 2 * day },
    { name: 'the next one an hour later', days: 30, turn: 1, after: 20 * day + 3_600_000 },
    { name: 'a short life leaves no hour between nodes', days: 0.03, turn: 2, after: 0.02 * day + 0.0006 * day },
  ]
  for (const { name, days, turn, after } of cases)
    test(name, () => expect(renewalTime({ from: 1000, until: 1000 + days * day }, turn)).toBeCloseTo(1000 + after, 0))
})

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

test('an identity that has not changed is not checked again, and a damaged one is never taken for it', async () => {
  const pki = mkdtempSync(join(tmpdir(), 'systole-pki-'))
  folders.push(pki)
  const authority = await createAuthority('testing')
  writeIdentity(pki, authority, await createNodeCertificate(authority, { name: 'n1', addresses: [] }))
  const identity = readIdentity(pki)
  expect(readIdentity(pki)).toBe(identity)
  for (const part of ['authority', 'certificate', 'key'] as const) {
    writeFileSync(pkiFiles(pki)[part], `${identity[part].slice(0, 100)}\n`)
    expect(() => readIdentity(pki), part).toThrow(UnusableIdentityError)
    writeFileSync(pkiFiles(pki)[part], identity[part])
    expect(readIdentity(pki)).toEqual(identity)
  }
})

for (const { when, written, isNew } of [
  { when: 'before the certificate', written: ['authority', 'nextKey'], isNew: false },
  { when: 'between certificate and key', written: ['authority', 'nextKey', 'certificate'], isNew: true },
] as const)
  test(`a renewal that a crash has interrupted ${when} leaves a whole identity`, async () => {
    const pki = mkdtempSync(join(tmpdir(), 'systole-pki-'))
    folders.push(pki)
    const authority = await createAuthority('testing')
    const [before, after] = [
      await createNodeCertificate(authority, { name: 'n1', addresses: [] }),
      await createNodeCertificate(authority, { name: 'n1', addresses: [] }),
    ]
    writeIdentity(pki, authority, before)
    const texts = { authority: authority.certificate, nextKey: after.key, certificate: after.certificate }
    for (const part of written) writeFileSync(pkiFiles(pki)[part], texts[part])
    const { certificate, key } = readIdentity(pki)
    expect({ certificate, key }).toEqual(isNew ? after : before)
    // The next one is not held up by what is left.
    writeRemoteIdentity(pki, { ...after, authority: authority.certificate })
    expect(readIdentity(pki)).toMatchObject(after)
  })

test('clients of the store read certificates that were renewed', async () => {
  const pki = mkdtempSync(join(tmpdir(), 'systole-pki-'))
  folders.push(pki)
  const authority = await createAuthority('testing')
  writeIdentity(pki, authority, await createNodeCertificate(authority, { name: 'n1', addresses: [] }))
  const { authority: ca, certificate, key } = pkiFiles(pki)
  const files = readTlsFiles({ ca, certificate, key })
  const before = files.now?.()
  expect(files.now?.()).toBe(before)
  const renewed = await createNodeCertificate(authority, { name: 'n1', addresses: [] })
  writeRemoteIdentity(pki, { ...renewed, authority: authority.certificate })
  expect(String(files.now?.().certificate)).toBe(renewed.certificate)
  expect(String(files.now?.().key)).toBe(renewed.key)
})

test('a renewed certificate names the same node, by the same authority, with a key of its own', async () => {
  const pki = mkdtempSync(join(tmpdir(), 'systole-pki-'))
  folders.push(pki)
  const authority = await createAuthority('testing')
  const from = new Date(Date.now() - 60_000)
  const valid = { from, until: new Date(Date.now() + 60_000) }
  const own: ClusterNodeEntry = { name: nodeName('n1'), id: '1', address: '10.0.0.1', ports: defaultPorts, votes: true }
  writeIdentity(pki, authority, await createNodeCertificate(authority, { name: 'n1', addresses: ['10.0.0.1'], valid }))
  const before = readIdentity(pki)
  expect(ownCertificates(pki).node.until).toBeLessThan(Date.now() + day)
  writeRemoteIdentity(pki, await signForNode(async (use) => await use(authority), own, await createKeys()))
  const after = readIdentity(pki)
  expect(ownCertificates(pki).node.until).toBeGreaterThan(Date.now() + 300 * day)
  expect(after.authority).toBe(before.authority)
  expect(after.key).not.toBe(before.key)
})

test('of the files of authorities that etcd starts with, the present one and the one before are kept, and then the present one alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'systole-trust-'))
  folders.push(folder)
  const kept = () => readdirSync(folder).filter((name) => name.startsWith('trust-'))
  writeFileSync(join(folder, 'authority.crt'), 'a')
  writeFileSync(join(folder, 'trust-of-mine.crt'), '')
  for (const bundle of ['a\nb', 'b\na']) writeTrust(folder, bundle)
  const [before, present] = [trustFile(folder), 'b']
  expect(kept()).toHaveLength(3)
  writeTrust(folder, present)
  expect(kept().map((name) => join(folder, name))).toEqual(
    [before, trustFile(folder), join(folder, 'trust-of-mine.crt')].toSorted(),
  )
  dropOldTrust(folder)
  expect(kept().map((name) => join(folder, name))).toEqual(
    [trustFile(folder), join(folder, 'trust-of-mine.crt')].toSorted(),
  )
})
