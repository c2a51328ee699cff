import { beforeEach, expect, test } from 'vitest'
import { nodeName, resourceId } from '../../../src/base/index.ts'
import { type OperationRecord, parseXml, printXml, readConfiguration } from '../../../src/cib/index.ts'
import { type ClusterView, emptyView } from '../../../src/controller/index.ts'
import { runRemoteTool } from '../../../src/daemon/agent-tools/run-remote-tool.ts'
import { allowedTools } from '../../../src/daemon/remote/allowed-tools.ts'
import { allTools, optionsOf, type ToolReply } from '../../../src/tools/index.ts'
import { TestWorld } from '../../tools/tool-world.ts'
import { type AgentCall, agentCalls, attacks, onMembersOnly } from './agent-calls.ts'

const primitive = (id: string, inside = ''): string =>
  `<primitive id="${id}" class="ocf" provider="heartbeat" type="Dummy"><instance_attributes id="${id}-p">
    <nvpair id="${id}-port" name="port" value="80"/>
    <nvpair id="${id}-password" name="password" value="secret-of-${id}"/></instance_attributes>${inside}</primitive>`

const cib = `<cib validate-with="pacemaker-3.9"><configuration>
  <crm_config><cluster_property_set id="cib-bootstrap-options">
    <nvpair id="o-name" name="cluster-name" value="test"/></cluster_property_set></crm_config>
  <nodes>
    <node id="1" uname="n1"><instance_attributes id="nodes-1"><nvpair id="n1-rack" name="rack" value="7"/>
      <nvpair id="n1-token" name="api_token" value="secret-of-n1"/></instance_attributes></node>
  </nodes>
  <resources>
    <primitive id="fence-n1" class="stonith" type="fence_ipmilan"><instance_attributes id="fence-p">
      <nvpair id="fence-hosts" name="pcmk_host_list" value="n1"/>
      <nvpair id="fence-user" name="username" value="secret-user"/>
      <nvpair id="fence-password" name="password" value="secret-of-fence"/>
      <nvpair id="fence-key" name="community" value="secret-community"/></instance_attributes></primitive>
    <primitive id="r1" class="ocf" provider="pacemaker" type="remote"/>
    <primitive id="r2" class="ocf" provider="pacemaker" type="remote"/>
    <clone id="db-clone"><meta_attributes id="db-m"><nvpair id="db-pr" name="promotable" value="true"/></meta_attributes>
      ${primitive('db')}</clone>
    <clone id="redis-clone">${primitive('redis')}</clone>
    ${primitive('rabbitmq')}
    ${primitive('vm', '<utilization id="vm-u"><nvpair id="vm-cpu" name="cpu" value="2"/></utilization>')}
    ${primitive('other')}
  </resources><constraints/></configuration><status/></cib>`

function started(node: string, resource: string, more: Readonly<Record<string, string>> = {}): OperationRecord {
  return {
    node: nodeName(node),
    resource: resourceId(resource),
    agent: { class: 'ocf', provider: 'heartbeat', type: 'Dummy' },
    recordId: `${resource}_last_0`,
    attributes: {
      operation: 'start',
      'rc-code': '0',
      'op-status': '0',
      'call-id': '5',
      interval: '0',
      operation_key: `${resource}_start_0`,
      'transition-magic': '0:0;1:1:0:x',
      'transition-key': '1:1:0:x',
      ...more,
    },
  }
}

const probed = { operation: 'monitor', 'rc-code': '7', 'transition-magic': '0:7;1:1:7:x' }
const operations = [
  started('r1', 'db'),
  started('r2', 'db'),
  started('r1', 'redis', { 'op-digest': 'digest-of-its-own' }),
  started('r2', 'redis'),
  started('r1', 'rabbitmq'),
  started('r1', 'vm'),
  started('r1', 'other', probed),
  {
    ...started('n1', 'fence-n1', { 'op-digest': 'digest-of-fence' }),
    agent: { class: 'stonith', type: 'fence_ipmilan' },
  },
  started('n1', 'other', { 'op-digest': 'digest-of-other' }),
]

let world: TestWorld
let view: ClusterView
let refusals: string[]

beforeEach(() => {
  const parsed = parseXml(cib)
  if (!parsed.ok) throw new Error('bad test')
  world = new TestWorld(cib)
  world.operations = operations
  Object.assign(world, { nodes: () => [{ name: nodeName('n1'), id: '1', state: 'member' }] })
  const held = { node: nodeName('n1'), set: '', name: 'force_new_cluster', value: 'n1' }
  world.attributes.set('n1//force_new_cluster', held)
  const typed = readConfiguration(parsed.value)
  view = {
    ...emptyView,
    configuration: { version: 1, cib: parsed.value, typed },
    operations: new Map(operations.map((record) => [`${record.node}/${record.recordId}`, record])),
  }
  refusals = []
})

/** Words as a shell would take them; XML holds no blanks between elements. */
const wordsOf = (line: string): readonly string[] => {
  const [command = '', xml] = line.split(/ (?=<)/)
  return [...command.split(' '), ...(xml === undefined ? [] : [xml])]
}

async function call(line: string, resource?: string, onNode?: string): Promise<ToolReply> {
  const [tool = '', ...words] = wordsOf(line)
  return await runRemoteTool(
    {
      tool,
      arguments: words,
      ...(resource === undefined ? {} : { resource }),
      ...(onNode === undefined ? {} : { onNode }),
    },
    {
      remote: nodeName('r1'),
      world,
      view,
      refuseXpath: async (_cib, xpath) =>
        await Promise.resolve(xpath.includes('count(//*)') ? { exitCode: 124, output: '', errors: 'slow' } : undefined),
      onRefused: (sentence) => refusals.push(sentence),
    },
  )
}

const state = (): string => printXml(world.cib()) + JSON.stringify([...world.attributes, ...world.cleaned])

for (const { agents, line, resource, exitCode = 0 } of agentCalls)
  test(`from a remote node, '${line}' of ${agents} is answered`, async () => {
    const reply = await call(line, resource)
    expect({ ...reply, output: '' }, reply.output).toMatchObject({ exitCode })
    expect(refusals).toEqual([])
    expect(reply.output + reply.errors).not.toContain('secret-of-fence')
  })

const refused = [...attacks.map((line): AgentCall => ({ agents: 'nobody', line })), ...onMembersOnly]
for (const { agents, line } of refused)
  test(`from a remote node, '${line}' of ${agents} is refused and changes nothing`, async () => {
    const before = state()
    const reply = await call(line)
    expect(reply).toMatchObject({ exitCode: 4 })
    // Pacemaker's crm_resource warns of a ban before it asks for it.
    expect(reply.output.replace(/^WARNING: Creating rsc_location constraint [\s\S]*$/, '')).toBe('')
    expect(reply.errors).toMatch(/remote node/)
    expect(state()).toBe(before)
  })

test('what a remote node sets is its own, whatever node it says that it works for', async () => {
  await call('crm_attribute -l reboot --name shutdown -v 1', 'db', 'n1')
  expect(world.transient('r1').get('shutdown')).toBe('1')
  expect(world.transient('n1').has('shutdown')).toBe(false)
  expect((await call('crm_node -n', undefined, 'n1')).output).toBe('r1\n')
})

test('permanent attributes of a remote node that has no entry yet make one', async () => {
  expect(await call('crm_attribute -N r1 -l forever --name rack -v 9')).toMatchObject({ exitCode: 0 })
  expect((await call('crm_attribute -N r1 -l forever --name rack -q')).output).toBe('9\n')
  expect((await call('crm_attribute -N n1 -l forever --name rack -q')).output).toBe('7\n')
})

test('secrets are hidden, but for those of resources that run there', async () => {
  for (const line of ['cibadmin -Q', 'cibadmin -Q --xpath //resources', 'cibadmin -Q -o nodes']) {
    const { output } = await call(line)
    expect(output).not.toMatch(/secret-of-(fence|n1|other)|secret-user|secret-community/)
  }
  const whole = (await call('cibadmin -Q')).output
  expect(whole).toContain('secret-of-db')
  expect(whole, 'passwords can be tried with it').not.toMatch(/digest-of-(fence|other)/)
  expect(whole).toContain('digest-of-its-own')
  expect((await call('crm_resource -r other -g password')).output).toBe('******\n')
  expect((await call('crm_resource -r other -g port')).output).toBe('80\n')
  expect((await call('crm_resource -r db -g password')).output).toBe('secret-of-db\n')
  expect((await call('crm_resource -r fence-n1 -g password')).output).toBe('******\n')
  expect((await call('crm_resource -r fence-n1 -g pcmk_host_list')).output).toBe('n1\n')
  expect((await call('crm_attribute -N n1 -l forever -n api_token -q')).output).toBe('******\n')
})

test('a path that takes long is not evaluated where a member does its other work', async () => {
  const slow = await call('cibadmin -Q --xpath //*[count(//*[count(//*)>0])>0]')
  expect(slow).toMatchObject({ exitCode: 124, output: '' })
})

test('a change that hides more than it says is refused whole', async () => {
  // The pair has this name already, in a set of the cluster's own options.
  const before = state()
  for (const line of [
    'crm_attribute --type crm_config --name db_x --set-name cib-bootstrap-options --id o-name -v y',
    'crm_attribute -N r1 -l forever --name rack --id n1-rack --set-name nodes-1 -v y -N n1',
  ])
    expect((await call(line)).exitCode).toBe(4)
  expect(state()).toBe(before)
})

const withStarted = (...resources: readonly string[]): void => {
  const records = resources.map((resource) => started('r1', resource))
  const operations = new Map([...view.operations, ...records.map((record) => [record.recordId, record] as const)])
  view = { ...view, operations }
}

test('a resource that a remote node has made up gives it no option of its name', async () => {
  withStarted('mine', 'stonith')
  const before = state()
  for (const name of ['mine-word', 'mine_word', 'stonith-enabled'])
    expect(await call(`crm_attribute --type crm_config --name ${name} -v false`)).toMatchObject({ exitCode: 4 })
  expect(state()).toBe(before)
})

test('an option of the cluster belongs to no resource, whatever that is called', async () => {
  const [typed, names] = [view.configuration?.typed, ['stonith', 'maintenance', 'ENABLE']]
  if (typed === undefined) throw new Error('bad test')
  const [pattern] = typed.resources.filter(({ id }) => id === 'rabbitmq')
  if (pattern === undefined || view.configuration === undefined) throw new Error('bad test')
  const resources = [...typed.resources, ...names.map((name) => ({ ...pattern, id: resourceId(name) }))]
  view = { ...view, configuration: { ...view.configuration, typed: { ...typed, resources } } }
  withStarted(...names)
  const before = state()
  for (const name of ['stonith-enabled', 'maintenance-mode', 'enable-acl'])
    expect(await call(`crm_attribute --type crm_config --name ${name} -v false`), name).toMatchObject({ exitCode: 4 })
  expect(state()).toBe(before)
  expect(await call('crm_attribute --type crm_config --name stonith_word -v 1')).toMatchObject({ exitCode: 0 })
})

/** `r1` as the replica of a bundle whose container runs on n1, with attributes of the host. */
function inContainer(): void {
  const text = cib.replace(
    '<primitive id="r1" class="ocf" provider="pacemaker" type="remote"/>',
    `<bundle id="r"><meta_attributes id="r-m"><nvpair id="r-t" name="container-attribute-target" value="host"/></meta_attributes>
      <podman image="i" replicas="2"/><network control-port="3121"/>${primitive('inside')}</bundle>`,
  )
  const parsed = parseXml(text)
  if (!parsed.ok || view.configuration === undefined) throw new Error('bad test')
  const container = { ...started('n1', 'r-podman-1'), recordId: 'r-podman-1_last_0' }
  view = {
    ...view,
    configuration: { ...view.configuration, cib: parsed.value, typed: readConfiguration(parsed.value) },
    members: new Map([[nodeName('n1'), {} as never]]),
    operations: new Map(
      [container, { ...started('r-1', 'inside'), recordId: 'inside_last_0' }].map((one) => [one.recordId, one]),
    ),
  }
}

test('what runs in a container sets attributes of its host, and none that the cluster obeys', async () => {
  inContainer()
  const inside = async (line: string): Promise<ToolReply> => {
    const [tool = '', ...words] = line.split(' ')
    const ports = { remote: nodeName('r-1'), world, view, refuseXpath: async () => await Promise.resolve(undefined) }
    return await runRemoteTool({ tool, arguments: words }, { ...ports, onRefused: (why) => refusals.push(why) })
  }
  for (const name of ['rabbit-start-time', 'inside-bootstrap', 'master-inside'])
    expect(await inside(`crm_attribute -N n1 -l reboot --name ${name} -v 1`), name).toMatchObject({ exitCode: 0 })
  const obeyed = ['terminate', 'shutdown', 'standby', 'maintenance', '#health-x', 'fail-count-db#start_0', 'master-db']
  for (const name of obeyed)
    expect(await inside(`crm_attribute -N n1 -l reboot --name ${name} -v 1`), name).toMatchObject({ exitCode: 4 })
  expect([...world.transient('n1').keys()].sort()).toEqual([
    'force_new_cluster',
    'inside-bootstrap',
    'master-inside',
    'rabbit-start-time',
  ])
})

test('dampening is set for its own attributes only, and not for long', async () => {
  await call('attrd_updater -n load -B 1 -d 30s')
  await call('attrd_updater -n load2 -B 1 -d 10000s')
  const pingd = { node: nodeName('n1'), set: '', name: 'pingd', value: '100' }
  world.attributes.set('n1', pingd)
  view = { ...view, attributes: new Map([['n1/pingd', pingd]]) }
  await call('attrd_updater -n pingd -B 1 -d 30s')
  expect(world.asked).toEqual(['load=1, quiet for 30000 ms', 'load2=1', 'pingd=1'])
})

test('the table names commands and options that there are', () => {
  for (const { tool, options } of allowedTools) {
    const known = allTools.find(({ name }) => name === tool)
    const names = known === undefined ? [] : optionsOf(known).map((option) => option.names[0])
    expect(options.filter((option) => !names.includes(option))).toEqual([])
  }
})
