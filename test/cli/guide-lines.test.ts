/**
 * Each command line in the README, the guides and the reference is one of today's: it names a command, its options exist, and a line of a code
 * block gets past the grammar to the cluster, which is not there. So a page cannot keep a word that the program no longer has.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ClusterAccess } from '../../src/cli/call/access.ts'
import { type Command, commonFlags, type Terminal } from '../../src/cli/call/command.ts'
import { commandsBelow } from '../../src/cli/call/tree.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { splitText } from '../../src/cli/grammar/words.ts'
import { commandOfLine, runLine } from '../../src/cli/start/run.ts'
import { changes, reads } from '../../src/web/command-table.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

const project = resolve(import.meta.dirname, '../..')
const markdownIn = (folder: string): readonly string[] =>
  readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))
/** Decisions of the past show the words of their day; docs/deeds.md and docs/pcs.md are made from the commands themselves. */
const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', ...markdownIn('docs')]
  .filter((page) => !/^docs\/(adr\/|deeds\.md|pcs\.md|style-of-words\.md)/.test(page))
  .toSorted()
const textOf = (page: string): string => readFileSync(join(project, page), 'utf8')

/** The lines of code blocks, with what a backslash continues. */
function blockLines(text: string): readonly string[] {
  let fenced = false
  return text
    .replaceAll(/ \\\n\s*/g, ' ')
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('```')) fenced = !fenced
      return fenced || line.startsWith('    ') ? [line.trim().replace(/^[$#] /, '')] : []
    })
}

/** Code within a sentence. */
const inlineCode = (text: string): readonly string[] =>
  [...text.replaceAll(/^ {4}.*$/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code]) => code ?? '')

/** The words as a shell would give them to the command: no remark, redirection or pipe, and something in the place of `…`. */
function wordsOf(line: string): readonly string[] | undefined {
  const [, command] = /^(?:bin\/|\/opt\/systole\/bin\/)?systole +(\S.*)$/.exec(line) ?? []
  if (command === undefined || command.startsWith('…')) return
  const typed = command
    .replace(/ +# .*$/, '')
    .replace(/^((?:"[^"]*"|'[^']*'|[^'"])*?) +(?:\||<<<|>|&&|;|2>).*$/, '$1')
    .replaceAll(/\$\([^)]*\)|\$\w+/g, 'x')
    .replaceAll('$?', '0')
    .replaceAll(/ …(?= |$)/g, '')
    .replaceAll(/<[\w -]+>|…/g, 'x')
  return splitText(typed.trim())
}

const wordLists = (codes: readonly string[]): readonly (readonly string[])[] =>
  codes.flatMap((code) => [wordsOf(code) ?? []]).filter(({ length }) => length > 0)

/** Whoever asks for the cluster, a file or a person has understood the line. */
class Understood extends Error {}
const understood = (): never => {
  throw new Understood('understood')
}
const noCluster: ClusterAccess = {
  readCib: understood,
  push: understood,
  get live() {
    return understood()
  },
  close: () => undefined,
}
const terminal: Terminal = {
  ...scriptedTerminal(),
  readFile: understood,
  writeFile: understood,
  readInput: understood,
  readOwnFile: understood,
  resolve: understood,
  edit: understood,
  confirm: understood,
}

/** Those that act on the host are not run here, whatever they are given. */
const isRun = ({ path }: Command): boolean => reads.has(path.join(' ')) || changes.has(path.join(' '))
/** A file or decision of the reader's, which is not here. */
const lacksFile = /no such file or directory|is not on this host|There is no decision up to/

async function refusal(words: readonly string[]): Promise<string | undefined> {
  const command = commandOfLine(words, allCommands)
  if (command === undefined || command.refuses !== undefined) return 'There is no such command.'
  if (!isRun(command)) return unknownFlag(words, command)
  const { standardError, standardOutput, exitCode } = await runLine({
    commands: allCommands,
    line: words,
    terminal,
    openCluster: () => noCluster,
  })
  const said = standardError + standardOutput
  return exitCode === 0 || said.includes('understood') || lacksFile.test(said) ? undefined : said.trim()
}

/** Code in a sentence may be a part of a line: the beginning of a command's name, and options that the command has. */
function partialRefusal(words: readonly string[]): string | undefined {
  const command = commandOfLine(words, allCommands)
  if (command !== undefined) return unknownFlag(words, command)
  const name = words.filter((word) => !word.startsWith('-')).map((word) => word.split('|')[0] ?? word)
  return commandsBelow(allCommands, name).length > 0 ? undefined : 'There is no such command.'
}

function unknownFlag(words: readonly string[], { flags = [] }: Command): string | undefined {
  const end = words.includes('--') ? words.indexOf('--') : words.length
  return words
    .slice(0, end)
    .filter((word) => /^--\w/.test(word))
    .map((word) => word.slice(2).split(/[=[]/)[0])
    .filter((typed) => ![...flags, ...commonFlags].some(({ name }) => name === typed))
    .map((typed) => `It has no option --${typed}.`)[0]
}

describe('every command line in the documentation is one that the program takes', () => {
  test('there are many', () =>
    expect(pages.flatMap((page) => wordLists(blockLines(textOf(page)))).length).toBeGreaterThan(300))
  test.each(pages)('%s', async (page) => {
    const text = textOf(page)
    const refused: string[] = []
    const note = (words: readonly string[], why: string | undefined): void => {
      if (why !== undefined) refused.push(`systole ${words.join(' ')}\n    ${why}`)
    }
    for (const words of wordLists(blockLines(text))) note(words, await refusal(words))
    for (const words of wordLists(inlineCode(text))) note(words, partialRefusal(words))
    expect(refused.join('\n')).toBe('')
  })
})

test.each([
  'systole clutser status',
  'systole status --nosuch',
  'systole resource create',
  'systole job run --nosuch -- ls',
])('a page with %s would be found', async (line) => {
  expect(await refusal(wordsOf(line) ?? [])).toBeDefined()
  if (line.includes('nosuch') || line.includes('clutser')) expect(partialRefusal(wordsOf(line) ?? [])).toBeDefined()
})
