import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

/** The end of `npm test`: which files are run again, and what the lines after the last suite say. */
let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-counting-'))
  report('shared', file('r.test.ts', { rule: 'passed' }))
  report('apart', file('a.test.ts', { one: 'passed', two: 'skipped' }))
  report('machine', file('b.test.ts', { three: 'passed' }))
  writeFileSync(join(folder, 'conformance.json'), JSON.stringify({ numPassedTests: 5, numFailedTests: 0 }))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

function file(name: string, tests: Readonly<Record<string, string>>) {
  const assertionResults = Object.entries(tests).map(([fullName, status]) => ({
    fullName,
    status,
    failureMessages:
      status === 'failed' ? [`Error: Command failed: systole\nError: n4 is lost.\n    at run (lab.ts:1)`] : [],
  }))
  const status = Object.values(tests).includes('failed') ? 'failed' : 'passed'
  return { name: resolve(name), status, message: '', assertionResults }
}

function report(suite: string, ...testResults: readonly object[]): void {
  writeFileSync(join(folder, `${suite}.json`), JSON.stringify({ testResults }))
}

function run(script: string, path: string): { readonly status: number | null; readonly lines: readonly string[] } {
  const { status, stdout } = spawnSync('node', [join('scripts', script), path], { encoding: 'utf8' })
  return { status, lines: stdout.split('\n').filter((line) => line !== '') }
}

test('all that passed is counted, and what was not run is named', () => {
  expect(run('count-results.mjs', folder)).toEqual({
    status: 0,
    lines: ['NOT RUN 1 of 2 in a.test.ts', '8 passed, 0 failed'],
  })
})

test('a failure is named with its whole error', () => {
  report('machine', file('b.test.ts', { three: 'failed', four: 'passed' }))
  const { status, lines } = run('count-results.mjs', folder)
  expect(status).toBe(1)
  expect(lines).toContain('FAILED three: Error: Command failed: systole | Error: n4 is lost.')
  expect(lines.at(-1)).toBe('8 passed, 1 failed')
})

test('a file that passed when it was run again passes, and is named', () => {
  report('machine', file('b.test.ts', { three: 'failed', four: 'skipped' }), file('c.test.ts', { five: 'passed' }))
  report('machine-again', file('b.test.ts', { three: 'passed', four: 'passed' }))
  const { status, lines } = run('count-results.mjs', folder)
  expect(status).toBe(0)
  expect(lines).toContain('PASSED ONLY AT THE SECOND TRY three: Error: Command failed: systole | Error: n4 is lost.')
  expect(lines.at(-1)).toBe('10 passed, 0 failed')
})

test('a file that fails again has failed, and both errors are named', () => {
  report('machine', file('b.test.ts', { three: 'failed' }))
  report('machine-again', file('b.test.ts', { three: 'passed', four: 'failed' }))
  const { status, lines } = run('count-results.mjs', folder)
  expect(status).toBe(1)
  expect(lines.filter((line) => line.startsWith('FAILED'))).toHaveLength(2)
  expect(lines.at(-1)).toBe('8 passed, 1 failed')
})

test('a file whose set-up failed counts, and so does a suite that left no result', () => {
  report('machine', { ...file('b.test.ts', { three: 'skipped' }), status: 'failed', message: 'no namespace' })
  rmSync(join(folder, 'apart.json'))
  const { status, lines } = run('count-results.mjs', folder)
  expect(status).toBe(1)
  expect(lines).toContain('FAILED b.test.ts: no namespace')
  expect(lines.at(-1)).toBe('6 passed, 2 failed')
})

test('few failed files are run again; where many failed, none', () => {
  const failing = (count: number) =>
    Array.from({ length: count }, (_, index) => file(`${index}.test.ts`, { one: 'failed' }))
  report('apart', ...failing(2), file('good.test.ts', { one: 'passed' }))
  expect(run('failed-files.mjs', join(folder, 'apart.json')).lines).toEqual(['0.test.ts', '1.test.ts'])
  report('apart', ...failing(5))
  expect(run('failed-files.mjs', join(folder, 'apart.json')).lines).toEqual([])
})
