/**
 * Pacemaker's commands line by line, as one types them: what each prints, its exit code, and what it makes of the CIB. `lines/*.lines.txt` are the lines, `*.out` the
 * answers, which are those of Pacemaker 3.0 but for what stands in `npm run fuzz:tools -- --file`. UPDATE_GOLDEN=1 writes them anew: read the difference.
 */
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { parseXml, type XmlElement } from '../../src/cib/index.ts'
import { splitShellLine } from '../../src/cli/call/shell-words.ts'
import { describePatch } from '../../src/tools/cib/describe-patch.ts'
import { makePatch } from '../../src/tools/cib/make-patch.ts'
import { callerFiles } from '../../src/tools/file/caller-files.ts'
import { replyTo } from '../../src/tools/file/run-command.ts'

const here = join(import.meta.dirname, 'lines')
const folder = mkdtempSync(join(tmpdir(), 'systole-lines-'))
afterAll(() => rmSync(folder, { recursive: true }))
vi.stubEnv('TZ', 'UTC')

/** What no line writes. */
const kept = new Set(readdirSync(join(here, 'files')).filter((file) => !file.startsWith('shadow.')))
for (const file of kept) copyFileSync(join(here, 'files', file), join(folder, file))
const cluster = join(import.meta.dirname, 'cases/cluster.xml')
const renewed = { 'cib.xml': cluster, 'shadow.copy': cluster, 'shadow.changed': join(here, 'files/shadow.changed') }

for (const name of readdirSync(here).filter((file) => file.endsWith('.lines.txt')))
  test(`${basename(name, '.lines.txt')} as Pacemaker's`, { timeout: 120_000 }, async () => {
    const answers: string[] = []
    for (const line of readFileSync(join(here, name), 'utf8')
      .split('\n')
      .filter((one) => one !== ''))
      answers.push(line.startsWith('#') ? `${line}\n` : await answerTo(line))
    const golden = join(here, name.replace(/lines.txt$/, 'out'))
    const text = answers.join('\n')
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(golden, text)
    expect(existsSync(golden), `${golden} is missing: UPDATE_GOLDEN=1 writes it`).toBe(true)
    expect(text).toBe(readFileSync(golden, 'utf8'))
  })

/** `NAME=value … tool word … < FILE`, in a folder with the files of `lines/files` and two shadows. */
async function answerTo(line: string): Promise<string> {
  for (const file of readdirSync(folder)) if (!kept.has(file)) rmSync(join(folder, file))
  for (const [file, source] of Object.entries(renewed)) copyFileSync(source, join(folder, file))
  const words = [...splitShellLine(line)]
  // No schemas of Pacemaker are installed there, whatever this machine has.
  const environment: Record<string, string> = {
    CIB_file: 'cib.xml',
    CIB_shadow_dir: folder,
    PCMK_schema_directory: folder,
  }
  for (
    let [, variable, value] = assignment(words[0]);
    variable !== undefined;
    [, variable, value] = assignment(words[0])
  ) {
    environment[variable] = value ?? ''
    words.shift()
  }
  const at = words.indexOf('<')
  const input = at === -1 ? '' : readFileSync(join(folder, words[at + 1] ?? ''), 'utf8')
  const [tool = '', ...rest] = at === -1 ? words : words.slice(0, at)
  if (environment.CIB_file !== '' && environment.CIB_file !== '-')
    environment.CIB_file = join(folder, environment.CIB_file ?? '')
  const named = assignmentOf(line, 'CIB_file')
  if (named !== undefined && kept.has(named)) copyFileSync(join(here, 'files', named), join(folder, named))
  const before = cibNow(environment)
  const reply = await replyTo({ tool, arguments: rest, files: filesOf(environment, input) }, environment)
  const errors = reply.errors.split('\n').flatMap((one) => (one === '' ? [] : [`! ${one}`]))
  return `$ ${line}\n${reply.output}${errors.map((one) => `${one}\n`).join('')}=> ${reply.exitCode}\n${changed(before, cibNow(environment))}`
    .replaceAll(folder, 'FOLDER')
    .replace(/(last-granted=")\d{10}/g, '$1NOW')
    .replace(/(Last updated: |last_update time=")[^"\n]*/g, '$1NOW')
}

const assignmentOf = (line: string, name: string): string | undefined =>
  new RegExp(`(?:^| )${name}=(\\S+) `).exec(line)?.[1]

const assignment = (word: string | undefined): readonly (string | undefined)[] =>
  word?.match(/^([A-Za-z_]+)=(.*)$/s) ?? []

function filesOf(environment: Readonly<Record<string, string>>, input: string) {
  const own = callerFiles(environment)
  return {
    ...own,
    input: () => input,
    read: (path: string) => (path === '-' ? input : own.read(resolve(folder, path))),
    write: (path: string, text: string) => own.write(resolve(folder, path), text),
  }
}

function cibNow({ CIB_file: file = '', CIB_shadow: shadow }: Readonly<Record<string, string>>): XmlElement | undefined {
  const path = shadow === undefined ? file : join(folder, `shadow.${shadow}`)
  const parsed = existsSync(path) ? parseXml(readFileSync(path, 'utf8')) : undefined
  return parsed?.ok ? parsed.value : undefined
}

/** With the version that it has then. */
function changed(before: XmlElement | undefined, after: XmlElement | undefined): string {
  const patch = before && after && makePatch(before, after, { withVersions: true })
  return patch === undefined ? '' : describePatch(patch).replace(/^Diff: --- .*\nDiff: \+\+\+ (\S+) .*/, 'now $1')
}
