import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { areas } from '../../scripts/man/areas.ts'
import { areaNames } from '../../scripts/man/pages.ts'
import { troff } from '../../scripts/man/troff.ts'
import { allCommands } from '../../src/cli/index.ts'

const project = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'systole-man-'))
const run = (program: string, ...words: readonly string[]): string =>
  execFileSync(program, words, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

beforeAll(() => {
  run('node', 'scripts/run.mjs', 'scripts/man.ts', folder)
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const pages = (): readonly string[] =>
  ['man7', 'man8'].flatMap((part) => readdirSync(join(folder, part)).map((name) => join(folder, part, name)))

test('mandoc and groff find nothing to warn of', () => {
  expect(pages().length).toBeGreaterThan(50)
  expect(run('mandoc', '-T', 'lint', '-W', 'warning,stop', ...pages())).toBe('')
  // It writes its warnings beside the page.
  const script = 'for page; do man --warnings -l "$page" 2>&1 >/dev/null; done'
  expect(run('sh', '-c', script, 'sh', ...pages().filter((page) => page.includes('systole')))).toBe('')
}, 120_000)

test('every command that help lists is in the page of its group, and in that of all', () => {
  const all = readFileSync(join(folder, 'man8/systole.8'), 'utf8')
  for (const { path, refuses, summary, flags = [] } of allCommands) {
    if (refuses !== undefined) continue
    const page = readFileSync(join(folder, `man8/systole-${path[0]}.8`), 'utf8')
    expect(page).toContain(`.SS "${troff(['systole', ...path].join(' '))}"`)
    expect(page).toContain(troff(summary))
    for (const flag of flags) expect(page).toContain(troff(`--${flag.name}`))
    expect(all).toContain(`.B "${troff(path.join(' '))}"`)
  }
})

test('apropos finds each group, and none has words without commands', () => {
  expect(Object.keys(areas).filter((area) => !areaNames.includes(area))).toEqual([])
  for (const area of areaNames)
    expect(readFileSync(join(folder, `man8/systole-${area}.8`), 'utf8')).toMatch(/\.SH NAME\nsystole.* \\- \w/)
  run('mandb', '--quiet', '--create', folder)
  const found = (word: string): string => run('apropos', '-M', folder, word)
  expect(found('fencing')).toContain('systole-stonith (8)')
  expect(found('cluster resource manager')).toContain('systoled (8)')
  expect(found('cluster configuration')).toContain('systole-options (7)')
}, 60_000)

test('text is never read as a request', () => {
  expect(troff(".so /etc/passwd\n'a \\fB -x")).toBe("\\&.so /etc/passwd\n\\&'a \\efB \\-x")
})
