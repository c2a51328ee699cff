/**
 * A setup file of vitest: writes which functions of `src` a test file called, as `{file: [function names]}`, into the folder that
 * SYSTOLE_COVERAGE names. Only functions that run after a module has been read are certain to be listed by name.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect } from 'vitest'

const folder = process.env.SYSTOLE_COVERAGE ?? ''
const root = process.env.SYSTOLE_COVERED ?? ''
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

afterAll(async () => {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const called: Record<string, string[]> = {}
  for (const { url, functions } of result) {
    const file = relative(root, url.startsWith('file:') ? fileURLToPath(url) : url)
    if (!file.startsWith('src/')) continue
    const names = functions.flatMap(({ functionName, ranges }) =>
      functionName !== '' && ranges.some(({ count }) => count > 0) ? [functionName] : [],
    )
    called[file] = [...new Set(names)]
  }
  const test = relative(root, expect.getState().testPath ?? '')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, `${test.replaceAll('/', '+')}.${basename(process.pid.toString())}.json`),
    JSON.stringify({ test, called }),
  )
})
