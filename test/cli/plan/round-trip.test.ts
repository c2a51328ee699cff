/** `export` writes a cluster file, and `apply` of it changes nothing: every case of the shared suite and of ours. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { element, mergeThreeWays, parseXml, type XmlElement } from '../../../src/cib/index.ts'
import { buildConfiguration } from '../../../src/cli/plan/build.ts'
import { exportConfiguration } from '../../../src/cli/plan/export.ts'
import { readClusterFile } from '../../../src/cli/plan/read-file.ts'
import { writeClusterFile } from '../../../src/cli/plan/write-file.ts'
import { scriptedTerminal } from '../scripted-terminal.ts'

const shared = resolve(import.meta.dirname, '../../../../shared/pacemaker-scheduler/xml')
const own = resolve(import.meta.dirname, '../../scheduler')

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.xml'))
    .map((name) => join(folder, name))
    .sort()
}

function cibIn(file: string): XmlElement | undefined {
  const parsed = parseXml(readFileSync(file, 'utf8'))
  return parsed.ok && parsed.value.name === 'cib' ? parsed.value : undefined
}

async function isUnchanged(cib: XmlElement): Promise<boolean> {
  const { text } = writeClusterFile(exportConfiguration(cib), new Set())
  const terminal = { ...scriptedTerminal(), readFile: () => Promise.resolve(text) }
  const { values } = await readClusterFile(terminal, 'x.yaml', { variables: new Map(), environment: {} })
  const { configuration, mistakes } = buildConfiguration(values)
  const merged = mergeThreeWays(cib, { base: element('configuration'), wanted: configuration })
  return mistakes.length === 0 && merged.cib === cib
}

async function changed(files: readonly string[]): Promise<readonly string[]> {
  const different: string[] = []
  for (const file of files) {
    const cib = cibIn(file)
    if (cib !== undefined && !(await isUnchanged(cib))) different.push(file)
  }
  return different
}

test('our own cases come back unchanged', async () => {
  const files = filesBelow(own)
  expect(files.length).toBeGreaterThan(50)
  expect(await changed(files)).toEqual([])
}, 120_000)

test.skipIf(!existsSync(shared))(
  'the cases of the shared suite come back unchanged',
  async () => {
    const files = filesBelow(shared)
    expect(files.length).toBeGreaterThan(600)
    expect(await changed(files)).toEqual([])
  },
  300_000,
)
test.runIf(!existsSync(shared))(`the cases in ${shared}`, ({ skip }) => skip(`${shared} is not there`))
