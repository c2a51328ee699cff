/** The tests of this project, piece by piece: a test with its title, or a line that is typed and whose answer is compared. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

export interface TestPiece {
  /** From the root of the project. */
  readonly file: string
  /** The title, or the line; it stands in the file as it is. */
  readonly title: string
  /** White space, quotes and commas are single blanks. */
  readonly text: string
}

/** test/cli/documentation.test.ts compares what they show. */
const guides = ['docs/guides/what-if.md', 'docs/guides/why.md']

export function testPieces(project: string): readonly TestPiece[] {
  return [...filesBelow(join(project, 'test')), ...guides.map((guide) => join(project, guide))].flatMap((path) => {
    const file = relative(project, path)
    const text = readFileSync(path, 'utf8')
    // Lines whose answers are in the transcript beside them.
    if (path.endsWith('lines.txt')) return typedLines(file, text)
    // Lines with their answers below them.
    if (path.endsWith('.md')) return typedLines(file, text).filter(({ title }) => title.startsWith('$ systole '))
    if (path.endsWith('.txt')) return typedLines(file, text).filter(({ title }) => title.startsWith('$ '))
    return path.endsWith('.test.ts') || /debian-[a-z]+\.ts$/.test(path) ? pieces(file, text) : []
  })
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name)
      return statSync(path).isDirectory() ? filesBelow(path) : [path]
    })
}

function typedLines(file: string, text: string): readonly TestPiece[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ file, title: line.trim().replace(/,$/, ''), text: comparable(line) }))
}

/** From one title to the next: that of a test, or the name of a case in a table. What stands before the first belongs to no test. */
function pieces(file: string, text: string): readonly TestPiece[] {
  const isCompared = !file.endsWith('.test.ts')
  if (!isCompared && !/\bexpect\(|\.until\(/.test(text)) return []
  // Calls that are made of Debian's program and of ours, and compared.
  if (isCompared) return typedLines(file, text)
  const titles = [...text.matchAll(titleOf)].filter(
    ({ 0: all, 2: title = '' }) => /\b(?:test|it|name:|by:|why:)/.test(all) && title.length > 8,
  )
  const tests = titles.map((match, at) => ({
    file,
    title: (match[2] ?? '').split('${')[0] ?? '',
    text: comparable(text.slice(match.index, titles[at + 1]?.index ?? text.length)),
  }))
  const [first] = tests
  // Tables stand before the test that goes through them.
  const tables = first ? [{ ...first, text: comparable(text.slice(0, titles[0]?.index)) }] : []
  return [...rowsOf(file, text), ...tests, ...tables]
}

const titleOf =
  /^\s*(?:(?:test|it|describe)(?:\.\w+)*(?:\([^'`"\n]*\))?\(|name:|by:|why:)?\s*(['`"])((?:(?!\1).)+)\1,?/gm

/** A line of a table of calls, each of which is a test. */
function rowsOf(file: string, text: string): readonly TestPiece[] {
  if (!text.includes('test.each(')) return []
  return [...text.matchAll(/^ {2}(['"`])(.{12,})\1,$/gm)].map(({ 2: row = '' }) => ({
    file,
    title: row,
    text: comparable(row),
  }))
}

export const comparable = (text: string): string => text.replace(/[\s'"`,|[\]]+/g, ' ')
