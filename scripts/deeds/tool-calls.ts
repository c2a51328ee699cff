/** Calls of Pacemaker's commands that test/tools/debian.test.ts compares with Debian's: an option has an effect where our answer is another without it. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { splitShellLine } from '../../src/cli/call/shell-words.ts'
import { callerFiles } from '../../src/tools/file/caller-files.ts'
import { FileWorld } from '../../src/tools/file/file-world.ts'
import { allTools, runTool } from '../../src/tools/index.ts'
import { type DebianCall, debianCalls } from '../../test/tools/debian-calls.ts'
import { containerCalls } from '../../test/tools/debian-containers.ts'
import { foundCalls } from '../../test/tools/debian-found.ts'
import { pathCalls } from '../../test/tools/debian-paths.ts'
import { templateCalls } from '../../test/tools/debian-templates.ts'
import { wordCalls } from '../../test/tools/debian-words.ts'
import type { CommandOption } from './commands.ts'
import { comparable, type TestPiece } from './tests.ts'

const tables: Readonly<Record<string, readonly DebianCall[]>> = {
  'debian-calls.ts': debianCalls,
  'debian-containers.ts': containerCalls,
  'debian-found.ts': foundCalls,
  'debian-paths.ts': pathCalls,
  'debian-templates.ts': templateCalls,
  'debian-words.ts': wordCalls,
}

export interface ToolCall extends TestPiece {
  readonly call: DebianCall
}

export function toolCalls(project: string): readonly ToolCall[] {
  return Object.entries(tables).flatMap(([name, calls]) => {
    const file = `test/tools/${name}`
    const written = readFileSync(join(project, file), 'utf8')
    return calls
      .filter(({ differs }) => differs === undefined)
      .map((call) => ({
        file,
        // Where a table is put together, the words that its calls begin with.
        title: written.includes(call.call) ? call.call : call.call.split(' ').slice(0, 2).join(' '),
        text: comparable(call.call),
        commands: [{ texts: splitShellLine(call.call), callee: '' }],
        hasShims: false,
        call,
      }))
  })
}

/** Whether our answer, or the CIB afterwards, is another without the option. */
export async function hasEffect({ call }: ToolCall, option: CommandOption): Promise<boolean> {
  const [tool = '', ...words] = splitShellLine(call.call)
  const without = withoutOption(tool, words, option)
  if (without === undefined) return false
  return (await answer(tool, words, call.cib)) !== (await answer(tool, without, call.cib))
}

function withoutOption(tool: string, words: readonly string[], option: CommandOption): readonly string[] | undefined {
  const at = words.findIndex((word) => option.stands(word))
  const word = words[at] ?? ''
  const given = allTools
    .find(({ name }) => name === tool)
    ?.options.find(({ names }) => names.some((name) => option.stands(name.length === 1 ? `-${name}` : `--${name}`)))
  if (at < 0 || given === undefined) return undefined
  const letter = given.names.find((name) => name.length === 1) ?? ''
  const isBundle = /^-[^-]{2}/.test(word) && !given.names.includes(word.slice(1)) && word.includes(letter)
  const rest = isBundle && given.value === 'none' ? [word.replace(letter, '')] : []
  const hasValueBehind = given.value === 'required' && !word.includes('=') && !isBundle
  return [...words.slice(0, at), ...rest, ...words.slice(at + (hasValueBehind ? 2 : 1))]
}

async function answer(tool: string, words: readonly string[], cib = 'cluster.xml'): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'systole-deeds-'))
  try {
    const path = join(folder, 'cib.xml')
    copyFileSync(join(import.meta.dirname, '../../test/tools/cases', cib), path)
    const { exitCode, output, errors } = await runTool(
      { tool, arguments: words, files: callerFiles({}) },
      new FileWorld({ path }),
    )
    return [exitCode, output, errors, readFileSync(path, 'utf8')]
      .join('\n')
      .replaceAll(folder, '')
      .replace(/\d\d:\d\d:\d\d/g, '')
  } finally {
    rmSync(folder, { recursive: true })
  }
}
