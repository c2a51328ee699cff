import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { readIfThere } from '../../src/daemon/host/files.ts'
import { Cutter, type FromCutter } from '../../src/daemon/pulse/cutter.ts'

const program = process.argv[1] ?? ''
const folder = mkdtempSync(join(tmpdir(), 'systole-cutter-'))
let cutter: Cutter | undefined
afterEach(() => {
  cutter?.close()
  vi.unstubAllEnvs()
  process.argv[1] = program
  rmSync(folder, { recursive: true, force: true })
})

test('the thread that ends connections runs ss again and again, and tells a failure once', async () => {
  const calls = join(folder, 'calls')
  writeFileSync(join(folder, 'ss'), `#!/bin/sh\necho "$*" >>${calls}\necho no >&2\nexit 1\n`, { mode: 0o755 })
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`)
  process.argv[1] = resolve('dist/systoled.mjs')
  const told: FromCutter[] = []
  cutter = new Cutter((message) => told.push(message))
  cutter.prepare()
  cutter.set([{ host: '192.0.2.1', ports: [7700] }])
  await vi.waitFor(() => expect(readIfThere(calls)?.split('\n').length).toBeGreaterThan(4), { timeout: 20_000 })
  const failures = told.filter(({ kind }) => kind === 'connections-kept')
  expect(failures).toEqual([{ kind: 'connections-kept', error: expect.stringContaining('192.0.2.1') }])
  await vi.waitFor(() => expect(told).toContainEqual({ kind: 'connections-stay', why: expect.stringMatching(/ss/) }))
}, 30_000)
