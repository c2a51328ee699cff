import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

test('the generated messages are those of proto/systole.proto', () => {
  const project = resolve(import.meta.dirname, '../..')
  const printed = execFileSync(process.execPath, ['scripts/run.mjs', 'scripts/generate-rpc.ts', '--print'], {
    cwd: project,
    encoding: 'utf8',
  })
  expect(readFileSync(resolve(project, 'src/rpc/generated/systole.ts'), 'utf8')).toBe(printed)
})
