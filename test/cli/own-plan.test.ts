import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readOwnPlan } from '../../src/cli/plan/own-file.ts'

test('a saved plan that another user owns or can write is not applied', () => {
  const folder = mkdtempSync(join(tmpdir(), 'systole-plan-'))
  const file = join(folder, 'friday.plan')
  try {
    writeFileSync(file, 'plan', { mode: 0o600 })
    expect(readOwnPlan(file)).toBe('plan')
    for (const mode of [0o620, 0o602]) {
      chmodSync(file, mode)
      expect(() => readOwnPlan(file)).toThrow(/can be written by other users/)
    }
    chmodSync(file, 0o600)
    chownSync(file, 1000, 1000)
    expect(() => readOwnPlan(file)).toThrow(/belongs to another user/)
    expect(() => readOwnPlan(join(folder, 'none'))).toThrow(/cannot be read/)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
