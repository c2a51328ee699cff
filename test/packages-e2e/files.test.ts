import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildPackages, packageFile, released, run } from './package-lab.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-packages-'))
beforeAll(() => buildPackages(folder), 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('lintian finds no errors in any of the four', () => {
  const files = ['systole', 'systole-remote', 'systole-witness', 'systole-pacemaker-compat']
  // The archives are not compressed here, which saves minutes.
  const own = 'uses-no-compression-for-control-tarball,uses-no-compression-for-data-tarball'
  const words = ['--allow-root', '--fail-on', 'error', '--tag-display-limit', '0', '--suppress-tags', own]
  expect(run('lintian', ...words, ...files.map((name) => packageFile(folder, name, released)))).not.toMatch(/^E:/m)
}, 900_000)

test('the sums are signed with a key of gpg on request', () => {
  const home = join(folder, 'gnupg')
  mkdirSync(home, { mode: 0o700 })
  const gpg = (...words: readonly string[]) => run('gpg', '--homedir', home, '--batch', ...words)
  try {
    gpg('--passphrase', '', '--quick-generate-key', 'release@systole.test', 'ed25519', 'sign', '1d')
    const to = join(folder, 'signed')
    const words = [
      '--only',
      'systole-pacemaker-compat',
      '--node',
      'none',
      '--sign',
      'release@systole.test',
      '--folder',
      to,
    ]
    run('env', `GNUPGHOME=${home}`, 'node', 'scripts/run.mjs', 'scripts/package.ts', ...words)
    gpg('--verify', join(to, 'SHA256SUMS.asc'), join(to, 'SHA256SUMS'))
    writeFileSync(join(to, 'SHA256SUMS'), 'another\n')
    expect(() => gpg('--verify', join(to, 'SHA256SUMS.asc'), join(to, 'SHA256SUMS'))).toThrow('BAD signature')
  } finally {
    run('gpgconf', '--homedir', home, '--kill', 'all')
    rmSync(home, { recursive: true, force: true })
  }
}, 120_000)
