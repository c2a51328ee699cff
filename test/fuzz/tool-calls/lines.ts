/**
 * Lines of a shell that call the tools, typed at Pacemaker's own and at ours: each in a folder of its own with the same files, with
 * CIB_file and CIB_shadow_dir set and no daemon. What the shell does (pipes, variables, several calls) works on both sides.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnswerDifference, type Aspect, aspects, compareToolAnswers } from './compare.ts'
import type { Folder, ToolAnswer } from './run.ts'

const tools = join(import.meta.dirname, '../../tools')
const shims = join(import.meta.dirname, '../../../shims')
const limitMs = 30_000

/** Prints what differs from the first of the originals; 0 where nothing does. */
export function typeLines(
  file: string,
  { originals, shown }: { readonly originals: readonly string[]; readonly shown: number },
): number {
  const [reference = '', ...others] = originals.filter((folder) => existsSync(join(folder, 'cibadmin')))
  const lines = readFileSync(file, 'utf8').split('\n')
  const typed = lines.filter((line) => line.trim() !== '' && !line.startsWith('#'))
  const folder = mkdtempSync(join(tmpdir(), 'systole-lines-'))
  const totals = new Map<Aspect | 'alike' | 'as another', number>()
  try {
    for (const line of typed) {
      const theirs = typeLine(line, reference, folder)
      const ours = typeLine(line, shims, folder)
      const differences = compareToolAnswers(theirs, ours)
      const isOther = (): boolean =>
        others.some((path) => !isGrave(compareToolAnswers(typeLine(line, path, folder), ours)))
      const kind =
        differences.length === 0 ? 'alike' : isGrave(differences) && isOther() ? 'as another' : differences[0]?.aspect
      if (kind !== undefined) totals.set(kind, (totals.get(kind) ?? 0) + 1)
      if (differences.length > 0) show(line, differences, shown, kind === 'as another')
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const counts = [...totals].map(
    ([kind, count]) => `${count} ${kind === 'alike' || kind === 'as another' ? kind : `other in ${kind}`}`,
  )
  console.log(`${typed.length} lines beside ${reference}: ${counts.join(', ')}.`)
  return totals.get('alike') === typed.length ? 0 : 1
}

/** A script would notice. */
const isGrave = (differences: readonly AnswerDifference[]): boolean =>
  differences.some(({ aspect }) => aspect === aspects[0] || aspect === aspects[1])

function show(line: string, differences: readonly AnswerDifference[], shown: number, isAsAnother: boolean): void {
  console.log(`$ ${line}${isAsAnother ? '   (as another original)' : ''}`)
  for (const { aspect, onlyTheirs, onlyOurs } of differences) {
    console.log(`    ${aspect}`)
    for (const one of onlyTheirs.slice(0, shown)) console.log(`      theirs: ${one.slice(0, 300)}`)
    for (const one of onlyOurs.slice(0, shown)) console.log(`      ours:   ${one.slice(0, 300)}`)
  }
}

function typeLine(line: string, path: string, folder: string): ToolAnswer {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(startFiles())) writeFileSync(join(folder, name), text)
  const run = spawnSync('sh', ['-c', line], {
    cwd: folder,
    env: {
      PATH: `${path}:/usr/sbin:/usr/bin:/bin`,
      LC_ALL: 'C',
      TZ: 'UTC',
      CIB_file: 'cib.xml',
      CIB_shadow_dir: folder,
      SYSTOLE_TOOLS_SOCKET: join(folder, 'no-daemon'),
    },
    input: '',
    encoding: 'utf8',
    timeout: limitMs,
    maxBuffer: 1 << 28,
  })
  return { code: run.status ?? -1, output: run.stdout, errors: run.stderr, files: contents(folder) }
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
