/** ARCHITECTURE.md says where a rule is. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const top = resolve(import.meta.dirname, '../..')
const page = readFileSync(join(top, 'ARCHITECTURE.md'), 'utf8')
const [, table = ''] = /### Where a rule is\n([\s\S]*?)\n## /.exec(page) ?? []
const rows = table
  .split('\n')
  .filter((line) => /^\| (?!Rule |---)/.test(line))
  .map((line) => {
    const [, rule = '', where = ''] = line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, ''))
    const [first = ''] = line.split(' | ')
    const places = where === '' ? rule : where
    const named = [...places.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
    return {
      rule: first.replace(/^\| /, ''),
      files: named.filter((name) => name.includes('/')),
      functions: named.filter((name) => /^[a-z]\w+$/.test(name)),
    }
  })

test('each rule is in files that exist, and in functions that these have', () => {
  expect(rows.length).toBeGreaterThan(25)
  const missing = rows.flatMap(({ rule, files, functions }) => {
    const gone = files.filter((file) => !existsSync(join(top, 'src', file)))
    const code = files
      .filter((file) => !gone.includes(file))
      .map((file) => readFileSync(join(top, 'src', file), 'utf8'))
    const unknown = functions.filter(
      (name) => !code.some((text) => new RegExp(`(function|const) ${name}\\b`).test(text)),
    )
    return [...gone, ...unknown].map((name) => `${rule}: ${name}`)
  })
  expect(missing).toEqual([])
  expect(rows.filter(({ files }) => files.length === 0 || files.length > 3)).toEqual([])
})

/** What a reader was asked to find, in no more than three files. */
test.each([
  'migration-threshold',
  'the role Promoted',
  'who becomes the DC',
  'fencing levels',
  'resource move',
  'environment of an agent',
  'without quorum',
  'a witness',
  'and their end',
  'fencing of a remote',
])('the table leads to the rule of %s', (words) => {
  const found = rows.filter(({ rule }) => rule.includes(words))
  expect(found.map(({ functions }) => functions.length > 0)).toContain(true)
})
