/** A certificate of the administrator's own: what is refused at the door, what is followed in its files, and what is warned of. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { checkServerCertificate, namesNobody, warningsOn } from '../../../src/daemon/console/certificate-checks.ts'
import { ShownCertificate } from '../../../src/daemon/console/shown-certificate.ts'
import {
  type CertificateFiles,
  forClients,
  forServers,
  makeAuthority,
  makeSigned,
} from '../../support/own-certificates.ts'

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
const day = 24 * 3_600_000
let folder: string
let authority: CertificateFiles
let between: CertificateFiles
let own: CertificateFiles
const textOf = (path: string): string => readFileSync(path, 'utf8')
const textsOf = ({ certificate, key }: CertificateFiles) => ({ certificate: textOf(certificate), key: textOf(key) })

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-certificates-'))
  authority = makeAuthority(folder, 'shop')
  between = makeSigned(folder, authority, { name: 'between', extensions: ['basicConstraints=critical,CA:TRUE'] })
  own = makeSigned(folder, authority, { name: 'n1', extensions: forServers('DNS:n1.shop', 'IP:10.0.0.1') })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const check = (given: { readonly certificate: string; readonly key: string }, now = Date.now()): unknown => {
  try {
    return checkServerCertificate(given, now)
  } catch (error) {
    return error instanceof Error ? error.message : error
  }
}

test('a certificate with its key, and with those between it and the authority', () => {
  expect(check(textsOf(own))).toMatchObject({ subject: 'CN=n1', issuer: 'CN=shop', names: ['n1.shop', '10.0.0.1'] })
  const below = makeSigned(folder, between, { name: 'below', extensions: forServers('DNS:n1') })
  const { certificate, key } = textsOf(below)
  expect(check({ certificate: `${certificate}${textOf(between.certificate)}`, key })).toMatchObject({ names: ['n1'] })
  expect(check({ certificate: `${textOf(between.certificate)}${certificate}`, key })).toMatch(
    /not the first in its file/,
  )
  expect(check({ certificate: `${certificate}${textOf(authority.certificate)}`, key })).toMatch(
    /Certificate 2 of the file \(CN=shop\) did not sign certificate 1 \(CN=n1|below\)/,
  )
})

test('what no client would accept is refused with a sentence', () => {
  const { certificate, key } = textsOf(own)
  const encrypted = '-----BEGIN ENCRYPTED PRIVATE KEY-----\nAA==\n-----END ENCRYPTED PRIVATE KEY-----\n'
  const nameless = textsOf(makeSigned(folder, authority, { name: 'nameless' }))
  const client = textsOf(
    makeSigned(folder, authority, { name: 'client', extensions: ['subjectAltName=DNS:n1', ...forClients] }),
  )
  for (const [given, sentence, now] of [
    [{ certificate: 'no', key }, /has no certificate/],
    [{ certificate: certificate.replace(/\nM/, '\nX'), key }, /Certificate 1 of The certificate file cannot be read/],
    [{ certificate: certificate.repeat(9), key }, /9 certificates; at most 8/],
    [{ certificate, key: 'no' }, /has no private key/],
    [{ certificate, key: encrypted }, /is encrypted/],
    [{ certificate, key: 'x'.repeat(70_000) }, /more than 65536 characters/],
    [{ certificate, key: textOf(between.key) }, /does not belong to the certificate of CN=n1/],
    [{ certificate, key }, /expired on/, Date.now() + 31 * day],
    [{ certificate, key }, /is valid from .* only/, Date.now() - 31 * day],
    [nameless, /no subjectAltName/],
    [client, /not for servers/],
  ] as const)
    expect(check(given, now)).toMatch(sentence)
})

test('its end is warned of in time: three weeks before, or a fifth of a short life', () => {
  const year = { validFrom: 0, validUntil: 365 * day }
  expect(warningsOn(year, 343 * day)).toEqual([])
  expect(warningsOn(year, 345 * day)).toEqual([expect.stringContaining('expires on 1971-01-01')])
  expect(warningsOn({ validFrom: 0, validUntil: 10 * day }, 7.9 * day)).toEqual([])
  expect(warningsOn({ validFrom: 0, validUntil: 10 * day }, 8.1 * day)).toHaveLength(1)
  expect(warningsOn(year, 366 * day)).toEqual([expect.stringContaining('expired on')])
})

test('names that are not those of the node are named', () => {
  const node = { name: 'n1', addresses: ['10.0.0.1'] }
  for (const name of ['n1', 'n1.shop', '10.0.0.1', '*.shop']) expect(namesNobody([name], node)).toBeUndefined()
  expect(namesNobody(['n2.shop', '10.0.0.10'], node)).toContain('for n2.shop, 10.0.0.10, and not for n1 or 10.0.0.1')
})

// ------------------------------------------------------------------ its files

let place: string
let shown: ShownCertificate
let changes: number
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  place = join(folder, 'place')
  mkdirSync(place)
  changes = 0
  shown = open()
})
afterEach(() => {
  shown.close()
  vi.useRealTimers()
  rmSync(place, { recursive: true, force: true })
})
const kept = (): string => join(place, 'kept.json')
const open = (): ShownCertificate =>
  new ShownCertificate({
    file: kept(),
    log: silent,
    own: () => ({ name: 'n1', addresses: [] }),
    onChange: () => {
      changes += 1
    },
  })
const put = (files: CertificateFiles): CertificateFiles => {
  const there = { certificate: join(place, 'own.pem'), key: join(place, 'own.key') }
  copyFileSync(files.certificate, there.certificate)
  copyFileSync(files.key, there.key)
  return there
}
const set = (files: CertificateFiles): void => shown.set({ ...textsOf(files), files })

test('a copy is kept that root alone can read, is there after a restart, and is gone afterwards', () => {
  set(put(own))
  expect([changes, shown.identity]).toEqual([1, textsOf(own)])
  expect(statSync(kept()).mode & 0o777).toBe(0o600)
  rmSync(join(place, 'own.pem'))
  const again = open()
  expect(again.identity).toEqual(textsOf(own))
  again.close()
  shown.unset()
  expect([shown.identity, existsSync(kept())]).toEqual([undefined, false])
})

test('a newer one in its files is shown by itself; a wrong one is not, and is warned of until it is right', () => {
  set(put(own))
  const newer = makeSigned(folder, authority, { name: 'newer', extensions: forServers('DNS:n1') })
  copyFileSync(newer.certificate, join(place, 'own.pem'))
  vi.advanceTimersByTime(5000)
  expect(shown.identity).toEqual(textsOf(own))
  expect(shown.warnings(Date.now())).toEqual([expect.stringMatching(/is not replaced .* key does not belong/)])
  copyFileSync(newer.key, join(place, 'own.key'))
  vi.advanceTimersByTime(5000)
  expect([shown.identity, shown.warnings(Date.now()), changes]).toEqual([textsOf(newer), [], 2])
  rmSync(join(place, 'own.key'))
  vi.advanceTimersByTime(5000)
  expect(shown.warnings(Date.now())).toEqual([expect.stringContaining('no such file')])
  expect(shown.identity).toEqual(textsOf(newer))
})

test('files that others can write are not followed, and not believed once they can', () => {
  const there = put(own)
  chmodSync(place, 0o777)
  set(there)
  expect(shown.facts?.files).toEqual([])
  chmodSync(place, 0o755)
  set(there)
  expect(shown.facts?.files).toHaveLength(2)
  const newer = makeSigned(folder, authority, { name: 'others', extensions: forServers('DNS:n1') })
  put(newer)
  chmodSync(there.certificate, 0o666)
  vi.advanceTimersByTime(5000)
  expect(shown.identity).toEqual(textsOf(own))
  expect(shown.warnings(Date.now())).toEqual([expect.stringContaining('others can write there')])
})

test('a copy that cannot be read is said so, and the certificate of the cluster is shown', () => {
  writeFileSync(kept(), '{')
  const again = open()
  expect([again.identity, again.warnings(Date.now())]).toEqual([undefined, [expect.stringContaining('cannot be read')]])
  again.close()
})
