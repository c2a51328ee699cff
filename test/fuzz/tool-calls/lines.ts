/**
 * Lines that call a tool, `NAME=value … tool word … < FILE`, given to Pacemaker's own by a shell and to ours in this process: each in a
 * folder with the same files, with CIB_file and CIB_shadow_dir set and no daemon.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { splitShellLine } from '../../../src/cli/call/shell-words.ts'
import { callerFiles } from '../../../src/tools/file/caller-files.ts'
import { replyTo } from '../../../src/tools/file/run-command.ts'
import { type AnswerDifference, aspects, compareToolAnswers } from './compare.ts'
import type { Folder, ToolAnswer } from './run.ts'

const tools = join(import.meta.dirname, '../../tools')
const limitMs = 20_000

export interface ComparedLine {
  readonly line: string
  readonly tool: string
  readonly words: readonly string[]
  /** Beside the first of the originals, the gravest first. */
  readonly differences: readonly AnswerDifference[]
  /** Exit code and files are those of another original. */
  readonly isAsAnother: boolean
  /** The original did not end by itself, so that nothing was compared. */
  readonly isCrashed: boolean
}

export async function compareLines(
  lines: readonly string[],
  originals: readonly string[],
): Promise<readonly ComparedLine[]> {
  const [reference = '', ...others] = originals.filter((folder) => existsSync(join(folder, 'cibadmin')))
  const folder = join(mkdtempSync(join(tmpdir(), 'systole-lines-')), 'lines')
  const compared: ComparedLine[] = []
  try {
    for (const line of lines) {
      const { tool, words } = callOf(line)
      const theirs = typeLine(line, reference, folder)
      const ours = await answerLine(line, folder)
      const isCrashed = theirs.code > 127 || theirs.code < 0
      const differences = isCrashed ? [] : compareToolAnswers(theirs, ours)
      const isAsAnother =
        isGrave(differences) && others.some((path) => !isGrave(compareToolAnswers(typeLine(line, path, folder), ours)))
      compared.push({ line, tool, words, differences, isAsAnother, isCrashed })
    }
  } finally {
    process.chdir(tmpdir())
    rmSync(dirname(folder), { recursive: true, force: true })
  }
  return compared
}

/** A script would notice. */
export const isGrave = (differences: readonly AnswerDifference[]): boolean =>
  differences.some(({ aspect }) => aspect === aspects[0] || aspect === aspects[1])

interface LineCall {
  readonly environment: Readonly<Record<string, string>>
  readonly tool: string
  readonly words: readonly string[]
  readonly input: string | undefined
}

export function callOf(line: string): LineCall {
  const all = splitShellLine(line)
  const begin = all.findIndex((word) => !/^[A-Za-z_]+=/.test(word))
  const environment = Object.fromEntries(
    all.slice(0, begin).map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
  )
  const [tool = '', ...rest] = all.slice(begin)
  const at = rest.indexOf('<')
  return { environment, tool, words: at < 0 ? rest : rest.slice(0, at), input: at < 0 ? undefined : rest[at + 1] }
}

const surroundings = (folder: string): Readonly<Record<string, string>> => ({
  LC_ALL: 'C',
  TZ: 'UTC',
  CIB_file: 'cib.xml',
  CIB_shadow_dir: folder,
  SYSTOLE_TOOLS_SOCKET: join(folder, 'no-daemon'),
})

function typeLine(line: string, path: string, folder: string): ToolAnswer {
  fill(folder)
  const run = spawnSync('sh', ['-c', line], {
    cwd: folder,
    env: { PATH: `${path}:/usr/sbin:/usr/bin:/bin`, ...surroundings(folder) },
    input: '',
    encoding: 'utf8',
    timeout: limitMs,
    maxBuffer: 1 << 28,
  })
  return answer(folder, { code: run.status ?? -1, output: run.stdout, errors: run.stderr })
}

async function answerLine(line: string, folder: string): Promise<ToolAnswer> {
  fill(folder)
  process.chdir(folder)
  const { tool, words, input, environment: own } = callOf(line)
  const environment = { PATH: process.env.PATH ?? '', ...surroundings(folder), ...own }
  const given = callerFiles(environment)
  const text = (): string => (input === undefined ? '' : readFileSync(join(folder, input), 'utf8'))
  const { OCF_RESOURCE_INSTANCE: resource, OCF_RESKEY_CRM_meta_on_node: onNode, CIB_user: user } = own
  const { exitCode, output, errors } = await replyTo(
    {
      tool,
      arguments: words,
      files: { ...given, input: text, read: (path) => (path === '-' ? text() : given.read(path)) },
      ...(resource === undefined ? {} : { resource }),
      ...(onNode === undefined ? {} : { onNode }),
      ...(user === undefined ? {} : { user }),
    },
    environment,
  )
  return answer(folder, { code: exitCode, output, errors })
}

function answer(folder: string, { code, output, errors }: Omit<ToolAnswer, 'files'>): ToolAnswer {
  const named = (text: string): string => text.replaceAll(folder, 'FOLDER')
  return { code, output: named(output), errors: named(errors), files: contents(folder) }
}

function fill(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(startFiles())) writeFileSync(join(folder, name), text)
}

function startFiles(): Folder {
  const cluster = readFileSync(join(tools, 'cases/cluster.xml'), 'utf8')
  return { 'cib.xml': cluster, 'shadow.copy': cluster, ...contents(join(tools, 'lines/files')) }
}

const contents = (folder: string): Folder =>
  Object.fromEntries(
    readdirSync(folder)
      .sort()
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )
