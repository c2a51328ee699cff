import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createAuthority, createKeys, keyOf, serialOf, signNodeCertificate } from '../../src/rpc/index.ts'
import { revocationList } from '../../src/store/index.ts'

test('all certificates of a key have the serial number by which it is revoked', async () => {
  const authority = await createAuthority('testing')
  const { publicKey } = await createKeys()
  const sign = async (address: string): Promise<X509Certificate> =>
    new X509Certificate(await signNodeCertificate(authority, { name: 'a', addresses: [address], publicKey }))
  const [one, other] = [await sign('10.0.0.1'), await sign('10.0.0.2')]
  expect(one.serialNumber.toLowerCase()).toBe(serialOf(keyOf(one.raw)))
  expect(other.serialNumber).toBe(one.serialNumber)
})

test('the list is one that OpenSSL reads, with the serial numbers that are meant', async () => {
  const authority = await createAuthority('testing')
  const { publicKey, key } = await createKeys()
  const certificate = await signNodeCertificate(authority, { name: 'a', addresses: [], publicKey })
  const folder = mkdtempSync(join(tmpdir(), 'systole-revoked-'))
  const read = (serials: readonly string[]): string => {
    writeFileSync(join(folder, 'crl'), revocationList({ certificate, key }, serials, new Date()))
    return execFileSync('openssl', ['crl', '-in', join(folder, 'crl'), '-noout', '-text'], { encoding: 'utf8' })
  }
  // Enough for lengths of two and of three bytes.
  const serials = Array.from({ length: 2000 }, (_, n) => (0x40_00_00_00 + n).toString(16))
  const found = (text: string) => [...text.matchAll(/Serial Number: (\w+)/g)].map(([, serial]) => serial?.toLowerCase())
  expect(read([])).toContain('No Revoked Certificates')
  expect(found(read(['0abc', 'ff01']))).toEqual(['0abc', 'ff01'])
  expect(found(read(serials))).toEqual(serials)
  rmSync(folder, { recursive: true })
})
