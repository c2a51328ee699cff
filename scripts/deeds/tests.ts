/** The tests of this project, piece by piece: a test with its title, or a line that is typed and whose answer is compared. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readSource, type TextGroup } from './literals.ts'

export interface TestPiece {
  /** From the root of the project. */
  readonly file: string
  /** The title, or the line; it stands in the file as it is. */
  readonly title: string
  /** White space, quotes and commas are single blanks. */
  readonly text: string
  readonly commands: readonly TextGroup[]
  /** Started by their bare names, Pacemaker's commands are ours there. */
  readonly hasShims: boolean
  /** In tables of options whose test fails where the answer is the same without them. */
  readonly isMeasured?: true
  /** A line of a command. */
  readonly isTyped?: true
  /** A line that is refused, or a test whose daemon or program is a stand-in: no option of a command is shown by it (`isStandIn`). */
  readonly isNoDeed?: true
}

/** test/cli/documentation.test.ts compares what they show. */
const guides = ['docs/guides/what-if.md', 'docs/guides/why.md']

/** They use many words to show something else: that each is read, refused, written back or valid. */
const aboutManyWords = [
  'test/cib/edits.test.ts',
  'test/cib/name-length.test.ts',
  'test/cib/read-configuration.test.ts',
  'test/cib/upgrade-schema.test.ts',
  'test/cib/validate.test.ts',
  'test/cli/bad-input.test.ts',
  'test/cli/round-trip.test.ts',
  'test/cli/tree.test.ts',
  'test/security/acl.test.ts',
  'test/tools/api-schema.test.ts',
]

export function testPieces(project: string): readonly TestPiece[] {
  return [...filesBelow(join(project, 'test')), ...guides.map((guide) => join(project, guide))].flatMap((path) => {
    const file = relative(project, path)
    if (aboutManyWords.includes(file)) return []
    const text = readFileSync(path, 'utf8')
    if (file.startsWith('test/cib/acl/cases/')) return textCases(file, text)
    // Lines whose answers are in the transcript beside them.
    if (path.endsWith('lines.txt'))
      return typedLines(file, text, refusedLines(path.replace(/lines\.txt$/, 'transcript.txt')))
    if (path.endsWith('transcript.txt')) return []
    // Lines with their answers below them.
    if (path.endsWith('.md')) return typedLines(file, text).filter(({ title }) => title.startsWith('$ systole '))
    if (path.endsWith('.txt')) return typedLines(file, text).filter(({ title }) => title.startsWith('$ '))
    if (path.endsWith('option-effects.test.ts'))
      return [...(isStandIn(file, text) ? [] : measuredRows(file, text)), ...pieces(file, text)]
    return path.endsWith('.test.ts') ? pieces(file, text) : []
  })
}

/** Folders whose tests start daemons: whatever is cast there is only what they answer. */
const onNodes =
  /^test\/(?:nodes|nodes-e2e|security|faults|links|witness|remote-nodes|clients|deployment|rollouts-e2e|services-e2e|packages-e2e)\//

/** A stand-in without a cast: what the test hands over is a function that writes down its words. */
const standIns = ['test/cli/booth.test.ts']

/** A test that makes a daemon or a program by itself shows what would be asked, not what comes of it: a cast gives it away. */
export function isStandIn(file: string, text: string): boolean {
  return standIns.includes(file) || (!onNodes.test(file) && /\bas (?:never|unknown as)\b/.test(text))
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name)
      return statSync(path).isDirectory() ? filesBelow(path) : [path]
    })
}

/** Lines whose transcript ends with an exit code: they show what is refused, not what an option does. */
function refusedLines(transcript: string): ReadonlySet<string> {
  if (!existsSync(transcript)) return new Set()
  const answers = `\n${readFileSync(transcript, 'utf8')}`.split('\n$ ').slice(1)
  return new Set(answers.filter((one) => /^\(exit \d+\)$/m.test(one)).map((one) => (one.split('\n')[0] ?? '').trim()))
}

function typedLines(file: string, text: string, refused: ReadonlySet<string> = new Set()): readonly TestPiece[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({
      ...piece(file, line.trim(), line, [{ texts: [line.replace(/^\s*\$ /, '')], callee: '' }]),
      isTyped: true,
      ...(refused.has(line.trim()) && { isNoDeed: true }),
    }))
}

/** Cases that begin with a line `# title`. */
function textCases(file: string, text: string): readonly TestPiece[] {
  return text
    .split(/^# /m)
    .slice(1)
    .map((one) => piece(file, one.split('\n')[0] ?? '', one, []))
}

const piece = (file: string, title: string, text: string, commands: readonly TextGroup[]): TestPiece => ({
  file,
  title,
  text: comparable(text),
  commands,
  hasShims: false,
})

/** `first; second --this| --that`: shown of --that alone. */
function measuredRows(file: string, text: string): readonly TestPiece[] {
  return [...text.matchAll(/^ {2}(['"`])(.*\|.*)\1,$/gm)].map(({ 2: row = '' }) => {
    const [common = '', option = ''] = row.split('|')
    // Options before the bar are taken out: the command stays.
    const command = (common.split('; ').at(-1) ?? '').replace(/(?<=\s)--?[\w-]+/g, '')
    const one = piece(file, row, `${command}${option}`, [{ texts: [`${command}${option}`], callee: '' }])
    return { ...one, isMeasured: true, isTyped: true }
  })
}

/** Each test with what it uses of the file's tables and helpers; rows of tables that are tests of their own. */
function pieces(file: string, text: string): readonly TestPiece[] {
  if (!/\bexpect\b|\.until\(/.test(text)) return []
  const { masked } = readSource(text)
  const titles = [...text.matchAll(titleOf)]
    .map((match) => ({ match, isTest: /\b(?:test|it)\b/.test(match[0].split(/['"`]/)[0] ?? '') }))
    .filter(({ match: { 0: all, 3: title = '' } }) => !/^\s*describe/.test(all) && title.length > 8)
  const shared = declarations(text, masked)
  const noDeed = isStandIn(file, text)
  return titles.map(({ match, isTest }, at) => {
    const begin = match.index + (/^\s*\n?/.exec(match[0])?.[0].length ?? 0)
    const next = titles[at + 1]?.match.index ?? text.length
    const end = Math.min(next, endOfPiece(masked, match.index, isTest))
    const own = text.slice(begin, end)
    const used = isTest ? usedBy(own, shared) : []
    const title = (match[3] ?? '').split('${')[0] ?? ''
    const { groups } = readSource(own)
    const commands = [
      ...groups.flatMap((group) => expanded(group, shared)),
      ...used.flatMap((one) => readSource(one).groups),
    ]
    const one = piece(file, title, [own, ...used].join('\n'), commands)
    return { ...one, hasShims: text.includes('shims'), ...(noDeed && { isNoDeed: true }) }
  })
}

const titleOf =
  /^\s*(?:\{ )?(?:(?:test|it|describe)(?:\.\w+)*(?:\([^'`"\n]*\))?\(|name:|by:|why:|(?=(['`"])(?:(?!\1).)+\1: \[))\s*(['`"])((?:(?!\2).)+)\2,?/gm

/** A test goes on while lines are indented deeper than it; a row while they are as deep. */
function endOfPiece(masked: string, from: number, isTest: boolean): number {
  const begin = masked[from] === '\n' ? from + 1 : from
  const lines = masked.slice(begin).split('\n')
  const first = lines.findIndex((line) => line.trim() !== '')
  const depth = depthOf(lines[first] ?? '')
  let length = 0
  for (const [at, line] of lines.entries()) {
    const isOver = at > first && line.trim() !== '' && (isTest ? depthOf(line) <= depth : depthOf(line) < depth)
    if (isOver && !/^\s*[)\]}]/.test(line)) break
    length += line.length + 1
    if (isOver) break
  }
  return begin + length
}

const depthOf = (line: string): number => line.length - line.trimStart().length

/** What stands at the top of a file under a name: tables and helpers. */
function declarations(text: string, masked: string): ReadonlyMap<string, string> {
  const found = [...masked.matchAll(/^(?:export )?(?:const|let|(?:async )?function) (\w+)/gm)]
  return new Map(
    found.map((match) => [match[1] ?? '', text.slice(match.index, endOfPiece(masked, match.index, true))] as const),
  )
}

/** The tables that a test names, and those that they name. */
function usedBy(own: string, shared: ReadonlyMap<string, string>): readonly string[] {
  const tables = [...shared].filter(([, text]) => !isHelper(text))
  const direct = tables.filter(([name]) => mentions(own, name))
  const further = tables.filter(
    ([name]) => direct.some(([, text]) => mentions(text, name)) && !direct.some(([one]) => one === name),
  )
  return [...direct, ...further].map(([, text]) => text)
}

const mentions = (text: string, name: string): boolean => new RegExp(`(?<![\\w.])${name}\\b`).test(text)

const isHelper = (text: string): boolean =>
  /^(?:export )?(?:async )?function|=> ?|^const \w+ = async/.test(text.split('\n')[0] ?? '')

/** A call of a helper, and what that helper puts before its words: `crmMon('-1')` for `(...words) => run('crm_mon', ...words)`. */
function expanded(group: TextGroup, shared: ReadonlyMap<string, string>): readonly TextGroup[] {
  const helper = group.callee === '' ? undefined : shared.get(group.callee)
  if (helper === undefined || !isHelper(helper)) return [group]
  const before = readSource(helper).groups.map(({ texts }) => texts)
  return [
    group,
    ...before.map((texts) => ({ texts: [...texts, ...group.texts], callee: '' })),
    ...before.flatMap(([first = '']) =>
      first.includes('${') ? [{ texts: [`${first.split('${')[0] ?? ''}${group.texts.join(' ')}`], callee: '' }] : [],
    ),
  ]
}

export const comparable = (text: string): string => text.replace(/[\s'"`,|[\]]+/g, ' ')
