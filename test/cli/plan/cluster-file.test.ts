/** `plan`, `apply` and `export` on a CIB in a file: all three kinds of descriptions, mistakes, secrets, saved plans. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { fileAccess } from '../../../src/cli/access/file-access.ts'
import { realTerminal } from '../../../src/cli/call/terminal.ts'
import { allCommands } from '../../../src/cli/commands/all-commands.ts'
import { type Printed, runLine } from '../../../src/cli/start/run.ts'
import { scriptedTerminal } from '../scripted-terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-plan-'))
const cib = join(folder, 'cib.xml')
const at = (name: string): string => join(folder, name)
const dummy = 'agent: ocf:pacemaker:Dummy'

const start = `<cib validate-with="pacemaker-3.9" admin_epoch="0" epoch="1" num_updates="0" have-quorum="1"><configuration>
<crm_config><cluster_property_set id="o"><nvpair id="o-1" name="stonith-enabled" value="false"/></cluster_property_set></crm_config>
<nodes><node id="1" uname="n1"/><node id="2" uname="n2"/></nodes>
<resources><primitive id="old" class="ocf" provider="pacemaker" type="Dummy"/></resources><constraints/></configuration>
<status>${['1', '2']
  .map(
    (id) =>
      `<node_state id="${id}" uname="n${id}" in_ccm="true" crmd="online" join="member" expected="member"><lrm id="${id}"><lrm_resources/></lrm></node_state>`,
  )
  .join('')}</status></cib>`

const described = `
vars: {vip: 10.0.0.100}
include: [more.yaml]
resources:
  web:
    group:
      ip: {agent: 'ocf:heartbeat:IPaddr2', parameters: {ip: "\${vip}", cidr_netmask: 24}}
      site: {${dummy}, operations: [{name: monitor, interval: 10s}]}
constraints:
  web-on-n1: {location: web, node: n1, score: 100}
`
const more = `
properties: {no-quorum-policy: freeze}
nodes:
  n1: {attributes: {rack: a}}
tags: {all: [web, old]}
`

beforeEach(() => {
  writeFileSync(cib, start)
  writeFileSync(at('cluster.yaml'), described)
  writeFileSync(at('more.yaml'), more)
  writeFileSync(at('pw'), 'geheim1234\n')
})
afterAll(() => rmSync(folder, { recursive: true }))

async function type(...line: readonly string[]): Promise<Printed> {
  return await runLine({
    commands: allCommands,
    line: ['-f', cib, ...line],
    terminal: { ...scriptedTerminal(), writeFile: realTerminal().writeFile },
    openCluster: () => fileAccess(cib),
  })
}

const running = (): string => readFileSync(cib, 'utf8')

test('a plan shows configuration and actions and changes nothing; applied it is so, and twice is once', async () => {
  const planned = await type('plan', at('cluster.yaml'), '--exit-code')
  expect(planned.exitCode).toBe(2)
  expect(planned.standardOutput).toContain('+ resources/group')
  expect(planned.standardOutput).toContain('* start ip on n1')
  expect(planned.standardOutput).toContain('Untouched: old')
  expect(running()).toBe(start)
  expect((await type('apply', at('cluster.yaml'))).exitCode).toBe(0)
  expect(running()).toContain('name="ip" value="10.0.0.100"')
  expect(running()).toContain('name="rack" value="a"')
  const once = running()
  const again = await type('apply', at('cluster.yaml'))
  expect(again.standardOutput).toBe('Nothing to change.\n')
  expect(running()).toBe(once)
  expect((await type('plan', at('cluster.yaml'), '--exit-code')).exitCode).toBe(0)
  writeFileSync(at('more.yaml'), more.replace('freeze', 'stop'))
  expect((await type('apply', at('cluster.yaml'), '--plan')).exitCode).toBe(2)
  expect(running()).toBe(once)
})

test('a variable may be given another value', async () => {
  expect((await type('apply', at('cluster.yaml'), '--var', 'vip=10.0.0.7')).exitCode).toBe(0)
  expect(running()).toContain('name="ip" value="10.0.0.7"')
  const unknown = await type('plan', at('cluster.yaml'), '--var', 'vp=1')
  expect(unknown.standardError).toContain("the file has no variable 'vp'")
})

test('a variable may stand where only some texts fit: what is put in is checked, and a secret is not printed', async () => {
  const file = (agent: string): void =>
    writeFileSync(at('any.yaml'), `vars: {a: ${agent}}\nresources: {x: {agent: "\${a}"}}\n`)
  file('ocf:pacemaker:Dummy')
  expect((await type('apply', at('any.yaml'))).standardError).not.toContain('Error')
  expect(running()).toContain('<primitive id="x" class="ocf" provider="pacemaker" type="Dummy"/>')
  file('dummy')
  const wrong = await type('plan', at('any.yaml'))
  expect(wrong.standardError).toContain(":2: resources.x.agent: 'dummy' is not an agent such as")
  file('{from-file: pw}')
  const secret = await type('plan', at('any.yaml'))
  expect([secret.exitCode, secret.standardError.includes('geheim1234')]).toEqual([1, false])
  expect(secret.standardError).toContain(':2: resources.x.agent: The secret that stands here is not such a value.')
})

test('only with --prune goes what the file does not name, and never in sections that it has not', async () => {
  writeFileSync(at('own.yaml'), `resources: {web: {${dummy}}}\n`)
  await type('apply', at('own.yaml'))
  expect(running()).toContain('id="old"')
  const planned = await type('plan', at('own.yaml'), '--prune')
  expect(planned.standardOutput).toContain("- resources/primitive[@id='old']")
  await type('apply', at('own.yaml'), '--prune')
  expect(running()).not.toContain('id="old"')
  expect(running()).toContain('stonith-enabled')
})

test('a secret is read from a file, applied, and never printed', async () => {
  writeFileSync(at('secret.yaml'), `resources: {f: {${dummy}, parameters: {fake: {from-file: pw}}}}\n`)
  const planned = await type('plan', at('secret.yaml'))
  const json = await type('plan', at('secret.yaml'), '--json')
  expect(planned.standardOutput).toContain('******')
  expect(planned.standardOutput + json.standardOutput).not.toContain('geheim1234')
  await type('apply', at('secret.yaml'))
  expect(running()).toContain('value="geheim1234"')
})

test('the secret that another one replaces is not printed either, nor is one in a refusal', async () => {
  writeFileSync(at('secret.yaml'), `resources: {f: {${dummy}, parameters: {fake: {from-file: pw}}}}\n`)
  await type('apply', at('secret.yaml'))
  writeFileSync(at('pw'), 'another5678\n')
  const planned = await type('plan', at('secret.yaml'))
  expect(planned.standardOutput).toContain('******')
  expect(planned.standardOutput).not.toMatch(/geheim1234|another5678/)
  writeFileSync(at('secret.yaml'), `resources: {f: {${dummy}, meta: {target-role: {from-file: pw}}}}\n`)
  const refused = await type('plan', at('secret.yaml'))
  expect(refused.exitCode).toBe(1)
  expect(refused.standardError).toContain('******')
  expect(refused.standardError).not.toContain('another5678')
})

test('lines of commands are a change, and the second time what they describe', async () => {
  const lines = `#!/bin/sh
# sets up the web
pcs resource create web ocf:pacemaker:Dummy \\
  op monitor interval=10s
pcs -f x.xml constraint location web prefers n1=50
`
  writeFileSync(at('setup.sh'), lines)
  expect((await type('plan', at('setup.sh'))).standardOutput).toContain('start web on n1')
  expect((await type('apply', at('setup.sh'))).exitCode).toBe(0)
  const once = running()
  const again = await type('apply', at('setup.sh'))
  expect(again.standardError).toBe('')
  expect(again.standardOutput).toBe('Nothing to change.\n')
  expect(running()).toBe(once)
  writeFileSync(at('setup.sh'), `${lines}pcs resource creat x\n`)
  expect((await type('apply', at('setup.sh'))).standardError).toContain(`${at('setup.sh')}:6: `)
  expect(running()).toBe(once)
})

test('CIB XML is applied by its elements', async () => {
  writeFileSync(at('part.xml'), '<configuration><tags><tag id="t"><obj_ref id="old"/></tag></tags></configuration>')
  expect((await type('apply', at('part.xml'))).exitCode).toBe(0)
  expect(running()).toContain('<tag id="t">')
  expect(running()).toContain('<primitive id="old"')
})

test('a saved plan is applied as it was shown, or not at all', async () => {
  await type('plan', at('cluster.yaml'), `--out=${at('friday.plan')}`)
  await type('resource', 'disable', 'old')
  const other = running()
  const refused = await type('apply', at('friday.plan'))
  expect(refused.exitCode).toBe(1)
  expect(refused.standardError).toContain('The configuration has changed since')
  expect(running()).toBe(other)
  await type('plan', at('cluster.yaml'), `--out=${at('friday.plan')}`)
  writeFileSync(cib, running().replace(/<node_state id="1"[\s\S]*?<\/node_state>/, ''))
  expect((await type('apply', at('friday.plan'))).standardError).toContain('the plan said')
  await type('plan', at('cluster.yaml'), `--out=${at('friday.plan')}`)
  expect((await type('apply', at('friday.plan'))).exitCode).toBe(0)
  expect(running()).toContain('id="web"')
})

test('apply refuses a saved plan that other users can write', async () => {
  await type('plan', at('cluster.yaml'), `--out=${at('open.plan')}`)
  const before = running()
  chmodSync(at('open.plan'), 0o666)
  expect((await type('apply', at('open.plan'))).standardError).toContain('can be written by other users')
  expect(running()).toBe(before)
  chmodSync(at('open.plan'), 0o600)
  expect((await type('apply', at('open.plan'))).exitCode).toBe(0)
})

test('a cluster has 500 services and a resource 20, and no command creates another one', async () => {
  const declare = (resource: number, services: number): string => {
    const pairs = Array.from({ length: services }, (_, at) => `s${resource}-${at}`).map(
      (name) => `<nvpair id="${name}" name="systole-service-${name}" value="port=80"/>`,
    )
    return `<primitive id="r${resource}" class="ocf" provider="pacemaker" type="Dummy"><meta_attributes id="m${resource}">${pairs.join('')}</meta_attributes></primitive>`
  }
  const declaring = (services: readonly number[]): void =>
    writeFileSync(
      cib,
      start.replace('<resources>', `<resources>${services.map((one, at) => declare(at, one)).join('')}`),
    )
  const full = Array.from({ length: 24 }, () => 20)
  declaring([...full, 19])
  const create = async (resource: string) => await type('service', 'create', `of-${resource}`, resource, 'port=81')
  expect((await create('r0')).standardError).toContain('r0 declares 20 services, which is the limit')
  expect((await create('old')).exitCode).toBe(0)
  const before = running()
  expect((await create('r24')).standardError).toContain('The cluster has 500 services, which is the limit')
  expect(running()).toBe(before)
})

test('an export without secrets names the variables that it needs, and with them it changes nothing', async () => {
  await type('stonith', 'create', 'fence', 'fence_ipmilan', 'password=geheim1234', '--force')
  const { standardOutput } = await type('export')
  expect(standardOutput).not.toContain('geheim1234')
  expect(standardOutput).toContain('from-env: SECRET_1')
  writeFileSync(at('whole.yaml'), standardOutput)
  expect((await type('apply', at('whole.yaml'))).standardError).toContain('The environment has no variable SECRET_1')
  await type('export', at('open.yaml'), '--show-secrets')
  expect((await type('apply', at('open.yaml'), '--prune')).standardOutput).toBe('Nothing to change.\n')
})

test('a plan and an export with secrets are for nobody but their owner, also over a file that others could read', async () => {
  const mode = (name: string): number => statSync(at(name)).mode & 0o777
  await type('plan', at('cluster.yaml'), `--out=${at('new.plan')}`)
  writeFileSync(at('known.plan'), 'old')
  writeFileSync(at('known.yaml'), 'old')
  for (const name of ['known.plan', 'known.yaml']) chmodSync(at(name), 0o644)
  await type('plan', at('cluster.yaml'), `--out=${at('known.plan')}`)
  await type('export', at('known.yaml'), '--show-secrets')
  expect([mode('new.plan'), mode('known.plan'), mode('known.yaml')]).toEqual([0o600, 0o600, 0o600])
  expect((await type('apply', at('known.plan'))).exitCode).toBe(0)
})

test('apply has the facts of the plan as JSON', async () => {
  const { standardOutput } = await type('apply', at('cluster.yaml'), '--json')
  const facts = JSON.parse(standardOutput) as Readonly<Record<string, unknown>>
  for (const name of ['message', 'version', 'changes', 'actions', 'leftStopped', 'untouched', 'interruptions', 'kept'])
    expect(Object.keys(facts)).toContain(name)
})

const mistakes: readonly (readonly [string, string])[] = [
  ['resources:\n  web:\n    agnt: x\n', ':3: resources.web.agnt: There is no field'],
  ['resources:\n  web:\n    agent: Dummy\n', ':3: resources.web.agent: '],
  ['resources:\n  web: {}\n', ':2: resources.web: Specify one of agent'],
  [`resources:\n  web: {${dummy}, group: {}}\n`, ':2: resources.web: Specify one of'],
  ['resources:\n  web: {group: {}}\n', ':2: resources.web.group: There is no resource in it.'],
  [
    `resources:\n  web: {clone: {a: {${dummy}}, b: {${dummy}}}}\n`,
    ':2: resources.web.clone: Specify a map of one resource',
  ],
  ['resources: [a]\n', ':1: resources: A list is not a map of resources'],
  [`resources:\n  1web: {${dummy}}\n`, ':2: resources.1web: '],
  [`resources:\n  web: {${dummy}, parameters: {a: [1]}}\n`, ':2: resources.web.parameters.a: A list is neither'],
  [
    `resources:\n  web: {${dummy}, operations: [{interval: 10s}]}\n`,
    ":2: resources.web.operations[0]: The field 'name' is missing.",
  ],
  [`resources:\n  web:\n    ${dummy}\n    meta: {target-role: Strted}\n`, ':2: resources.web: '],
  ['resources:\n  web: {xml: "<primitive"}\n', ':2: resources.web.xml: This is not well-formed XML'],
  ['resources:\n  web: {xml: "<primitive id=\'other\'/>"}\n', ":2: resources.web.xml: The XML is of 'other'"],
  ['constraints:\n  c: {node: n1}\n', ':2: constraints.c: Specify what it is'],
  ['constraints:\n  c: {location: old, node: n1}\n', ":2: constraints.c: The field 'score' is missing."],
  [
    'constraints:\n  c: {location: old, with: old, node: n1, score: 1}\n',
    ":2: constraints.c.with: A location has no field 'with'",
  ],
  ['constraints:\n  c: {location: nothing, node: n1, score: 1}\n', ':2: constraints.c: '],
  ['constraints:\n  c: {location: old, node: n1, score: many}\n', ':2: constraints.c: '],
  [
    'constraints:\n  c: {location: old, rules: [{when: rack is a}]}\n',
    ":2: constraints.c.rules[0].when: 'is' is not a comparison",
  ],
  ['constraints:\n  c: {colocation: old}\n', ":2: constraints.c: The field 'with' is missing."],
  ['constraints:\n  c: {order: old}\n', ":2: constraints.c: The field 'then' is missing."],
  ['nodes:\n  n9: {attributes: {a: 1}}\n', ":2: nodes.n9: There is no node 'n9'"],
  ['properties:\n  no-quorum-policy: stp\n', "'stp'"],
  [`properties:\n  a: "\${b}"\n`, ":2: properties.a: There is no variable 'b'"],
  ['properties:\n  a: {from-file: nothing}\n', ':2: properties.a: The secret cannot be read'],
  ['properties:\n  a: {from-env: NOT_SET_ANYWHERE}\n', ':2: properties.a: The environment has no variable'],
  ['include: [nothing.yaml]\n', ":1: include[0]: 'nothing.yaml' cannot be read"],
  ['include: [wrong.yaml]\n', ":1: include[0]: 'wrong.yaml' includes itself."],
  ['include: [more.yaml]\ntags:\n  all: [old]\n', 'more.yaml:5: tags.all: It is in '],
  ['a: b: c\n', ':1: '],
  ['tags:\n  t: [old]\n  t: [old]\n', ':3: '],
  ['- a\n', ':1: The file is not a map'],
  ['xml:\n  tags: <acls/>\n', ':2: xml.tags: This is <acls>, not <tags>.'],
  ['xml:\n  tagz: <tags/>\n', ":2: xml.tagz: There is no field 'tagz'"],
  ['fencing-levels:\n  l: {level: 1, devices: [old]}\n', ':2: fencing-levels.l: Specify one of node'],
  ['acls:\n  roles:\n    r: {permissions: [{kind: look}]}\n', ":3: acls.roles.r.permissions[0].kind: 'look' is not"],
]
test.each([
  [
    'variables of variables',
    `vars:\n  a0: xxxxxxxxxx\n${Array.from({ length: 7 }, (_, at) => `  a${at + 1}: "${`\${a${at}}`.repeat(10)}"\n`).join('')}`,
  ],
  ['a long variable, often', `vars: {a: ${'x'.repeat(60_000)}}\nproperties:\n  b: "${`\${a}`.repeat(1000)}"\n`],
  [
    'a long secret, often',
    `resources:\n${Array.from({ length: 100 }, (_, at) => `  r${at}: {${dummy}, parameters: {fake: {from-file: long}}}\n`).join('')}`,
  ],
])('a small file that means an endless one is refused before it takes the memory: %s', async (_, text) => {
  writeFileSync(at('long'), 'x'.repeat(100_000))
  writeFileSync(at('cluster.yaml'), text)
  const { exitCode, standardError } = await type('plan', at('cluster.yaml'))
  expect(exitCode).toBe(1)
  expect(standardError).toContain('the values have more than 8 MiB')
})

test.each(mistakes)('%j is refused with its line and field, and nothing is changed', async (text, sentence) => {
  writeFileSync(at('wrong.yaml'), text)
  const { exitCode, standardError } = await type('apply', at('wrong.yaml'))
  expect(standardError).toContain(sentence)
  expect(exitCode).toBe(1)
  expect(running()).toBe(start)
})
