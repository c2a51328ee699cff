import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

/** A move does what it says, or says that it will not. A CIB in a file with a status is moved in like a running one. */
const folder = mkdtempSync(join(tmpdir(), 'systole-move-'))
const file = join(folder, 'cib.xml')
afterAll(() => rmSync(folder, { recursive: true }))

/** `vip` runs on n1; `web` runs on n1 and n2 as a clone. */
function cib(constraints: string): string {
  const ran = (resource: string, type: string, node: string) =>
    `<lrm_resource id="${resource}" class="ocf" provider="pacemaker" type="${type}"><lrm_rsc_op id="${resource}_last_0"
     operation_key="${resource}_start_0" operation="start" transition-key="4:1:0:6e1e2ba0-27a8-4a71-9d32-000000000001"
     transition-magic="0:0;4:1:0:6e1e2ba0-27a8-4a71-9d32-000000000001" call-id="1" rc-code="0" op-status="0" interval="0" op-digest="f2317cad3d54cec5d7d7aa7d0bf35cf8" on_node="${node}"/></lrm_resource>`
  const node = (id: number, ...resources: readonly string[]) =>
    `<node_state id="${id}" uname="n${id}" in_ccm="true" crmd="online" join="member" expected="member">
     <lrm id="${id}"><lrm_resources>${resources.map((resource) => ran(resource, 'Dummy', `n${id}`)).join('')}</lrm_resources></lrm></node_state>`
  return `<cib crm_feature_set="3.19.0" validate-with="pacemaker-3.9" epoch="5" num_updates="0" admin_epoch="0" have-quorum="1" dc-uuid="1">
  <configuration>
    <crm_config><cluster_property_set id="options"><nvpair id="options-fencing" name="stonith-enabled" value="false"/></cluster_property_set></crm_config>
    <nodes><node id="1" uname="n1"/><node id="2" uname="n2"/></nodes>
    <resources>
      <primitive id="vip" class="ocf" provider="pacemaker" type="Dummy"/>
      <clone id="web-clone"><primitive id="web" class="ocf" provider="pacemaker" type="Dummy"/></clone>
    </resources>
    <constraints>${constraints}</constraints>
    <rsc_defaults><meta_attributes id="defaults"><nvpair id="defaults-stickiness" name="resource-stickiness" value="INFINITY"/></meta_attributes></rsc_defaults>
  </configuration>
  <status>${node(1, 'vip', 'web')}${node(2, 'web')}</status>
</cib>
`
}

async function type(line: string, constraints = '') {
  writeFileSync(file, cib(constraints))
  const printed = await runLine({
    commands: allCommands,
    line: line.split(' '),
    terminal: scriptedTerminal(),
    openCluster: () => fileAccess(file),
  })
  return { ...printed, after: readFileSync(file, 'utf8') }
}

test('a resource whose stickiness is INFINITY moves to the node that it is told', async () => {
  const { standardOutput, exitCode } = await type('resource move vip n2 --preview')
  expect(standardOutput).toContain('move vip from n1 to n2')
  expect(exitCode).toBe(0)
})

test('a preference alone is made where it is enough', async () => {
  const { after } = await type('resource move vip n2')
  expect(after).toContain('cli-ban-vip-on-n1')
  const clone = await type('resource move web-clone n2')
  expect(clone.after).not.toContain('cli-ban')
})

test('a move that something else forbids is refused, and the configuration stays', async () => {
  const forbidden = '<rsc_location id="never" rsc="vip" node="n2" score="-INFINITY"/>'
  const { standardError, exitCode, after } = await type('resource move vip n2', forbidden)
  expect(standardError).toContain(
    "vip would not move to n2: another score outweighs the move. 'systole why vip' shows the scores.",
  )
  expect(exitCode).toBe(1)
  expect(after).toBe(cib(forbidden))
})
