/** `resource history` of what runs on a remote node: its output is kept there, which is said. */
import { expect, test } from 'vitest'
import { parseXml } from '../../src/cib/index.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

const ran = (resource: string, type: string): string =>
  `<lrm_resource id="${resource}" class="ocf" provider="pacemaker" type="${type}"><lrm_rsc_op id="${resource}_last_0" operation_key="${resource}_start_0" operation="start"
  transition-key="4:1:0:6e1e2ba0-27a8-4a71-9d32-000000000001" transition-magic="0:0;4:1:0:6e1e2ba0-27a8-4a71-9d32-000000000001" call-id="1" rc-code="0" op-status="0" interval="0" op-digest="f2317cad3d54cec5d7d7aa7d0bf35cf8"/></lrm_resource>`
const state = (attributes: string, id: string, inside: string): string =>
  `<node_state id="${id}" uname="${id}" in_ccm="true" crmd="online" ${attributes}><lrm id="${id}"><lrm_resources>${inside}</lrm_resources></lrm></node_state>`
const cib = `<cib crm_feature_set="3.19.0" validate-with="pacemaker-3.9" epoch="5" num_updates="0" admin_epoch="0" have-quorum="1" dc-uuid="n1"><configuration><crm_config/>
<nodes><node id="n1" uname="n1"/></nodes><resources><primitive id="east" class="ocf" provider="pacemaker" type="remote"/>
<primitive id="web" class="ocf" provider="pacemaker" type="Dummy"/><primitive id="db" class="ocf" provider="pacemaker" type="Dummy"/></resources><constraints/></configuration>
<status>${state('join="member" expected="member"', 'n1', ran('east', 'remote') + ran('db', 'Dummy'))}${state('remote_node="true"', 'east', ran('web', 'Dummy'))}</status></cib>`

async function history(resource: string, ...flags: readonly string[]): Promise<string> {
  const read = parseXml(cib)
  if (!read.ok) throw new Error('not XML')
  const readOperations = async () => await Promise.resolve({ lines: [], missing: [] })
  const printed = await runLine({
    commands: allCommands,
    line: ['resource', 'history', resource, ...flags],
    terminal: scriptedTerminal([]),
    openCluster: () => ({
      live: { readOperations, close: () => undefined } as never,
      readCib: async () => await Promise.resolve({ cib: read.value, version: 5 }),
      push: async () => await Promise.reject(new Error('it was pushed')),
      close: () => undefined,
    }),
  })
  return printed.standardOutput
}

test('what runs on a remote node has its output there, and what runs on a member has it here', async () => {
  expect(await history('web')).toBe(
    'No operations of web are recorded.\nThe output of the agent of web on east is in the log of the daemon there.\n',
  )
  expect(JSON.parse(await history('web', '--json'))).toMatchObject({ operations: [], remote: ['east'] })
  expect(JSON.parse(await history('db', '--json'))).toMatchObject({ operations: [], remote: [] })
})
