/** Runs a call in a folder of its own: with an installed program, or with ours in this process. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callerFiles } from '../../../src/tools/file/caller-files.ts'
import { replyTo } from '../../../src/tools/file/run-command.ts'

export interface Call {
  readonly tool: string
  /** `CIB_file` and `CIB_shadow_dir` are set besides. */
  readonly environment: Readonly<Record<string, string>>
  readonly words: readonly string[]
  /** The file that is its standard input. */
  readonly input?: string | undefined
}

export interface ToolAnswer {
  readonly code: number
  readonly output: string
  readonly errors: string
  /** What is in the folder afterwards. */
  readonly files: Readonly<Record<string, string>>
}

/** The files that a call finds. */
export type Folder = Readonly<Record<string, string>>

const limitMs = 20_000

/** By the program in the folder `originals`. Undefined where it crashed or came to no end. */
export function runInstalled(call: Call, files: Folder, folder: string, originals: string): ToolAnswer | undefined {
  fill(folder, files)
  const run = spawnSync(join(originals, call.tool), call.words, {
    cwd: folder,
    env: { PATH: `${originals}:/usr/sbin:/usr/bin:/bin`, LC_ALL: 'C', TZ: 'UTC', ...environmentOf(call) },
    input: call.input === undefined ? '' : (files[call.input] ?? ''),
    encoding: 'utf8',
    timeout: limitMs,
    maxBuffer: 1 << 28,
  })
  // A shell says 128 and the signal of what it called.
  if (run.status === null || run.status > 128) return undefined
  return { code: run.status, output: run.stdout, errors: run.stderr, files: contents(folder) }
}

/** Changes this process's folder, since the names of files are in it. */
export async function runOurs(call: Call, files: Folder, folder: string): Promise<ToolAnswer> {
  fill(folder, files)
  process.chdir(folder)
  const environment = environmentOf(call)
  const own = callerFiles(environment)
  const input = (): string => (call.input === undefined ? '' : (files[call.input] ?? ''))
  const resource = environment.OCF_RESOURCE_INSTANCE
  const { exitCode, output, errors } = await replyTo(
    {
      tool: call.tool,
      arguments: call.words,
      files: { ...own, input, read: (path) => (path === '-' ? input() : own.read(path)) },
      ...(resource === undefined ? {} : { resource }),
    },
    environment,
  )
  return { code: exitCode, output, errors, files: contents(folder) }
}

const environmentOf = ({ environment }: Call): Readonly<Record<string, string>> => ({
  CIB_file: 'cib.xml',
  CIB_shadow_dir: '.',
  ...environment,
})

function fill(folder: string, files: Folder): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
}

const contents = (folder: string): Folder =>
  Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )
