/** What Pacemaker 3's commands answer on a CIB in a file and 2.1.5's do not, each seen there first. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callerFiles } from '../../src/tools/file/caller-files.ts'
import { replyTo } from '../../src/tools/file/run-command.ts'

const started = (resource: string, node: string): string =>
  `<lrm_resource id="${resource}" class="ocf" provider="pacemaker" type="Dummy"><lrm_rsc_op id="${resource}_last_0" operation_key="${resource}_start_0" operation="start" transition-key="1:1:0:a" transition-magic="0:0;1:1:0:a" on_node="${node}" call-id="2" rc-code="0" op-status="0" interval="0"/></lrm_resource>`
const state = (id: string, node: string, ...resources: readonly string[]): string =>
  `<node_state id="${id}" uname="${node}" in_ccm="true" crmd="online" join="member" expected="member"><lrm id="${id}"><lrm_resources>${resources.map((one) => started(one, node)).join('')}</lrm_resources></lrm></node_state>`

const cib = `<cib validate-with="pacemaker-3.9" epoch="5" num_updates="1" admin_epoch="0" have-quorum="1" dc-uuid="one"><configuration><crm_config/>
<nodes><node id="one" uname="alpha"/><node id="two" uname="beta"/></nodes>
<resources><primitive id="web" class="ocf" provider="pacemaker" type="Dummy"/><primitive id="db" class="ocf" provider="pacemaker" type="Dummy"/><clone id="ping-clone"><primitive id="ping" class="ocf" provider="pacemaker" type="Dummy"/></clone></resources>
<constraints/>
<tags><tag id="one-node"><obj_ref id="two"/></tag><tag id="some"><obj_ref id="web"/><obj_ref id="ping-clone"/></tag><tag id="lost"><obj_ref id="nothing"/></tag></tags>
</configuration><status>${state('one', 'alpha', 'web', 'ping')}${state('two', 'beta', 'db', 'ping')}</status></cib>
`

let folder: string
let path: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-file-answers-'))
  path = join(folder, 'cib.xml')
})
afterAll(() => rmSync(folder, { recursive: true }))

interface Answer {
  readonly code: number
  readonly text: string
  readonly cib: string
}

async function answer(line: string, text: string = cib): Promise<Answer> {
  writeFileSync(path, text)
  const [tool = '', ...words] = line.split(' ')
  const environment = { CIB_file: path }
  const call = { tool, arguments: words, files: callerFiles(environment) }
  const { exitCode, output, errors } = await replyTo(call, environment)
  return { code: exitCode, text: `${output}${errors}`, cib: readFileSync(path, 'utf8') }
}

const epochOf = (text: string): string | undefined => /epoch="(\d+)" num/.exec(text)?.[1]

test("a resource's own element is read, written and emptied as its parameters are", async () => {
  expect((await answer('crm_resource -r web --element -g type')).text).toBe('Dummy\n')
  const set = await answer('crm_resource -r web --element -p description -v words')
  expect([set.code, set.text]).toEqual([0, 'Set attribute: name=description value=words\n'])
  expect(set.cib).toContain('type="Dummy" description="words"')
  // As Pacemaker counts it, though nothing differs.
  const again = await answer('crm_resource -r web --element -p description -v words', set.cib)
  expect(Number(epochOf(again.cib))).toBe(Number(epochOf(set.cib)) + 1)
  const deleted = await answer('crm_resource -r web --element -d description', set.cib)
  expect([deleted.code, deleted.text]).toEqual([0, 'Deleted attribute: description\n'])
  expect(deleted.cib).not.toContain('description')
})

test('what the schema does not let an element have is refused', async () => {
  for (const words of ['-p class -v bogus', '-p nosuch -v x', '-d provider']) {
    const refused = await answer(`crm_resource -r web --element ${words}`)
    expect([words, refused.code, refused.cib]).toEqual([words, 78, cib])
  }
})

test('crm_mon shows the nodes and the resources of a tag', async () => {
  const nodes = await answer('crm_mon -1 --include=none,nodes,resources --node=one-node')
  expect(nodes.text).toContain('Online: [ beta ]')
  expect(nodes.text).toContain('db\t')
  expect(nodes.text).not.toContain('web')
  const resources = await answer('crm_mon -1 --include=none,resources --resource=some')
  expect(resources.text).toContain('web\t')
  expect(resources.text).toContain('Started: [ alpha beta ]')
  expect(resources.text).not.toContain('db')
})

test('crm_mon shows one instance of a clone, and the history of all', async () => {
  const { text } = await answer('crm_mon -1 --include=none,resources,operations --resource=ping:1')
  expect(text).toContain('Started: [ beta ]')
  expect(text).toMatch(/Node: alpha:\n\s+\* ping:/)
  expect(text).toMatch(/Node: beta:\n\s+\* ping:/)
})

test('crm_mon prints nothing for --output-as=none, and bans by the beginning of their ids', async () => {
  expect((await answer('crm_mon -1 --output-as=none')).text).toBe('')
  const banned = await answer('crm_resource -r web --ban -N beta')
  const shown = async (prefix: string): Promise<string> =>
    (await answer(`crm_mon -1 --include=none,bans:${prefix}`, banned.cib)).text
  expect(await shown('cli')).toContain('cli-ban-web-on-beta\tprevents web from running on beta')
  expect(await shown('other')).not.toContain('cli-ban')
})

test('crm_mon refuses a level of fencing and an interval that are none', async () => {
  expect((await answer('crm_mon -1 -m 4')).code).toBe(64)
  expect((await answer('crm_mon -1 -i bogus')).code).toBe(64)
})

test('crm_simulate --node-up makes a node that the CIB does not have', async () => {
  const { code, text } = await answer('crm_simulate -L -S -u gamma')
  expect(code).toBe(0)
  expect(text).toContain('  * Bringing node gamma online\n')
  expect(text).not.toContain('Adding node')
  expect(text).toContain('Online: [ alpha beta gamma ]')
})

test('crm_simulate and crm_resource take no CIB that breaks its schema, and none of an unknown one', async () => {
  const unknown = cib.replace('pacemaker-3.9', 'pacemaker-9.9')
  const broken = cib.replace('<constraints/>', '<constraints/><bogus/>')
  const never = cib.replace('pacemaker-3.9', 'pacemaker-4.7')
  const none = cib.replace('validate-with="pacemaker-3.9"', '')
  // crm_mon ends well all the same, as Pacemaker's.
  for (const text of [unknown, broken, never, none])
    for (const call of ['crm_simulate -L', 'crm_resource -L', 'crm_resource -r web -W', 'crm_mon -1'])
      expect([call, (await answer(call, text)).code]).toEqual([call, call.startsWith('crm_mon') ? 0 : 78])
  expect((await answer('crm_simulate -L', broken.replace('pacemaker-3.9', 'none'))).code).toBe(0)
})

test('a mistake that was there before stands in no way, wherever the change moves it', async () => {
  const { code, cib: after } = await answer('crm_resource -r web --ban -N beta')
  expect(code).toBe(0)
  expect(after).toContain('cli-ban-web-on-beta')
})

test('a ban leaves a preference where it is, and a move is counted as the changes that it is', async () => {
  const preferred = await answer('crm_resource -r web --move -N beta')
  expect(epochOf(preferred.cib)).toBe('6')
  const banned = await answer('crm_resource -r web --ban -N beta', preferred.cib)
  expect(banned.cib).toMatch(/cli-prefer-web[\s\S]*cli-ban-web-on-beta/)
  const moved = await answer('crm_resource -r web --move -N alpha -f', preferred.cib)
  expect(moved.code).toBe(0)
  const cleared = await answer('crm_resource -r web --clear', banned.cib)
  expect(cleared.text).toBe('Removing constraint: cli-prefer-web\nRemoving constraint: cli-ban-web-on-beta\n')
  expect(epochOf(cleared.cib)).toBe('9')
})

test('expired constraints of all resources are cleared without naming one', async () => {
  const ended = cib.replace(
    '<constraints/>',
    '<constraints><rsc_location id="cli-ban-web-on-beta" rsc="web"><rule id="r" score="-INFINITY"><expression id="e" attribute="#uname" operation="eq" value="beta"/><date_expression id="d" operation="lt" end="2020-01-01 00:00:00Z"/></rule></rsc_location></constraints>',
  )
  const { code, text } = await answer('crm_resource --clear --expired', ended)
  expect([code, text]).toEqual([0, 'Removing constraint: cli-ban-web-on-beta\n'])
})

test('--wait ends at once where nothing is left to do', async () => {
  const idle = cib
    .replace(/<resources>.*<\/resources>/s, '<resources/>')
    .replaceAll(/<lrm_resource .*?<\/lrm_resource>/g, '')
  const off =
    '<crm_config><cluster_property_set id="o"><nvpair id="o1" name="stonith-enabled" value="false"/></cluster_property_set></crm_config>'
  expect((await answer('crm_resource --wait', idle.replace('<crm_config/>', off))).code).toBe(0)
  expect((await answer('crm_resource --wait', cib.replace('<crm_config/>', off))).code).toBe(124)
})

test('a node whose resource has lost its ticket is unclean for crm_mon, where the ticket is lost by fencing', async () => {
  const lost = (policy: string, granted: boolean): string =>
    cib
      .replace(
        '<constraints/>',
        `<constraints><rsc_ticket id="t" rsc="web" ticket="T" loss-policy="${policy}"/></constraints>`,
      )
      .replace('<status>', `<status><tickets><ticket_state id="T" granted="${granted}"/></tickets>`)
  const shown = async (text: string): Promise<string> => (await answer('crm_mon -1 -n', text)).text
  expect(await shown(lost('fence', false))).toMatch(/Node alpha: UNCLEAN \(online\):[\s\S]*Node beta: online:/)
  expect(await shown(lost('fence', true))).not.toContain('UNCLEAN')
  expect(await shown(lost('stop', false))).not.toContain('UNCLEAN')
})

test('a failure is of the instance that the history names', async () => {
  const failed = (id: string): string =>
    cib.replace(
      '</lrm_resources>',
      `<lrm_resource id="${id}" class="ocf" provider="pacemaker" type="Dummy"><lrm_rsc_op id="${id}_last_failure_0" operation_key="${id}_migrate_to_0" operation="migrate_to" transition-key="3:1:0:a" transition-magic="0:1;3:1:0:a" on_node="alpha" call-id="9" rc-code="1" op-status="0" interval="0"/></lrm_resource></lrm_resources>`,
    )
  for (const id of ['ping:1', 'ping'])
    expect((await answer('crm_mon -1 --include=none,failures', failed(id))).text).toContain(
      `* ${id} migrate_to on alpha returned`,
    )
})

test('crm_mon --xml-file shows the CIB of a file, without CIB_file and a cluster', async () => {
  writeFileSync(path, cib)
  const call = { tool: 'crm_mon', arguments: ['-1', '--xml-file', path], files: callerFiles({}) }
  const { exitCode, output } = await replyTo(call, { SYSTOLE_TOOLS_SOCKET: '/nonexistent/tools.sock' })
  expect([exitCode, output]).toEqual([0, expect.stringContaining('* web\t(ocf:pacemaker:Dummy):\t Started alpha')])
})

test('crm_report --version and --features say which Pacemaker is spoken for, without a cluster', async () => {
  for (const option of ['--version', '-v', '--features']) {
    const call = { tool: 'crm_report', arguments: [option], files: callerFiles({}) }
    const { exitCode, output } = await replyTo(call, { SYSTOLE_TOOLS_SOCKET: '/nonexistent/tools.sock' })
    expect([exitCode, output]).toEqual([0, expect.stringContaining('Pacemaker 3.0')])
  }
})
