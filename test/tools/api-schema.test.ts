/** XML for programs is valid against Pacemaker's own schema of the API (in Debian's pacemaker-common): pcs refuses whatever is not. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parseXml, type XmlElement } from '../../src/cib/index.ts'
import { splitShellLine } from '../../src/cli/call/shell-words.ts'
import { CallerFileError } from '../../src/tools/file/caller-file-error.ts'
import { callerFiles } from '../../src/tools/file/caller-files.ts'
import { FileWorld } from '../../src/tools/file/file-world.ts'
import { replyTo } from '../../src/tools/file/run-command.ts'
import { optionsOf } from '../../src/tools/help.ts'
import { allTools, type FencingEvent, runTool, type ToolReply } from '../../src/tools/index.ts'
import { cibOf as cibOfCase } from '../scheduler/suite/recorded.ts'
import { topics } from '../scheduler/suite/topics.ts'
import { TestWorld } from './tool-world.ts'
import { xmlLines } from './xml-lines.ts'

const cases = join(import.meta.dirname, 'cases')
/** Pacemaker's own cases, which only a checkout with them beside it has. */
const suite = join(import.meta.dirname, '../../../shared/pacemaker-scheduler/xml')
/** Debian 12's schemas, and Debian 13's where `scripts/install.sh pcs` has unpacked them: only these have the elements of Pacemaker 3. */
const schemas = ['/usr/share/pacemaker/api', '/var/cache/systole/pcs/usr/share/pacemaker/api']

/** Of a whole cluster, whatever is in it. */
const calls: readonly string[] = [
  'crm_mon -1',
  'crm_mon -1 -r -n -A -f -o -t -c -m 3',
  'crm_mon --include=all',
  'crm_resource --list',
  'crm_resource --list-raw',
  'crm_resource --why',
  'crm_resource --list-operations',
  'crm_resource --list-all-operations',
  'crm_simulate --live-check',
  'crm_simulate --live-check --simulate --show-scores --show-utilization',
  'crm_verify --live-check',
  'crm_ticket --details',
  'crmadmin --nodes',
  'crm_attribute --type crm_config --query',
]

/** What differs most from one cluster to another: all the calls of all of Pacemaker's cases would take minutes. */
const someCalls = [
  'crm_mon --include=all',
  'crm_simulate --live-check --simulate --show-scores',
  'crm_resource --list-all-operations',
]

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-api-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function cibOf(text: string): XmlElement {
  const parsed = parseXml(text)
  if (!parsed.ok) throw new Error('The CIB is malformed.')
  return parsed.value
}

const versionOf = (output: string): string | undefined => / api-version="([\d.]+)"/.exec(output)?.[1]

const schemaOf = (version: string): string | undefined =>
  schemas.map((path) => join(path, `api-result-${version}.rng`)).find((path) => existsSync(path))

interface Answer {
  readonly call: string
  readonly output: string
}

/** What Debian 12's pcs reads. */
const oldest = '2.25'

let written = 0

/** What xmllint says of those that are not valid, each with the call that has made it. */
function invalid(answers: readonly Answer[]): readonly string[] {
  const versions = new Set(answers.map(({ output }) => versionOf(output)))
  return [...versions].flatMap((version) => {
    const some = answers.filter(({ output }) => versionOf(output) === version)
    if (version === undefined) return some.map(({ call, output }) => `${call}: no result: ${output.slice(0, 200)}`)
    const schema = schemaOf(version)
    return schema === undefined ? [] : complaints(schema, some).map((line) => `[${version}] ${line}`)
  })
}

function complaints(schema: string | undefined, answers: readonly Answer[]): readonly string[] {
  const paths = answers.map(({ output }) => {
    written += 1
    const path = join(folder, `answer-${written}.xml`)
    writeFileSync(path, output)
    return path
  })
  const { stderr } = spawnSync('xmllint', ['--noout', '--relaxng', schema ?? '', ...paths], {
    encoding: 'utf8',
    maxBuffer: 1 << 27,
  })
  const lines = stderr.split('\n')
  const valid = new Set(lines.filter((line) => line.endsWith(' validates')))
  return answers.flatMap(({ call }, index) => {
    const path = paths[index] ?? ''
    if (valid.has(`${path} validates`)) return []
    return [`${call}: ${lines.find((line) => line.startsWith(`${path}:`)) ?? 'not valid'}`]
  })
}

test('the schema is installed', () =>
  expect(schemaOf(oldest), 'pacemaker-common is missing: bash scripts/install.sh test').toBeDefined())

describe('every option of every tool that prints XML', () => {
  const printing = allTools.filter(({ name, printsXml }) => printsXml === true || name === 'crm_mon')

  test('has a line here, or a reason why it has none', () => {
    const options = printing.map((tool) => [
      tool.name,
      optionsOf(tool)
        .flatMap(({ names: [name = ''], ignored }) => (ignored === undefined ? [name] : []))
        .sort(),
    ])
    const rows = Object.entries(xmlLines).map(([tool, of]) => [tool, Object.keys(of).sort()])
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(options))
  })

  test.each(Object.entries(xmlLines))('%s', { timeout: 120_000 }, async (tool, rows) => {
    vi.stubEnv('TZ', 'UTC')
    const lines = Object.values(rows).flatMap((row) => (typeof row === 'string' ? [row] : 'noXml' in row ? [] : row))
    const answers: Answer[] = []
    for (const line of new Set(lines)) {
      const words = [...(line.includes('-X') && tool === 'crm_mon' ? [] : ['--output-as=xml']), ...splitShellLine(line)]
      for (const [where, reply] of [
        ['on a file', await onFile(tool, words)],
        ['on a cluster', await onCluster(tool, words)],
      ] as const)
        if (reply !== undefined) answers.push({ call: `${tool} ${line} ${where}`, output: reply })
    }
    expect(invalid(answers)).toEqual([])
    const later = answers.filter(({ output }) => versionOf(output) !== oldest)
    for (const version of new Set(later.map(({ output }) => versionOf(output)))) {
      const some = later.filter(({ output }) => versionOf(output) === version)
      expect(complaints(schemaOf(oldest), some), `${oldest} would do for ${version}`).not.toEqual([])
    }
  })
})

const cluster = (): string => readFileSync(join(cases, 'cluster.xml'), 'utf8')

function renew(): void {
  const text = cluster().replace(
    '<constraints>',
    '<constraints><rsc_location id="dated-l" rsc="web"><rule id="dated" score="1"><date_expression id="dated-e" operation="gt" start="2020-01-01"/></rule></rsc_location>',
  )
  mkdirSync(join(folder, 'profiled'), { recursive: true })
  const files = {
    CIB: text,
    COPY: text,
    OTHER: text.replace('value="7"', 'value="8"'),
    BROKEN: text.replace('<constraints>', '<constraints><rsc_order id="o" first="nothing" then="web"/>'),
    PATCH:
      '<diff format="2"><version><source admin_epoch="0" epoch="10" num_updates="3"/><target admin_epoch="0" epoch="11" num_updates="0"/></version><change operation="delete" path="/cib/configuration/constraints"/></diff>',
    'cib.xml': text,
    'shadow.copy': text.replace('value="7"', 'value="9"'),
    'profiled/one.xml': text,
  }
  rmSync(join(folder, 'OUT'), { force: true })
  for (const name of ['new', 'new2', 'new3']) rmSync(join(folder, `shadow.${name}`), { force: true })
  for (const [name, of] of Object.entries(files)) writeFileSync(join(folder, name), of)
}

const inFolder = (words: readonly string[]): readonly string[] =>
  words.map((word) =>
    word === 'PROFILED'
      ? join(folder, 'profiled')
      : word.replace(/\b(?:CIB|COPY|OTHER|BROKEN|PATCH|OUT|NOSUCH)$/, (name) => join(folder, name)),
  )

async function onFile(tool: string, words: readonly string[]): Promise<string | undefined> {
  renew()
  const environment = {
    CIB_file: join(folder, 'cib.xml'),
    CIB_shadow_dir: folder,
    CIB_shadow: 'copy',
    PATH: process.env.PATH,
  }
  if (tool !== 'crm_shadow') Reflect.deleteProperty(environment, 'CIB_shadow')
  return result(await replyTo({ tool, arguments: inFolder(words), files: callerFiles(environment) }, environment))
}

class WholeWorld extends TestWorld {
  override cib(): XmlElement {
    return this.commands.length === 0 ? this.configuration() : super.cib()
  }
}

const event = (target: string, outcome: FencingEvent['outcome'], begun: number): FencingEvent => ({
  target,
  action: 'reboot',
  device: 'st-list',
  client: 'admin.1',
  node: 'alpha',
  begun,
  outcome,
  ...(outcome === 'pending' ? {} : { ended: begun + 5 }),
})

async function onCluster(tool: string, words: readonly string[]): Promise<string | undefined> {
  renew()
  const world = new WholeWorld(cluster())
  world.fencing = [
    event('alpha', 'pending', 1_763_719_100),
    event('alpha', 'success', 1_763_719_000),
    event('beta', 'failed', 1_763_718_000),
  ]
  for (const node of ['alpha', 'beta'] as const)
    await runTool({ tool: 'attrd_updater', arguments: ['-n', 'a', '-U', '1', '-N', node] }, world)
  const call = { tool, arguments: inFolder(words), files: callerFiles({ PATH: process.env.PATH }) }
  try {
    return result(await runTool(call, world))
  } catch (error) {
    // A file that is not there is told by whoever has called, as on a file.
    if (error instanceof CallerFileError) return undefined
    throw error
  }
}

/** Undefined where it went to a file. The old form of crm_mon is the same in an element of its own. */
function result({ output }: ToolReply): string | undefined {
  if (output === '' && existsSync(join(folder, 'OUT'))) return undefined
  return output
    .replace(/<crm_mon version="[^"]*">/, '<pacemaker-result api-version="2.25" request="crm_mon">')
    .replace('</crm_mon>', '<status code="0" message="OK"/></pacemaker-result>')
}

async function answersOf(of: string, cib: XmlElement, lines: readonly string[]): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (const line of lines) {
    const [tool = '', ...words] = line.split(' ')
    const world = new FileWorld({ read: () => cib, localNode: 'alpha' })
    const { output } = await runTool({ tool, arguments: [...words, '--output-as=xml'], files: callerFiles({}) }, world)
    answers.push({ call: `${of}: ${line}`, output })
  }
  return answers
}

for (const file of readdirSync(cases))
  test(`every question to a whole cluster has a valid answer about ${file}`, async () => {
    expect(invalid(await answersOf(file, cibOf(readFileSync(join(cases, file), 'utf8')), calls))).toEqual([])
  })

test.each(Object.entries(topics))(
  'and about each of the scheduler’s cases of %s',
  { timeout: 120_000 },
  async (_, some) => {
    const answers: Answer[] = []
    for (const one of some) answers.push(...(await answersOf(one.name, cibOfCase(one), someCalls)))
    expect(invalid(answers)).toEqual([])
  },
)

test.runIf(existsSync(suite))('and about each of Pacemaker’s cases', { timeout: 600_000 }, async () => {
  const answers: Answer[] = []
  for (const file of readdirSync(suite).filter((name) => name.endsWith('.xml')))
    answers.push(...(await answersOf(file, cibOf(readFileSync(join(suite, file), 'utf8')), someCalls)))
  expect(answers.length).toBeGreaterThan(600 * someCalls.length)
  expect(invalid(answers)).toEqual([])
})
