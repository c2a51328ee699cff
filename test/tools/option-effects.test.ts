/** An option of Pacemaker's commands that is accepted does something: the answer, the CIB or a file is another with it. What is refused says so. */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { splitShellLine } from '../../src/cli/shell-words.ts'
import { callerFiles } from '../../src/tools/file/caller-files.ts'
import { FileWorld } from '../../src/tools/file/file-world.ts'
import { allTools, runTool } from '../../src/tools/index.ts'
import { TestWorld } from './tool-world.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-tool-effects-'))
const file = join(folder, 'run/cib.xml')
afterAll(() => rmSync(folder, { recursive: true }))
beforeEach(() => clean())

function clean(): void {
  rmSync(join(folder, 'run'), { recursive: true, force: true })
  mkdirSync(join(folder, 'run'))
  copyFileSync(join(import.meta.dirname, 'cases/cluster.xml'), file)
  writeFileSync(join(folder, 'run/other.xml'), readFileSync(file, 'utf8').replace('value="7"', 'value="8"'))
}

/** The option stands behind the bar; what stands before a semicolon is called before it. */
const onFile: readonly string[] = [
  'crm_verify --xml-file FOLDER/cib.xml| --save-xml FOLDER/saved.xml',
  'crm_standby -N alpha -v on| --id my-id',
  'crm_master -r web -N alpha -v 5| --id my-id',
  'crm_master -r web -N alpha -v 5; crm_master -r web -N alpha| --delete',
  'crm_attribute -t crm_config -n nosuch -G| --default 5',
  'crm_resource| --list-standards',
  'crm_resource| --list-agents ocf:pacemaker',
  'crm_resource| --list-ocf-providers',
  'crm_resource| --list-ocf-alternatives Dummy',
  'crm_resource| --show-metadata ocf:pacemaker:Dummy',
  'crm_resource -r web -p x -v 1| --nvpair my-id',
  'crm_resource -r web --ban -N beta -u P1D; crm_resource -r web --clear| --expired',
  'crm_resource -r web -p state -v FOLDER/web.state; crm_resource -r web| --force-start',
  'crm_resource -r web -p state -v FOLDER/web.state; crm_resource -r web| --force-stop',
  'crm_resource -r web -p state -v FOLDER/web.state; crm_resource -r web| --force-promote',
  'crm_resource -r web -p state -v FOLDER/web.state; crm_resource -r web| --force-demote',
  'crm_simulate --simulate --xml-file FOLDER/cib.xml| --op-fail web_start_0@beta=1 --node-down alpha',
  'crm_simulate --simulate --xml-file FOLDER/cib.xml| --ticket-revoke ticketA',
  'crm_simulate --simulate --xml-file FOLDER/cib.xml| --ticket-standby ticketA',
  'crm_simulate --simulate --xml-file FOLDER/cib.xml| --save-dotfile FOLDER/x.dot',
  'crm_simulate --simulate --xml-file FOLDER/cib.xml| --save-input FOLDER/x.in',
  'crm_simulate --simulate --xml-file FOLDER/cib.xml| --save-output FOLDER/x.out',
  'crm_simulate --simulate --xml-file FOLDER/cib.xml --node-down alpha| --in-place',
  'crm_simulate --simulate --xml-file FOLDER/cib.xml| --quiet',
  'crm_simulate --simulate| --xml-file FOLDER/other.xml --show-attrs',
  'crm_simulate| --profile FOLDER',
  'crm_simulate --profile FOLDER| --repeat 2',
  'iso8601| --now',
  "iso8601 -d '2026-11-20 12:00:00Z'| --seconds",
  "iso8601 -d '2026-11-20 12:00:00Z'| --epoch",
  "iso8601 -d '2026-11-20 12:00:00Z'| --ordinal",
  "iso8601 -d '2026-11-20 12:00:00Z'| --week",
  "iso8601 -d '2026-11-20 12:00:00Z'| --expected '2026-11-20 12:00:01Z'",
  'crm_error 1| --exit',
  'cibadmin --query| --show-access',
  'crm_diff --original FOLDER/cib.xml| --new FOLDER/other.xml',
  'crm_rule --check -r r| --xml-text \'<cib><configuration><constraints><rsc_location id="l" rsc="web"><rule id="r" score="1"><date_expression id="d" operation="gt" start="2020-01-01"/></rule></rsc_location></constraints></configuration></cib>\'',
  'crmadmin| --pacemakerd',
  'crmadmin| --status alpha',
  'pacemakerd| --features',
  'stonith_admin| --list-installed',
  'stonith_admin --agent fence_ipmilan| --metadata',
  'stonith_admin --agent fence_dummy| --validate',
  'stonith_admin --agent fence_ipmilan --validate| --option ip=192.0.2.1',
  'crm_mon| --web-cgi',
  'crm_mon| --as-html FOLDER/page.html',
  'crm_mon --as-html FOLDER/page.html| --html-cgi',
  'crm_mon --as-html FOLDER/page.html| --html-title Mine',
  'crm_mon --as-html FOLDER/page.html| --html-stylesheet https://example.org/x.css',
]

async function call(line: string): Promise<string> {
  const [tool = '', ...words] = splitShellLine(line.replaceAll('FOLDER', join(folder, 'run')))
  const reply = await runTool(
    { tool, arguments: words, files: callerFiles(process.env) },
    new FileWorld({ path: file }),
  )
  return `${reply.exitCode}\n${reply.output}\n${reply.errors}`
}

async function play(line: string): Promise<string> {
  clean()
  const steps = line.split('; ')
  for (const step of steps.slice(0, -1)) await call(step)
  const said = await call(steps.at(-1) ?? '')
  const files = readdirSync(join(folder, 'run')).map((name) => {
    const path = join(folder, 'run', name)
    return `${name}: ${statSync(path).isFile() ? readFileSync(path, 'utf8') : ''}`
  })
  return [said, ...files].join('\n').replace(/time: .*/g, '')
}

test.each(onFile)('%s', { timeout: 60_000 }, async (row) => {
  const [common = '', option = ''] = row.split('|')
  const without = await play(common)
  const withIt = await play(common + option)
  expect(withIt).not.toBe(without)
  expect(withIt).not.toMatch(/unknown option|there is no such|[Uu]nrecogni[sz]ed|cannot be read/)
})

test('iso8601 --now --local is in the time zone of the host', async () => {
  const zone = process.env.TZ
  try {
    process.env.TZ = 'Asia/Tokyo'
    expect(await call('iso8601 --now --local')).toContain('+09:00')
  } finally {
    process.env.TZ = zone
  }
})

/** With a node that says what is asked of it. */
const onNode: readonly string[] = [
  'attrd_updater -n a -U 1; attrd_updater -n b -U 1; attrd_updater -D| --pattern ^a',
  'attrd_updater -n a -U 1| --set my-set',
  'crm_node| --cluster-id',
  'corosync-cmapctl| -g totem.cluster_name',
  'corosync-cmapctl -g totem.cluster_name| -q',
  'corosync-quorumtool -s| -H',
  'corosync-cfgtool| -n',
  'crm_resource -r web| --cleanup',
  'crm_resource -r web| --reprobe',
]

test.each(onNode)('%s', async (row) => {
  const [common = '', option = ''] = row.split('|')
  const asked = async (line: string): Promise<string> => {
    const world = new TestWorld()
    const said: string[] = []
    for (const step of line.split('; ')) {
      const [tool = '', ...words] = splitShellLine(step)
      const { exitCode, output, errors } = await runTool({ tool, arguments: words }, world)
      said.push(`${exitCode} ${output} ${errors}`)
    }
    return [...said, ...world.commands, ...world.cleaned, ...world.asked, JSON.stringify([...world.attributes])].join(
      '\n',
    )
  }
  const withIt = await asked(common + option)
  expect(withIt).not.toBe(await asked(common))
  expect(withIt).not.toMatch(/unknown option|there is no such/)
})

const refusals = allTools.flatMap(({ name, options }) =>
  options.flatMap((option) => (option.help.startsWith('Refused: ') ? [{ name, option }] : [])),
)

test.each(refusals)('$name refuses $option.names.0, and says why', async ({ name, option }) => {
  const [first = ''] = option.names
  const written = first.length === 1 ? `-${first}` : `--${first}`
  const words = option.value === 'none' ? [written] : [written, 'x']
  const { exitCode, errors } = await runTool({ tool: name, arguments: words, files: callerFiles({}) }, new TestWorld())
  expect(exitCode).not.toBe(0)
  expect(errors).toMatch(new RegExp(`^${name}: .{20,}`))
})

const undone = allTools.flatMap(({ name, options }) =>
  options.flatMap((option) => (option.ignored === 'told' ? [{ name, option }] : [])),
)

test.each(undone)('$name says that $option.names.0 has no effect', async ({ name, option }) => {
  const [first = ''] = option.names
  const written = first.length === 1 ? `-${first}` : `--${first}`
  const words = option.value === 'none' ? [written] : [written, 'x']
  const { errors } = await runTool({ tool: name, arguments: words, files: callerFiles({}) }, new TestWorld())
  expect(errors).toContain(`${name}: ${written} has no effect here.`)
})
