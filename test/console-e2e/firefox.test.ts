/** The console in Debian's Firefox: every page, and nothing that it complains of. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FrozenCluster, serveFrozen } from './lab/frozen-cluster.ts'
import { frozenToken, largeMembers, smallCib } from './lab/large-cib.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-firefox-test-'))
let frozen: FrozenCluster
beforeAll(async () => {
  frozen = await serveFrozen(smallCib(), { members: largeMembers.slice(0, 3), dc: 'node-01' })
})
afterAll(async () => {
  await frozen?.close()
  rmSync(folder, { recursive: true, force: true })
})

test('Firefox shows the picture, the changes, what-ifs and the past, without an error', async () => {
  const picture = join(folder, 'now.png')
  const program = join(import.meta.dirname, 'lab/firefox.mjs')
  const words = ['--experimental-websocket', program, frozen.address, frozenToken, picture]
  const { stdout } = await promisify(execFile)(process.execPath, words)
  expect(JSON.parse(stdout)).toMatchObject({
    browser: 'firefox',
    nodes: 3,
    headings: ['Change', 'Afterwards', 'Then'],
    troubles: [],
  })
  expect(statSync(picture).size).toBeGreaterThan(10_000)
})
