import { appendFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { JournalFile, readJournal } from '../../src/daemon/journal/journal-file.ts'
import { type JournalEvent, parseJournalLine } from '../../src/journal/index.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-journal-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const event = (revision: number): JournalEvent => ({ revision, at: 1, by: 'n1', what: { kind: 'dc', node: 'n1' } })
const revisions = (path: string): readonly number[] =>
  readJournal(path)
    .split('\n')
    .flatMap((line) => parseJournalLine(line)?.revision ?? [])

test('a journal is read back in order, and what a power failure has cut costs one line only', () => {
  const path = join(folder, 'below', 'journal')
  expect(revisions(path)).toEqual([])
  new JournalFile(path).append([event(1), event(2)])
  appendFileSync(path, '{"revision":3,"at"')
  new JournalFile(path).append([event(4)])
  expect(revisions(path)).toEqual([1, 2, 4])
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('it has two files of a bounded size, and the newest events', () => {
  const path = join(folder, 'journal')
  const file = new JournalFile(path, 400)
  for (let revision = 1; revision <= 100; revision++) file.append([event(revision)])
  expect(statSync(path).size).toBeLessThanOrEqual(400)
  expect(statSync(`${path}.1`).size).toBeLessThanOrEqual(400)
  expect(existsSync(`${path}.2`)).toBe(false)
  const kept = revisions(path)
  expect(kept.at(-1)).toBe(100)
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, at) => 101 - kept.length + at))
})
