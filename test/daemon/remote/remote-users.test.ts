/** Users of a remote node who are not root: they may what the remote node may, and what their roles permit, while access control is on. */
import { expect, test } from 'vitest'
import { nodeName } from '../../../src/base/index.ts'
import { parseXml, readConfiguration } from '../../../src/cib/index.ts'
import { emptyView } from '../../../src/controller/index.ts'
import { AccessControl } from '../../../src/daemon/access/access-control.ts'
import type { ToolsNode } from '../../../src/daemon/api/agent-tools.ts'
import { remoteTools } from '../../../src/daemon/api/serve-agent-tools.ts'
import type { Paths } from '../../../src/daemon/host/paths.ts'
import type { ToolReply } from '../../../src/tools/index.ts'
import { encodeToolCall, parseToolCall } from '../../../src/tools/socket.ts'

const remote = nodeName('r1')

function tools(enabled: boolean) {
  const parsed = parseXml(`<cib><configuration>
    <crm_config><cluster_property_set id="cib-bootstrap-options"><nvpair id="e" name="enable-acl" value="${enabled}"/></cluster_property_set></crm_config>
    <nodes/><resources><primitive id="web" class="ocf" provider="heartbeat" type="Dummy"><instance_attributes id="i">
      <nvpair id="hello" name="greeting" value="good morning"/></instance_attributes></primitive></resources><constraints/>
    <acls><acl_role id="r"><acl_permission id="p" kind="read" object-type="cib"/><acl_permission id="q" kind="deny" reference="hello"/></acl_role>
      <acl_target id="alice"><role id="r"/></acl_target><acl_group id="ops"><role id="r"/></acl_group></acls></configuration><status/></cib>`)
  if (!parsed.ok) throw new Error('bad test')
  const configuration = { version: 1, cib: parsed.value, typed: readConfiguration(parsed.value) }
  const set: string[] = []
  const node = {
    name: nodeName('n1'),
    quorate: true,
    view: { ...emptyView, configuration },
    file: { nodes: [] },
    attributes: { set: async ({ name }: { name: string }) => void (await Promise.resolve(set.push(name))) },
    state: () => ({ members: [], fencing: [] }),
  } as unknown as ToolsNode
  const access = new AccessControl({ accessControlMark: '/nonexistent' } as Paths, () => configuration)
  const run = remoteTools(node, { warn: () => undefined }, access)
  const call = async (
    line: string,
    by?: { readonly name: string; readonly groups: readonly string[] },
  ): Promise<ToolReply> => {
    const [tool = '', ...words] = line.split(' ')
    return await run(remote, { tool, arguments: words, ...(by === undefined ? {} : { by }) })
  }
  return { call, set }
}

const alice = { name: 'alice', groups: ['haclient'] }
const carol = { name: 'carol', groups: ['haclient', 'ops'] }
const bob = { name: 'bob', groups: ['haclient'] }

test('a user of a remote node sees what his roles permit, root of it and hacluster what the node may', async () => {
  const { call } = tools(true)
  for (const by of [undefined, { name: 'hacluster', groups: [] }])
    expect((await call('cibadmin -Q', by)).output).toContain('good morning')
  for (const by of [alice, carol]) {
    const { exitCode, output } = await call('cibadmin -Q', by)
    expect({ exitCode, web: output.includes('id="web"'), hidden: output.includes('good morning') }).toEqual({
      exitCode: 0,
      web: true,
      hidden: false,
    })
  }
  expect(await call('cibadmin -Q', bob)).toMatchObject({
    exitCode: 4,
    errors: expect.stringContaining('bob has no role'),
  })
})

test('he changes nothing that his roles do not permit, and nothing of other nodes', async () => {
  const { call, set } = tools(true)
  expect(await call('attrd_updater -n ping -U 1', alice)).toMatchObject({ exitCode: 4 })
  expect(set).toEqual([])
  expect(await call('attrd_updater -n ping -U 1')).toMatchObject({ exitCode: 0 })
  expect(set).toEqual(['ping'])
})

test('while access control is off he is as root of the remote node', async () => {
  const { call, set } = tools(false)
  expect((await call('cibadmin -Q', bob)).output).toContain('good morning')
  expect(await call('attrd_updater -n ping -U 1', bob)).toMatchObject({ exitCode: 0 })
  expect(await call('cibadmin --erase --force', bob)).toMatchObject({ exitCode: 4 })
  expect(set).toEqual(['ping'])
})

test('a call over the socket names the user in whose name it is made, or nobody', () => {
  const plain = { tool: 'cibadmin', arguments: ['-Q', ''] }
  for (const call of [plain, { ...plain, user: 'alice' }, { ...plain, arguments: [], user: 'alice', resource: 'web' }])
    expect(parseToolCall(encodeToolCall(call).toString())).toEqual(call)
  expect(encodeToolCall(plain).toString()).toBe('1\0cibadmin\0\0\0-Q\0\0')
  expect(parseToolCall('2\0cibadmin\0\0\0')).toBeUndefined()
  expect(parseToolCall('3\0cibadmin\0\0\0\0')).toBeUndefined()
})
