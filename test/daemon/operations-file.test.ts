/** What is kept of operations, and of what agents print. */
import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Log } from '../../src/daemon/host/log.ts'
import { OperationsFile, readOperations } from '../../src/daemon/journal/operations-file.ts'
import type { EndedOperation } from '../../src/executor/index.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-operations-'))
  path = join(folder, 'operations')
})
afterEach(() => rmSync(folder, { recursive: true }))

const warnings: string[] = []
const ignore = (): void => undefined
const log: Log = { debug: ignore, info: ignore, error: ignore, warn: (message) => void warnings.push(message) }
const ended = (resource: string, output: string, more: Partial<EndedOperation> = {}): EndedOperation => ({
  resource,
  operation: 'start',
  intervalMs: 0,
  expected: 0,
  outcome: { status: 'done', exitCode: 1, exitReason: 'no', output, execTimeMs: 3.4 },
  ...more,
})

test('the last operations of a resource and its instances are read, the oldest first, and no line that was cut', () => {
  const { note } = new OperationsFile('n1', path, log)
  for (const name of ['web', 'db', 'web:1', 'web"x']) note(ended(name, `of ${name}`))
  appendFileSync(path, '{"at":1,"resource":"web","output":"cut')
  const read = (resources: readonly string[], most = 10): readonly string[] =>
    readOperations(path, { resources, most }).map(({ output }) => output)
  expect(read(['web'])).toEqual(['of web', 'of web:1'])
  expect(read(['web'], 1)).toEqual(['of web:1'])
  expect(read(['web', 'db'])).toEqual(['of web', 'of db', 'of web:1'])
  expect(read(['nosuch'])).toEqual([])
  expect(readOperations(path, { resources: ['db'], most: 1 })).toMatchObject([
    { node: 'n1', operation: 'start', rc: 1, expected: 0, status: 'done', execMs: 3, reason: 'no' },
  ])
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('of an agent that prints much the end is kept, the files have an end, and an answer too', () => {
  const { note } = new OperationsFile('n1', path, log)
  for (let count = 0; count < 400; count++) note(ended('web', `${'x'.repeat(100_000)}${count}`))
  expect(statSync(path).size + statSync(`${path}.1`).size).toBeLessThanOrEqual(2 * 1024 * 1024)
  const kept = readOperations(path, { resources: ['web'], most: 200 })
  expect(kept.at(-1)?.output).toMatch(/^\[\.\.\.\]x+399$/)
  expect(JSON.stringify(kept).length).toBeLessThan(1024 * 1024 + 20_000)
})

test('where nothing can be written, operations go on, and the log says so once', () => {
  writeFileSync(path, '')
  const { note } = new OperationsFile('n1', join(path, 'below'), log)
  note(ended('web', ''))
  note(ended('web', ''))
  expect(warnings).toEqual(['what agents print cannot be kept'])
})
