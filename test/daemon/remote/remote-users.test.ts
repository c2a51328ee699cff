/** Users of a remote node who are not root: they may what the remote node may, and what their roles permit, while access control is on. */
import { expect, test } from 'vitest'
import { nodeName } from '../../../src/base/index.ts'
import { parseXml, readConfiguration } from '../../../src/cib/index.ts'
import { emptyView } from '../../../src/controller/index.ts'
import { AccessControl } from '../../../src/daemon/access/access-control.ts'
import type { ToolsNode } from '../../../src/daemon/agent-tools/agent-tools.ts'
import { LimitedToolsWorld } from '../../../src/daemon/agent-tools/limited-tools-world.ts'
import { remoteTools } from '../../../src/daemon/agent-tools/serve-agent-tools.ts'
import type { Paths } from '../../../src/daemon/host/paths.ts'
import { callerOnHost, toOwner } from '../../../src/daemon/remote/host-callers.ts'
import type { ToolReply } from '../../../src/tools/index.ts'
import { encodeToolCall, parseToolCall } from '../../../src/tools/socket.ts'

const remote = nodeName('r1')

function tools(enabled: boolean, attributes: readonly { readonly node: string; readonly name: string }[] = []) {
  const parsed = parseXml(`<cib><configuration>
    <crm_config><cluster_property_set id="cib-bootstrap-options"><nvpair id="e" name="enable-acl" value="${enabled}"/></cluster_property_set></crm_config>
    <nodes/><resources><primitive id="web" class="ocf" provider="heartbeat" type="Dummy"><instance_attributes id="i">
      <nvpair id="hello" name="greeting" value="good morning"/></instance_attributes></primitive></resources><constraints/>
    <acls><acl_role id="r"><acl_permission id="p" kind="read" object-type="cib"/><acl_permission id="q" kind="deny" reference="hello"/></acl_role>
      <acl_role id="w"><acl_permission id="n" kind="read" object-type="crm_config"/><acl_permission id="s" kind="write" reference="r1"/></acl_role>
      <acl_target id="dora"><role id="w"/></acl_target><acl_target id="alice"><role id="r"/></acl_target><acl_group id="ops"><role id="r"/></acl_group></acls></configuration><status/></cib>`)
  if (!parsed.ok) throw new Error('bad test')
  const configuration = { version: 1, cib: parsed.value, typed: readConfiguration(parsed.value) }
  const set: string[] = []
  const node = {
    name: nodeName('n1'),
    quorate: true,
    view: {
      ...emptyView,
      configuration,
      members: new Map(attributes.map(({ node }) => [nodeName(node), {}])),
      attributes: new Map(attributes.map(({ node, name }) => [`${node}/${name}`, { node, name, set: '', value: '1' }])),
    },
    file: { nodes: attributes.map(({ node }) => ({ name: node, id: '2' })) },
    attributes: {
      set: async ({ name, delayMs }: { readonly name: string; readonly delayMs?: number }) =>
        void (await Promise.resolve(set.push(delayMs === undefined ? name : `${name}, quiet for ${delayMs} ms`))),
    },
    state: () => ({ members: [], fencing: [] }),
    seesOwnWrites: async <T>(act: () => Promise<T>): Promise<T> => await act(),
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
  return { call, set, node, access }
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

test('whoever may not read an attribute of another node sets no dampening for it', async () => {
  const { call, set } = tools(true, [{ node: 'n2', name: 'ping' }])
  for (const by of [undefined, { name: 'dora', groups: ['haclient'] }])
    await call('attrd_updater -n ping -B 1 -d 60', by)
  await call('attrd_updater -n own -B 1 -d 60')
  expect(set).toEqual(['ping', 'ping', 'own, quiet for 60000 ms'])
})

test('a dampening is that of an attribute on all nodes: it takes the right to write it there', async () => {
  const { set, node, access } = tools(true, [{ node: 'n2', name: 'ping' }])
  const rights = access.rightsOfKnown({ name: 'dora', groups: [] })
  if (rights.kind === 'all') throw new Error('dora has a role')
  const world = await LimitedToolsWorld.open(node, access.guardedFor(rights), remote)
  const ping = { node: remote, set: '', name: 'ping', value: '1' }
  await world.setAttribute(ping)
  await expect(world.setAttribute({ ...ping, delayMs: 60_000 })).rejects.toThrow(/dora/)
  expect(set).toEqual(['ping'])
})

test('however many users a remote node says that it has, what is known of users here stays', () => {
  const { access } = tools(true)
  const rights = { kind: 'limited' as const, user: 'alice', permissions: [] }
  const ours = access.guardedFor(rights)
  const theirs = access.guardedOfRemote(rights, remote)
  for (let number = 0; number < 100; number++) access.guardedOfRemote({ ...rights, user: `user${number}` }, remote)
  expect(access.guardedFor(rights)).toBe(ours)
  expect(access.guardedOfRemote(rights, remote)).not.toBe(theirs)
})

test('root and hacluster of the host name another user, nobody else does', async () => {
  const known: Record<string, { readonly name: string; readonly groups: readonly string[] }> = {
    alice,
    hacluster: { name: 'hacluster', groups: [] },
  }
  const users = {
    byId: async (uid: number) => await Promise.resolve(known[uid === 7 ? 'hacluster' : 'alice']),
    byName: async (name: string) => await Promise.resolve(known[name]),
  }
  expect(await callerOnHost(users, 0, undefined)).toBeUndefined()
  expect(await callerOnHost(users, 0, 'alice')).toEqual(alice)
  expect(await callerOnHost(users, 0, 'nobody-here')).toEqual({ name: 'nobody-here', groups: [] })
  expect(await callerOnHost(users, 0, 'root')).toBeUndefined()
  expect(await callerOnHost(users, 7, 'alice')).toEqual(alice)
  expect(await callerOnHost(users, 1000, 'hacluster')).toEqual(alice)
  expect(await callerOnHost(users, undefined, undefined)).toEqual({ name: '#unknown', groups: [] })
})

test('a call that the cluster node would not take is refused on the host: it would end the connection of all', () => {
  const asked = { tool: 'cibadmin', arguments: ['-Q'] }
  const many = Array.from({ length: 3000 }, (_, at) => `group${at}`)
  expect(toOwner(asked, undefined)).toEqual(asked)
  expect(toOwner(asked, { name: 'alice', groups: many })).toEqual({
    ...asked,
    by: { name: 'alice', groups: many.slice(0, 1000) },
  })
  const tooMuch = ['x'.repeat(1024 * 1024)]
  for (const words of [tooMuch, many, ['\u0000'.repeat(200_000)]])
    expect(toOwner({ ...asked, arguments: words }, undefined)).toMatchObject({ exitCode: 64 })
  expect(toOwner(asked, { name: 'al\u001bice', groups: [] })).toMatchObject({ exitCode: 64 })
})

test('a call over the socket names the user in whose name it is made, or nobody', () => {
  const plain = { tool: 'cibadmin', arguments: ['-Q', ''] }
  for (const call of [plain, { ...plain, user: 'alice' }, { ...plain, arguments: [], user: 'alice', resource: 'web' }])
    expect(parseToolCall(encodeToolCall(call).toString())).toEqual(call)
  expect(encodeToolCall(plain).toString()).toBe('1\0cibadmin\0\0\0-Q\0\0')
  expect(parseToolCall('2\0cibadmin\0\0\0')).toBeUndefined()
  expect(parseToolCall('3\0cibadmin\0\0\0\0')).toBeUndefined()
})

test('after a call of a remote node the thread is left to others for as long as it was busy', async () => {
  const { call, node } = tools(false)
  const { view } = node
  let [isFirstOver, busyMs, lastBusy, secondBegun] = [false, 0, 0, 0]
  const look = (): void => {
    if (isFirstOver) secondBegun ||= performance.now()
    if (isFirstOver) return
    const end = performance.now() + 25
    while (performance.now() < end);
    busyMs += 25
    lastBusy = performance.now()
  }
  Object.defineProperty(node, 'view', {
    get: () => {
      look()
      return view
    },
  })
  const first = call('crm_node -n').then(() => {
    isFirstOver = true
  })
  await Promise.all([first, call('crm_node -n')])
  expect(busyMs).toBeGreaterThan(0)
  expect(secondBegun - lastBusy).toBeGreaterThan(0.9 * busyMs)
})
