import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const dist = resolve('dist')

/** A program and what it imports before it begins, in bytes. */
function loadedFirst(file: string, seen = new Set<string>()): number {
  if (seen.has(file)) return 0
  seen.add(file)
  const imported = [...readFileSync(file, 'utf8').matchAll(/(?:^|[;}\n])(?:import|export)[^;'"(]*["'](\.[^"']+)["']/g)]
  return imported.reduce((sum, [, name = '']) => sum + loadedFirst(join(file, '..', name), seen), statSync(file).size)
}

test.each(['systoled', 'pulse', 'door'])('%s loads little before a killed daemon is heard again', (program) => {
  expect(loadedFirst(join(dist, `${program}.mjs`))).toBeLessThan(250_000)
})

test('what is loaded is counted: the rest of the daemon is large', () => {
  expect(loadedFirst(join(dist, 'daemon.mjs'))).toBeGreaterThan(1_000_000)
})
