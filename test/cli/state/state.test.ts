/** `systole state`: what a DC kept is saved, decided again and compared. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parametersDigest, parseXml, type XmlElement } from '../../../src/cib/index.ts'
import { fileAccess } from '../../../src/cli/access/file-access.ts'
import { splitShellLine } from '../../../src/cli/call/shell-words.ts'
import { allCommands } from '../../../src/cli/commands/all-commands.ts'
import { md5 } from '../../../src/cli/host/md5.ts'
import { runLine } from '../../../src/cli/start/run.ts'
import { plan } from '../../../src/daemon/planner/plan.ts'
import { saveInput } from '../../../src/daemon/planner/saved-inputs.ts'
import { writeCallersFile } from '../../../src/tools/index.ts'
import { decisionText, printDecision, recordedPlan } from '../../../src/transition/index.ts'
import { scriptedTerminal } from '../scripted-terminal.ts'

const formerRoot = process.env.SYSTOLE_ROOT
let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-state-'))
  process.env.SYSTOLE_ROOT = folder
  writeFileSync(join(folder, 'cib.xml'), text)
})
afterEach(() => {
  rmSync(folder, { recursive: true })
  if (formerRoot === undefined) delete process.env.SYSTOLE_ROOT
  else process.env.SYSTOLE_ROOT = formerRoot
})

const op = (id: string, key: string, rest: string): string =>
  `<lrm_rsc_op id="${id}" operation_key="${key}" crm-debug-origin="x" call-id="3" rc-code="0" op-status="0" interval="0" on_node="n1" ${rest}/>`
const nodeState = (name: string, inside = ''): string =>
  `<node_state id="${name}" uname="${name}" in_ccm="true" crmd="online" join="member" expected="member"><lrm id="${name}"><lrm_resources>${inside}</lrm_resources></lrm></node_state>`

/** db runs on n1; web is to start after it. */
const text = `<cib crm_feature_set="3.19.0" validate-with="pacemaker-3.9" epoch="7" num_updates="0" admin_epoch="0" have-quorum="1">
<configuration>
<crm_config><cluster_property_set id="o"><nvpair id="o-s" name="stonith-enabled" value="false"/></cluster_property_set></crm_config>
<nodes><node id="n1" uname="n1"/><node id="n2" uname="n2"/></nodes>
<resources>
<primitive id="db" class="ocf" provider="heartbeat" type="Dummy"><instance_attributes id="db-i"><nvpair id="db-p" name="passwd" value="hunter2-secret"/></instance_attributes></primitive>
<primitive id="web" class="ocf" provider="heartbeat" type="Dummy"/>
</resources>
<constraints>
<rsc_order id="db-web" first="db" then="web"/>
<rsc_location id="at-night" rsc="web"><rule id="r" score="-INFINITY" boolean-op="and"><date_expression id="d" operation="date_spec"><date_spec id="ds" hours="0-5"/></date_expression><expression id="e" attribute="#uname" operation="eq" value="n2"/></rule></rsc_location>
<rsc_location id="web-n2" rsc="web" node="n2" score="100"/>
</constraints>
</configuration>
<status>${nodeState('n1', `<lrm_resource id="db" class="ocf" provider="heartbeat" type="Dummy">${op('db_last_0', 'db_start_0', 'operation="start" op-digest="0123456789abcdef0123456789abcdef" last-run="5" last-rc-change="5" transition-key="1:1:0:x" transition-magic="0:0;1:1:0:x"')}</lrm_resource>`)}${nodeState('n2')}</status>
</cib>`

function parsed(): XmlElement {
  const read = parseXml(text)
  if (!read.ok) throw new Error('the CIB of this test is malformed')
  return read.value
}

const noon = Date.UTC(2026, 10, 20, 12) / 1000
const night = Date.UTC(2026, 10, 20, 3) / 1000

/** As the planner thread of a DC does it. */
async function keptByDc(now = noon, options: ReadonlyMap<string, string> = new Map()): Promise<string> {
  const { planned } = plan(parsed(), { now })
  const decided = { version: '0.0.1', utcOffset: 0, plan: recordedPlan(planned.graph) }
  const kept = join(folder, 'var/lib/systole/pengine')
  const file = await saveInput(parsed(), { folder: kept, series: 'pe-input', now, options, decided })
  utimesSync(file ?? '', now, now + 0.4)
  return file ?? ''
}

async function typed(line: string): Promise<{ readonly said: string; readonly exitCode: number }> {
  const terminal = {
    ...scriptedTerminal(),
    writeFile: (path: string, content: string, how = {}) => Promise.resolve(writeCallersFile(path, content, how)),
  }
  const { standardOutput, standardError, exitCode } = await runLine({
    commands: allCommands,
    line: splitShellLine(line.replaceAll('FOLDER', folder)),
    terminal,
    openCluster: (other) => fileAccess(other ?? join(folder, 'cib.xml')),
  })
  return { said: `${standardOutput}${standardError}`.replaceAll(folder, 'FOLDER'), exitCode }
}

const saved = (): string => readFileSync(join(folder, 'saved.xml'), 'utf8')

test('a decision of the DC is saved for its owner alone, and decided again as it was', async () => {
  await keptByDc()
  expect((await typed('state list')).said).toMatch(/^Decision +Time\npe-input-0 +2026-11-20.12:00:00/)
  writeFileSync(join(folder, 'saved.xml'), '')
  chmodSync(join(folder, 'saved.xml'), 0o644)
  const { said } = await typed('state save pe-input-0 FOLDER/saved.xml')
  expect(said).toContain('It contains the secrets of the configuration.')
  expect(saved()).toContain('hunter2-secret')
  expect(statSync(join(folder, 'saved.xml')).mode & 0o777).toBe(0o600)
  const again = await typed('state replay FOLDER/saved.xml --show-plan')
  expect(again.said).toMatch(/: the same as decided then by version 0\.0\.1\.\nPlan:\n/)
  expect(again.said).toContain('  web_start_0 n2 after ')
  expect(again.exitCode).toBe(0)
  expect((await typed('state replay FOLDER/var/lib/systole/pengine/pe-input-0.gz')).exitCode).toBe(0)
})

test('another version that decides otherwise is seen: what is missing, what is new, and what waits for what', async () => {
  await keptByDc()
  await typed('state save pe-input-0 FOLDER/saved.xml')
  const then = JSON.parse(decisionText(saved()) ?? '')
  const withPlan = (change: (one: { name: string; after: string[] }) => unknown): void => {
    const plan = then.plan.flatMap(change)
    writeFileSync(
      join(folder, 'other.xml'),
      `${text.replace('<cib ', `<cib execution-date="${noon}" `)}${printDecision({ ...then, plan })}`,
    )
  }
  withPlan((one) => (one.name === 'web_start_0 n2' ? { ...one, name: 'web_start_0 n1' } : one))
  const moved = await typed('state replay FOLDER/other.xml')
  expect(moved.said).toContain('  - web_start_0 n1\n  + web_start_0 n2\n')
  expect(moved.exitCode).toBe(1)
  withPlan((one) => (one.name === 'web_start_0 n2' ? { ...one, after: [] } : one))
  expect((await typed('state replay FOLDER/other.xml')).said).toMatch(
    /web_start_0 n2: now waits for web_monitor_0 n[12]/,
  )
  const facts = JSON.parse((await typed('state replay FOLDER/other.xml --json')).said)
  expect(facts).toMatchObject({ same: false, recordedVersion: '0.0.1', differences: { missing: [], added: [] } })
})

/** Written by version 0.1.0 itself, of 2026-11-27. */
test('what version 0.1.0 saved is decided again: the same plan, and without the start that a gate forbids since', async () => {
  const files = join(import.meta.dirname, 'of-0.1.0')
  expect(await typed(`state replay ${files}/same.xml`)).toMatchObject({
    said: 'Decision of 2026-11-28 07:28:47 UTC.\n6 actions: the same as decided then by version 0.1.0.\n',
    exitCode: 0,
  })
  const other = await typed(`state replay ${files}/before-gates.xml`)
  expect(other.said).toMatch(/The plan of version \S* ?differs from that of version 0\.1\.0:\n {2}- web_start_0 n2\n$/)
  expect(other.exitCode).toBe(1)
  const { differences } = JSON.parse((await typed(`state replay ${files}/before-gates.xml --json`)).said)
  expect(differences).toEqual({ missing: ['web_start_0 n2'], added: [], otherOrder: [] })
})

test('another build of the same version is named as such', async () => {
  await keptByDc()
  await typed('state save pe-input-0 FOLDER/saved.xml')
  const then = JSON.parse(decisionText(saved()) ?? '')
  const version = process.env.SYSTOLE_VERSION ?? ''
  const decided = printDecision({ ...then, version, plan: then.plan.slice(1) })
  writeFileSync(join(folder, 'other.xml'), `${text.replace('<cib ', `<cib execution-date="${noon}" `)}${decided}`)
  const { said, exitCode } = await typed('state replay FOLDER/other.xml')
  expect(said).toContain(
    `The plan of this build of version ${version} differs from that of the build that decided then:\n  + `,
  )
  expect(exitCode).toBe(1)
})

test('rules are judged by the time of the decision, whenever it is decided again', async () => {
  await keptByDc(night)
  await keptByDc(noon)
  for (const [time, place] of [
    ['2026-11-20 11:59:59Z', 'n1'],
    ['2026-11-20 12:00:00Z', 'n2'],
  ]) {
    await typed(`state save "${time}" FOLDER/saved.xml`)
    const { said, exitCode } = await typed('state replay FOLDER/saved.xml --show-plan')
    expect([time, exitCode, said.includes(`web_start_0 ${place}`)]).toEqual([time, 0, true])
  }
  const early = await typed('state save "2026-11-20 02:00:00Z" FOLDER/saved.xml')
  expect(early.said).toContain('There is no decision up to 2026-11-20')
})

test('without secrets neither the value nor what is made of it is in the file, and the plan is the same', async () => {
  await keptByDc()
  const { said } = await typed('state save pe-input-0 FOLDER/saved.xml --without-secrets')
  expect(said).toContain('Secret values are hidden in it.')
  expect(said).not.toContain('another plan')
  expect(saved()).not.toMatch(/hunter2|0123456789abcdef/)
  expect((await typed('state replay FOLDER/saved.xml')).exitCode).toBe(0)
})

test('a digest that agreed with the secret agrees with the stars: db runs on, and did before', async () => {
  const digest = parametersDigest({ passwd: 'hunter2-secret' }, md5)
  const withDigest = text.replace('0123456789abcdef0123456789abcdef', `${digest}" op-restart-digest="${digest}`)
  writeFileSync(join(folder, 'cib.xml'), withDigest)
  const { said } = await typed('state save FOLDER/saved.xml --without-secrets')
  expect(said).not.toContain('another plan')
  expect(saved()).not.toMatch(new RegExp(`hunter2|${digest}`))
  const plan = (await typed('state replay FOLDER/saved.xml --show-plan')).said
  expect(plan).toContain('the same as decided then')
  expect(plan).not.toContain('db_stop_0')
  writeFileSync(join(folder, 'cib.xml'), text)
  await typed('state save FOLDER/other.xml')
  expect((await typed('state replay FOLDER/other.xml --show-plan')).said).toContain('db_stop_0 n1')
})

test('the state of now needs no earlier decision', async () => {
  await typed('state save FOLDER/saved.xml')
  expect(saved()).toContain(`execution-date="${noon}"`)
  expect((await typed('state replay FOLDER/saved.xml')).said).toContain('the same as decided then')
  expect((await typed('simulate --xml-file FOLDER/saved.xml --run')).said).toContain('Start      web')
})

test('an input of Pacemaker has no plan to compare with, and is decided all the same', async () => {
  writeFileSync(join(folder, 'other.xml'), text.replace('<cib ', `<cib execution-date="${noon}" `))
  const { said, exitCode } = await typed('state replay FOLDER/other.xml --show-plan')
  expect(said).toContain('contains no plan to compare with')
  expect(said).toContain('web_start_0 n2')
  expect(exitCode).toBe(1)
})

const dated = text.replace('<cib ', `<cib execution-date="${noon}" `)
test.each([
  ['state replay FOLDER/other.xml', 'x', 'not well-formed XML'],
  ['state replay FOLDER/other.xml', '<nodes/>', 'holds <nodes>, not a CIB'],
  ['state replay FOLDER/other.xml', text, 'does not say when its decision was made'],
  ['state replay FOLDER/other.xml', `${dated}<!-- systole-decision {} -->`, 'is damaged'],
  [
    'state replay FOLDER/other.xml',
    `${dated}<!-- systole-decision {"version":"1","utcOffset":0,"plan":[7]} -->`,
    'is damaged',
  ],
  ['state replay FOLDER/other.xml', `${dated}<!-- systole-decision {"version":"1","utcOffset":1e9} -->`, 'is damaged'],
  ['state replay FOLDER/other.xml', `${dated}<!-- systole-decision [ -->`, 'is damaged'],
  [
    'state replay FOLDER/other.xml',
    text.replace('<cib ', '<cib execution-date="9007199254740991" '),
    'does not say when its decision was made',
  ],
  ['state replay FOLDER/none.xml', '', 'cannot be read'],
  ['state replay', '', 'Usage: systole state replay <file>'],
  ['state save pe-input-9 FOLDER/saved.xml', '', "The decision 'pe-input-9' is not on this host"],
  ['state save yesterday FOLDER/saved.xml', '', "'yesterday' is neither a decision such as pe-input-7 nor a date"],
  ['state replay FOLDER/cib.xml -f FOLDER/cib.xml', '', 'Omit -f'],
])('%s of %j is refused', async (line, content, sentence) => {
  if (content !== '') writeFileSync(join(folder, 'other.xml'), content)
  const { said, exitCode } = await typed(line)
  expect(said).toContain(sentence)
  expect(exitCode).toBe(1)
})

test('a host that was never the DC says so, and a folder that cannot be read is named', async () => {
  expect((await typed('state list')).said).toContain('This host keeps no decisions')
  mkdirSync(join(folder, 'var/lib/systole'), { recursive: true })
  writeFileSync(join(folder, 'var/lib/systole/pengine'), '')
  expect((await typed('state list')).said).toContain('cannot be read')
})
