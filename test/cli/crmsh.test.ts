/** `configure show` writes crmsh's words, and `configure load` reads them back. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { parseXml, sameConfiguration, type XmlElement } from '../../src/cib/index.ts'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { type Printed, runLine } from '../../src/cli/start/run.ts'
import { crmshRoundTrip } from './crmsh-round-trip.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

const written = `node 1: n1 \\
	attributes rack=a
node 2: n2
primitive vip ocf:heartbeat:IPaddr2 \\
	params ip=10.0.0.1 \\
	meta target-role=Started \\
	op monitor interval=10s timeout=20s
primitive web systemd:nginx \\
	utilization cpu=1
group front vip web \\
	meta priority=5
primitive db ocf:heartbeat:pgsql description="It \\"is\\" the main one" \\
	params pgdata="/var/lib/my data" \\
	op monitor interval=10s role=Promoted \\
	op monitor interval=11s OCF_CHECK_LEVEL=10
clone db-clone db \\
	meta promotable=true promoted-max=1
location l1 front 100: n1
location l2 db-clone role=Promoted -inf: n2
location l3 front \\
	rule -inf: cpu number:lt 4 or not_defined rack
colocation c1 inf: front db-clone:Promoted
order o1 Mandatory: db-clone:promote front:start symmetrical=false
tag all: front db-clone
property cib-bootstrap-options: \\
	no-quorum-policy=freeze
rsc_defaults rsc-options: \\
	resource-stickiness=100
`

const folder = mkdtempSync(join(tmpdir(), 'systole-crmsh-'))
const file = join(folder, 'cib.xml')
const saved = join(folder, 'saved.crm')
const empty =
  '<cib validate-with="pacemaker-3.9"><configuration><crm_config/><nodes/><resources/><constraints/></configuration><status/></cib>'

beforeEach(() => writeFileSync(file, empty))
afterAll(() => rmSync(folder, { recursive: true }))

async function type(line: readonly string[]): Promise<Printed> {
  return await runLine({
    commands: allCommands,
    line,
    terminal: scriptedTerminal(),
    openCluster: () => fileAccess(file),
  })
}

async function load(text: string, ...method: readonly string[]): Promise<Printed> {
  writeFileSync(saved, text)
  return await type(['configure', 'load', ...method, saved])
}

function cib(text = readFileSync(file, 'utf8')): XmlElement {
  const parsed = parseXml(text)
  if (!parsed.ok) throw new Error('no XML')
  return parsed.value
}

test('what was read is shown in the same words', async () => {
  const loaded = await load(written)
  expect(loaded.standardError).toBe('')
  expect((await type(['configure', 'show'])).standardOutput).toBe(written)
})

test('an update changes what it names, adds what is new, and leaves the rest', async () => {
  await load(written)
  const update = `primitive web systemd:apache2
primitive log ocf:heartbeat:Dummy
group front vip log web
location l1 front 50: n1
`
  expect((await load(update, 'update')).standardError).toBe('')
  const { standardOutput } = await type(['configure', 'show', 'front', 'web', 'l1', 'db'])
  expect(standardOutput).toContain('group front vip log web\n')
  expect(standardOutput).toContain('primitive web systemd:apache2\n')
  expect(standardOutput).toContain('location l1 front 50: n1\n')
  expect(standardOutput).toContain('primitive db ocf:heartbeat:pgsql')
})

test('a load that replaces leaves nothing else but the nodes', async () => {
  await load(written)
  expect((await load('primitive alone ocf:heartbeat:Dummy\n', 'replace')).standardError).toBe('')
  const { standardOutput } = await type(['configure', 'show'])
  expect(standardOutput).toBe('node 1: n1 \\\n\tattributes rack=a\nnode 2: n2\nprimitive alone ocf:heartbeat:Dummy\n')
})

const older = [
  { says: 'ms m db meta master-max=1', shows: 'clone m db \\\n\tmeta promotable=true promoted-max=1' },
  { says: 'order o 0: db front', shows: 'order o Optional: db front' },
  { says: 'colocation c -inf: front db:Slave', shows: 'colocation c -inf: front db:Unpromoted' },
]
test.each(older)('the older words "$says" are read', async ({ says, shows }) => {
  await load('primitive db ocf:heartbeat:pgsql\nprimitive w ocf:heartbeat:Dummy\ngroup front w\n')
  expect((await load(`${says}\n`)).standardError).toBe('')
  expect((await type(['configure', 'show'])).standardOutput).toContain(shows)
})

const mistakes = [
  { says: 'primitiv x ocf:heartbeat:Dummy', sentence: /'primitiv' does not begin a statement/ },
  { says: 'primitive x', sentence: /Expected an agent/ },
  { says: 'group g', sentence: /come its members/ },
  { says: 'group g nothing', sentence: /no resource 'nothing'/ },
  { says: 'location l web n1', sentence: /<score>: <node>/ },
  { says: 'location l web rule #uname eq n1', sentence: /begins with its score/ },
  { says: 'colocation c inf: a', sentence: /Expected/ },
  { says: 'order o Mandatory: a', sentence: /Expected/ },
  { says: 'order o Mandatory: a b', sentence: /'a'/ },
  { says: 'xml <primitive', sentence: /not well-formed/ },
  { says: 'primitive x ocf:heartbeat:Dummy params "a=b', sentence: /quote/ },
]
test.each(mistakes)('"$says" is refused, and nothing is changed', async ({ says, sentence }) => {
  const printed = await load(`primitive fine ocf:heartbeat:Dummy\n${says}\n`)
  expect(printed.exitCode).not.toBe(0)
  expect(printed.standardError).toMatch(sentence)
  expect(sameConfiguration(cib(), cib(empty))).toBe(true)
})

const cases = resolve(import.meta.dirname, '../../../shared/pacemaker-scheduler/xml')
describe.skipIf(!existsSync(cases))('the scheduler’s cases', () => {
  test('all come back from crmsh’s words as they were', () => {
    const different = readdirSync(cases)
      .filter((name) => name.endsWith('.xml'))
      .filter((name) => {
        const parsed = parseXml(readFileSync(join(cases, name), 'utf8'))
        return parsed.ok && !crmshRoundTrip(parsed.value).same
      })
    expect(different).toEqual([])
  }, 120_000)
})
test.runIf(!existsSync(cases))(`the cases in ${cases}`, ({ skip }) => skip(`${cases} is not there`))
