/**
 * Debian's own programs beside ours, call by call, on a CIB in a file. The claimed version is left out of
 * the comparison.
 */
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callerFiles } from '../../src/tools/file/caller-files.ts'
import { FileWorld } from '../../src/tools/file/file-world.ts'
import { runTool } from '../../src/tools/index.ts'
import { inWordsOfThree } from '../fuzz/tool-calls/words-of-three.ts'
import { type DebianCall, debianCalls } from './debian-calls.ts'
import { containerCalls } from './debian-containers.ts'
import { foundCalls } from './debian-found.ts'
import { newerAnswers } from './debian-newer.ts'
import { pathCalls } from './debian-paths.ts'
import { resourceCalls } from './debian-resources.ts'
import { templateCalls } from './debian-templates.ts'
import { wordCalls } from './debian-words.ts'

const cases = join(dirname(fileURLToPath(import.meta.url)), 'cases')
const isInstalled = existsSync('/usr/sbin/crm_attribute') && existsSync('/usr/sbin/crm_mon')

interface Answer {
  readonly code: number
  readonly output: string
  readonly errors: string
  readonly cib: string
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-debian-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Words, some of them in quotes. */
function split(call: string): readonly string[] {
  return [...call.matchAll(/(?:'([^']*)'|"((?:\\.|[^"])*)"|(\S))+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"((?:\\.|[^"])*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
  )
}

async function debian({ call, cib = 'cluster.xml' }: DebianCall): Promise<Answer> {
  const [program = '', ...words] = split(call)
  const path = join(folder, 'debian.xml')
  copyFileSync(join(cases, cib), path)
  const env = { PATH: '/usr/sbin:/usr/bin:/bin', CIB_file: path, LC_ALL: 'C', TZ: 'UTC' }
  return await new Promise((resolve) => {
    const child = execFile(program, words, { env, timeout: 30_000 }, (error, output, errors) => {
      const code = typeof error?.code === 'number' ? error.code : error === null ? 0 : -1
      resolve({ code, output, errors, cib: readFileSync(path, 'utf8') })
    })
    child.stdin?.end()
  })
}

async function ours({ call: line, cib = 'cluster.xml' }: DebianCall): Promise<Answer> {
  const [tool = '', ...words] = split(line)
  const path = join(folder, 'ours.xml')
  copyFileSync(join(cases, cib), path)
  const call = { tool, arguments: words, files: callerFiles({}) }
  const { exitCode, output, errors } = await runTool(call, new FileWorld({ path }))
  return { code: exitCode, output, errors, cib: readFileSync(path, 'utf8') }
}

/** What is of a version or a moment rather than of the call. */
function comparable({ code, output, errors, cib }: Answer, withErrors: boolean): Answer {
  const text = inWordsOfThree(output)
    .replaceAll('&apos;', "'")
    .replace(/version="(?:2\.1\.5|3\.0\.2)"/, 'version="V"')
    .replace(/(Last updated: |Current date\/time: |take effect until: |last_update time=").*/, '$1')
    .replace(/last-granted="17\d+"/, 'last-granted="now"')
    .replace(/(name="last-failure-[^"]*" value=")\d+/g, '$1now')
    // What 2.1 tells of a supposed failure's fail count is that it grows.
    .replace(/(<inject_attr name="fail-count-[^"]*" value=")[^"]*/g, '$1counted')
    // The columns of a transition's summary have other widths.
    .replace(/^( {2}\* (?:Start|Stop|Restart|Move|Promote|Demote)\b.*)$/gm, (line) => line.replace(/ +/g, ' '))
  const file = cib
    .replace(/(id="ticketB" granted="true" last-granted=")\d+/, '$1now')
    .replace(/(operation="lt" end=")[^"]*/, '$1later')
  return { code, output: text, errors: withErrors ? errors : '', cib: file }
}

const calls: readonly DebianCall[] = [
  ...debianCalls,
  ...foundCalls,
  ...containerCalls,
  ...pathCalls,
  ...resourceCalls,
  ...templateCalls,
  ...wordCalls,
]
const tools = [...new Set(calls.map(({ call }) => call.split(' ')[0] ?? ''))]

describe('beside the programs of Debian (pacemaker-cli-utils)', () => {
  test('which are installed', () =>
    expect(isInstalled, 'pacemaker-cli-utils is missing: bash scripts/install.sh test').toBe(true))

  for (const tool of tools)
    test(`${tool} answers and edits alike`, { timeout: 240_000 }, async () => {
      const own = calls.filter(({ call }) => call.startsWith(`${tool} `))
      const different: string[] = []
      const alike: string[] = []
      for (const one of own) {
        const { call, differs = newerAnswers.has(call) ? 'as in 3.0' : undefined } = one
        const [theirs, here] = [await debian(one), await ours(one)]
        // Refusals of a CIB that makes no sense come with the whole of it from 2.1.5, and with a sentence from us.
        const withErrors = theirs.code !== 78 && theirs.code !== 64
        const same = JSON.stringify(comparable(theirs, withErrors)) === JSON.stringify(comparable(here, withErrors))
        if (differs !== undefined) {
          if (same) alike.push(call)
        } else if (!same) {
          different.push(call)
          expect.soft(comparable(here, withErrors), call).toEqual(comparable(theirs, withErrors))
        }
      }
      expect(different, 'calls that are answered differently').toEqual([])
      expect(alike, 'calls that the table wrongly calls different').toEqual([])
    })
})
