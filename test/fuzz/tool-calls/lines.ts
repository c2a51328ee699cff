/**
 * Lines of a shell that call the tools, typed at Pacemaker's own and at ours: each in a folder of its own with the same files, with
 * CIB_file and CIB_shadow_dir set and no daemon. What the shell does (pipes, variables, several calls) works on both sides.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnswerDifference, aspects, compareToolAnswers } from './compare.ts'
import type { Folder, ToolAnswer } from './run.ts'

const tools = join(import.meta.dirname, '../../tools')
const shims = join(import.meta.dirname, '../../../shims')
const limitMs = 30_000
const atOnce = 3

export interface ComparedLine {
  readonly line: string
  readonly tool: string
  /** Beside the first of the originals, the gravest first. */
  readonly differences: readonly AnswerDifference[]
  /** Exit code and files are those of another original. */
  readonly isAsAnother: boolean
}

export async function compareLines(
  lines: readonly string[],
  originals: readonly string[],
): Promise<readonly ComparedLine[]> {
  const [reference = '', ...others] = originals.filter((folder) => existsSync(join(folder, 'cibadmin')))
  const root = mkdtempSync(join(tmpdir(), 'systole-lines-'))
  const compared: ComparedLine[] = []
  let next = 0
  const work = async (folder: string): Promise<void> => {
    for (let at = next++; at < lines.length; at = next++)
      compared[at] = await compareLine(lines[at] ?? '', { reference, others, folder })
  }
  try {
    await Promise.all(Array.from({ length: atOnce }, (_, index) => work(join(root, String(index), 'lines'))))
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
  return compared
}

interface Sides {
  readonly reference: string
  readonly others: readonly string[]
  readonly folder: string
}

async function compareLine(line: string, { reference, others, folder }: Sides): Promise<ComparedLine> {
  const theirs = await typeLine(line, reference, folder)
  const ours = await typeLine(line, shims, folder)
  const differences = compareToolAnswers(theirs, ours)
  let isAsAnother = false
  for (const path of isGrave(differences) ? others : [])
    isAsAnother ||= !isGrave(compareToolAnswers(await typeLine(line, path, folder), ours))
  return { line, tool: toolOf(line), differences, isAsAnother }
}

/** The first word that is not a variable. */
const toolOf = (line: string): string =>
  line
    .replace(/'[^']*'|"[^"]*"/g, 'x')
    .split(/\s+/)
    .find((word) => /^[a-z_0-9]+$/.test(word)) ?? ''

/** A script would notice. */
export const isGrave = (differences: readonly AnswerDifference[]): boolean =>
  differences.some(({ aspect }) => aspect === aspects[0] || aspect === aspects[1])

async function typeLine(line: string, path: string, folder: string): Promise<ToolAnswer> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(startFiles())) writeFileSync(join(folder, name), text)
  const child = spawn('sh', ['-c', line], {
    cwd: folder,
    env: {
      PATH: `${path}:/usr/sbin:/usr/bin:/bin`,
      LC_ALL: 'C',
      TZ: 'UTC',
      CIB_file: 'cib.xml',
      CIB_shadow_dir: folder,
      SYSTOLE_TOOLS_SOCKET: join(folder, 'no-daemon'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
  })
  let [output, errors] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const code = await new Promise<number>((done) => child.once('close', (status) => done(status ?? -1)))
  const named = (text: string): string => text.replaceAll(folder, 'FOLDER')
  return { code, output: named(output), errors: named(errors), files: contents(folder) }
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
