/** XML for programs is valid against Pacemaker's own schema of the API (in Debian's pacemaker-common): pcs refuses whatever is not. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseXml, type XmlElement } from '../../src/cib/index.ts'
import { callerFiles } from '../../src/tools/file/caller-files.ts'
import { FileWorld } from '../../src/tools/file/file-world.ts'
import { runTool } from '../../src/tools/index.ts'

const schema = '/usr/share/pacemaker/api/api-result.rng'
const cases = join(import.meta.dirname, 'cases')
/** Pacemaker's own cases, which only a checkout with them beside it has. */
const suite = join(import.meta.dirname, '../../../shared/pacemaker-scheduler/xml')

/** Pacemaker's own crmadmin --nodes names a type that its schema does not know, and ours prints the same. */
const calls: readonly (readonly string[])[] = [
  ['crm_mon', '-1', '--output-as=xml'],
  ['crm_mon', '-1', '-r', '-n', '-A', '-f', '-o', '-t', '-c', '-m', '3', '--output-as=xml'],
  ['crm_mon', '--include=all', '--output-as=xml'],
  ['crm_mon', '--include=none,resources', '--resource=web', '--output-as=xml'],
  ['crm_resource', '--list', '--output-as=xml'],
  ['crm_resource', '--list-raw', '--output-as=xml'],
  ['crm_resource', '--locate', '-r', 'web', '--output-as=xml'],
  ['crm_resource', '--query-xml', '-r', 'web', '--output-as=xml'],
  ['crm_resource', '--constraints', '-r', 'web', '--output-as=xml'],
  ['crm_resource', '--why', '-r', 'web', '--output-as=xml'],
  ['crm_resource', '--why', '--output-as=xml'],
  ['crm_resource', '--list-operations', '--output-as=xml'],
  ['crm_resource', '--list-all-operations', '--output-as=xml'],
  ['crm_resource', '--list-standards', '--output-as=xml'],
  ['crm_resource', '--get-parameter', 'target-role', '--meta', '-r', 'web', '--output-as=xml'],
  ['crm_attribute', '--type', 'crm_config', '--name', 'cluster-name', '--query', '--output-as=xml'],
  ['crm_attribute', '--type', 'crm_config', '--name', 'nosuch', '--query', '--output-as=xml'],
  ['crm_error', '7', '--output-as=xml'],
  ['crm_error', '--list', '--exit', '--output-as=xml'],
  ['crm_simulate', '--output-as=xml'],
  ['crm_simulate', '--simulate', '--show-scores', '--show-utilization', '--output-as=xml'],
  ['crm_simulate', '--simulate', '--node-down=alpha', '--output-as=xml'],
  ['crm_verify', '--output-as=xml'],
  ['stonith_admin', '--list-installed', '--output-as=xml'],
  ['stonith_admin', '--history=*', '--output-as=xml'],
]

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-api-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function cibOf(path: string): XmlElement {
  const parsed = parseXml(readFileSync(path, 'utf8'))
  if (!parsed.ok) throw new Error(`${path} is malformed`)
  return parsed.value
}

async function answer(cib: XmlElement, [tool = '', ...words]: readonly string[]): Promise<string> {
  const { output } = await runTool(
    { tool, arguments: words, files: callerFiles({}) },
    new FileWorld({ read: () => cib, localNode: 'alpha' }),
  )
  return output
}

/** What xmllint says of those that are not valid, each with the call that has made it. */
function invalid(answers: readonly (readonly [call: string, output: string])[]): readonly string[] {
  const paths = answers.map(([, output], index) => {
    const path = join(folder, `${index}.xml`)
    writeFileSync(path, output)
    return path
  })
  const { stderr } = spawnSync('xmllint', ['--noout', '--relaxng', schema, ...paths], { encoding: 'utf8' })
  expect(stderr).toMatch(/ validates$/m)
  return answers.flatMap(([call], index) =>
    stderr.includes(`${paths[index]} validates\n`)
      ? []
      : [`${call}: ${stderr.split('\n').find((line) => line.startsWith(`${paths[index]}:`)) ?? 'not valid'}`],
  )
}

test('the schema is installed', () =>
  expect(existsSync(schema), 'pacemaker-common is missing: bash scripts/install.sh test').toBe(true))

for (const file of readdirSync(cases))
  test(`every tool prints valid XML of ${file}`, async () => {
    const cib = cibOf(join(cases, file))
    const answers: (readonly [string, string])[] = []
    for (const call of calls) answers.push([call.join(' '), await answer(cib, call)])
    expect(invalid(answers)).toEqual([])
  })

test.runIf(existsSync(suite))(
  'crm_mon prints valid XML of each of Pacemaker’s cases',
  { timeout: 120_000 },
  async () => {
    const answers: (readonly [string, string])[] = []
    for (const file of readdirSync(suite).filter((name) => name.endsWith('.xml')))
      answers.push([
        file,
        await answer(cibOf(join(suite, file)), ['crm_mon', '-1', '--include=all', '--output-as=xml']),
      ])
    expect(answers.length).toBeGreaterThan(600)
    expect(invalid(answers)).toEqual([])
  },
)
