/** What a command reads has an end: a file that has none is refused in a sentence, before it fills the memory. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readUpTo } from '../../src/tools/index.ts'

const project = resolve(import.meta.dirname, '../..')
const cib = `${project}/test/cli/cases/start.xml`
const folder = mkdtempSync(join(tmpdir(), 'systole-endless-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** As much as a small host has; what is only reserved does not count. */
const run = (line: string): { readonly status: number | null; readonly said: string } => {
  const { status, stdout, stderr } = spawnSync('bash', ['-c', `ulimit -d 1500000; ${line}`], {
    encoding: 'utf8',
    cwd: project,
    timeout: 120_000,
  })
  return { status, said: stdout + stderr }
}

const tooLong = /cannot be read: it is longer than 64 MiB|is longer than 1 MiB: it is not such a file/
const lines = [
  `bin/systole -f ${cib} plan /dev/zero`,
  `bin/systole -f ${cib} apply /dev/zero`,
  `bin/systole -f ${cib} recipe plan /dev/zero`,
  `bin/systole -f ${cib} play plan /dev/zero`,
  `bin/systole -f ${cib} rollout plan /dev/zero`,
  `bin/systole -f ${cib} cluster cib-push /dev/zero --config`,
  `bin/systole -f ${cib} configure load update /dev/zero`,
  `bin/systole -f ${cib} configure load update - < /dev/zero`,
  'bin/systole -f /dev/zero status',
  'bin/systole simulate --xml-pipe < /dev/zero',
  'bin/systole state replay /dev/zero',
  `CIB_file=${cib} shims/cibadmin -R -p < /dev/zero`,
]
test.each(lines)('%s', (line) => {
  const { status, said } = run(line)
  expect(said).toMatch(tooLong)
  expect(status).toBeGreaterThan(0)
  expect(said.trim().split('\n').length).toBeLessThan(4)
})

test('Pacemaker’s commands refuse it in their own words', () => {
  const { status, said } = run('CIB_file=/dev/zero shims/cibadmin -Q')
  expect(said).toContain('Could not connect to the CIB')
  expect(status).toBe(105)
})

test('a file that is too long is refused by its length, without being read; one that is not is read whole', () => {
  const file = join(folder, 'sparse')
  writeFileSync(file, '<cib')
  truncateSync(file, 3 * 1024 ** 3)
  const before = process.memoryUsage().rss
  expect(() => readUpTo(file)).toThrow('it is longer than 64 MiB')
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 ** 2)
  writeFileSync(file, Buffer.alloc(3 * 1024 ** 2, 'x'))
  expect(readUpTo(file).length).toBe(3 * 1024 ** 2)
  expect(() => readUpTo(file, 1024 ** 2)).toThrow('it is longer than 1 MiB')
  expect(run(`truncate -s 3G ${file}; bin/systole -f ${file} status`).said).toContain('it is longer than 512 MiB')
})
