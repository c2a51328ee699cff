/** What `PCS_COMPAT=0.11` prints, beside Debian's pcs 0.11 on the same file: no cluster is needed. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { splitShellLine } from '../../src/cli/call/shell-words.ts'
import { run } from '../nodes/lab/network.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-layouts-'))
const file = join(folder, 'cib.xml')
const cases = resolve(import.meta.dirname, '../cli/cases')
const ours = resolve(import.meta.dirname, '../../bin/pcs')
afterAll(() => rmSync(folder, { recursive: true }))

beforeAll(async () => {
  copyFileSync(join(cases, 'start.xml'), file)
  // Debian's Pacemaker knows no newer schema.
  const start = readFileSync(file, 'utf8').replace('pacemaker-3.9', 'pacemaker-3.7').replace('3.19.0', '3.16.2')
  writeFileSync(file, start)
  const lines = readFileSync(join(cases, 'old-layouts/lines.txt'), 'utf8').split('\n\n')[0] ?? ''
  for (const line of lines.split('\n').filter((each) => each.startsWith('pcs ')))
    await run(ours, '-f', file, ...splitShellLine(line).slice(1)).catch((error: unknown) => {
      if (!line.includes(',other')) throw error
    })
}, 120_000)

const shown = [
  'constraint',
  'constraint --full',
  'constraint --full --all',
  'constraint location',
  'constraint location config resources web vip',
  'constraint order config --full',
  'constraint colocation',
  'constraint ticket --full',
  'stonith level',
  'stonith config',
  'stonith',
  'resource',
  'resource config',
  'resource config g',
  'resource config B',
  'resource defaults',
  'resource defaults --full',
  'resource op defaults',
  'property',
  'node attribute',
  'node utilization',
  'status resources',
]

test.each(shown)('pcs %s', async (line) => {
  const words = ['-f', file, ...line.split(' ')]
  expect(await run('env', 'PCS_COMPAT=0.11', ours, ...words)).toBe(await run('/usr/sbin/pcs', ...words))
})
