/** A command starts whether its compiled code is there, missing, or no compiled code at all. */
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import packageFile from '../../package.json' with { type: 'json' }

const dist = resolve(import.meta.dirname, '../../dist')
let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-program-'))
  mkdirSync(join(folder, 'code'))
  for (const file of ['systole.cjs', 'code/systole.cjs', 'code/systole-jobs.cjs'])
    copyFileSync(join(dist, file), join(folder, file))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const version = (): string => execFileSync('node', [join(folder, 'systole.cjs'), '--version'], { encoding: 'utf8' })

test('the build leaves the compiled code of each command', () => {
  for (const name of ['systole', 'systole-jobs', 'systole-tool'])
    expect(existsSync(join(dist, `code/${name}.cjs.compiled`))).toBe(true)
})

test('without its compiled code a command is compiled as it starts', () => {
  expect(version()).toContain(packageFile.version)
})

test.each([
  ['broken', 'this is no code'],
  ['empty', ''],
])('compiled code that is %s is passed over', (_, content) => {
  writeFileSync(join(folder, 'code/systole.cjs.compiled'), content)
  expect(version()).toContain(packageFile.version)
})

test('a command of jobs needs the code of all commands no more than others need that of jobs', () => {
  const said = (...words: readonly string[]): string => {
    const env = { ...process.env, SYSTOLE_ROOT: folder }
    return spawnSync('node', [join(folder, 'systole.cjs'), ...words], { encoding: 'utf8', env }).stderr
  }
  rmSync(join(folder, 'code/systole.cjs'))
  expect(said('job', 'list')).toMatch(/^Error: No daemon listens on /)
  expect(said('job', 'list', '--help')).toContain('ENOENT')
  copyFileSync(join(dist, 'code/systole.cjs'), join(folder, 'code/systole.cjs'))
  rmSync(join(folder, 'code/systole-jobs.cjs'))
  expect(said('status')).toMatch(/^Error: No daemon listens on /)
  expect(said('job', 'list')).toContain('ENOENT')
})
