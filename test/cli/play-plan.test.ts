import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

const scratch = mkdtempSync(join(tmpdir(), 'systole-play-'))
afterAll(() => rmSync(scratch, { recursive: true }))
const site = resolve(import.meta.dirname, '../../examples/plays/site.yaml')

const cibFile = join(scratch, 'cib.xml')
writeFileSync(
  cibFile,
  '<cib crm_feature_set="3.19.0" validate-with="pacemaker-3.9" epoch="1" num_updates="0" admin_epoch="0"><configuration><crm_config/><nodes><node id="1" uname="n1"><instance_attributes id="a"><nvpair id="r" name="web-role" value="true"/></instance_attributes></node><node id="2" uname="n2"/></nodes><resources/><constraints/></configuration><status/></cib>',
)

async function plan(...words: readonly string[]): Promise<{ readonly exitCode: number; readonly text: string }> {
  const { exitCode, standardOutput, standardError } = await runLine({
    commands: allCommands,
    line: ['play', 'plan', ...words],
    terminal: scriptedTerminal(),
    openCluster: (path) => fileAccess(path ?? cibFile),
  })
  return { exitCode, text: `${standardOutput}${standardError}` }
}

test('the plan of files by the nodes of a CIB file: a table, Graphviz, or SVG, for all nodes or those of --on', async () => {
  const table = await plan(site, `--xml-file=${cibFile}`)
  expect(table).toMatchObject({ exitCode: 0 })
  expect(table.text).toMatch(/^facts\.1 +n1, n2 +2 components *$/m)
  expect(table.text).toMatch(/^facts\.2 +on one of n1, n2 +1 component +after facts\.1$/m)
  expect((await plan(site, `--xml-file=${cibFile}`, '--on=role=web')).text).toMatch(/^facts\.1 +n1 +2 components *$/m)
  expect((await plan(site, `--xml-file=${cibFile}`, '--on=n2', '--dot')).text).toContain(
    '"facts.1" [label="facts.1\\nn2"];',
  )
  expect((await plan(site, `--xml-file=${cibFile}`, '--svg')).text).toMatch(/^<svg [\s\S]*<\/svg>\n$/)
  expect((await plan(site, `--xml-file=${cibFile}`, '--dot', '--svg')).exitCode).toBe(1)
  expect((await plan(site, `--xml-file=${cibFile}`, '--on=n7')).text).toContain("There is no node 'n7'.")
})
