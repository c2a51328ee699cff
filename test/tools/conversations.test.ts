import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { nodeName, resourceId } from '../../src/base/index.ts'
import { allTools, runTool, serveTools, type ToolServer } from '../../src/tools/index.ts'
import { requestRoom } from '../../src/tools/socket.ts'
import type { FencingEvent } from '../../src/tools/world.ts'
import { TestWorld } from './tool-world.ts'

const shims = join(dirname(fileURLToPath(import.meta.url)), '../../shims')

let world: TestWorld
beforeEach(() => {
  world = new TestWorld()
})

/** Exit code, then what it prints; errors only where there are any. */
async function call(line: string, resource?: string): Promise<string> {
  const [tool = '', ...words] = line.split(' ').map((word) => word.replace(/^''$/, ''))
  const reply = await runTool({ tool, arguments: words, ...(resource === undefined ? {} : { resource }) }, world)
  return `${reply.exitCode} ${reply.output}${reply.exitCode === 0 ? '' : reply.errors}`.trim()
}

/** Lines as agents have them, and what Pacemaker's own tools answer. */
const conversations: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'galera keeps transient attributes': [
    [
      'crm_attribute -N alpha -l reboot --name galera-last-committed --quiet',
      '105 crm_attribute: Error performing operation: No such device or address',
    ],
    ['crm_attribute -N alpha -l reboot --name galera-last-committed -v -1', '0'],
    ['crm_attribute -N alpha -l reboot --name galera-last-committed --quiet', '0 -1'],
    [
      'crm_attribute -N alpha -l reboot --name galera-last-committed',
      '0 scope=status name=galera-last-committed value=-1',
    ],
    [
      'crm_attribute -N beta -l reboot --name galera-last-committed --quiet',
      '105 crm_attribute: Error performing operation: No such device or address',
    ],
    ['crm_attribute -N alpha -l reboot --name galera-last-committed -D', '0'],
    ['crm_attribute -N alpha -l reboot --name galera-last-committed -D', '0'],
  ],
  'long options with and without an equals sign mean the same': [
    ['crm_attribute --lifetime=reboot --name=a --node=alpha --update=5', '0'],
    ['crm_attribute --lifetime reboot --name a --node alpha --query --quiet', '0 5'],
    ['crm_attribute --type status --name a --quiet', '0 5'],
  ],
  'an empty value is a value': [
    ["crm_attribute -N alpha -l reboot --name a --update ''", '0'],
    ['crm_attribute -N alpha -l reboot --name a', '0 scope=status name=a value='],
  ],
  'permanent attributes are in the configuration': [
    ['crm_attribute -N beta -l forever --name last-known -v rabbit@beta', '0'],
    ['crm_attribute -t nodes --node beta -n last-known -G', '0 scope=nodes name=last-known value=rabbit@beta'],
    ['crm_attribute -N alpha -n rack -G -q', '0 7'],
    [
      'crm_attribute -N beta -l forever --name last-known -D',
      '0 Deleted nodes attribute: id=nodes-2-last-known name=last-known',
    ],
    [
      'crm_attribute -N beta -l forever --name last-known -q',
      '105 crm_attribute: Error performing operation: No such device or address',
    ],
    ['crm_attribute -N nobody -l forever --name a -v 1', '105 crm_attribute: Could not map name=nobody to a UUID'],
  ],
  'cluster options and what agents keep among them': [
    ['crm_attribute --query -n cluster-name -q', '0 test'],
    ['crm_attribute --type crm_config --name redis_REPL_INFO -s redis_replication -v alpha', '0'],
    ['crm_attribute --type crm_config --name redis_REPL_INFO -s redis_replication --query -q', '0 alpha'],
    ['crm_attribute -n missing --query --default none', '0 scope=crm_config name=missing value=none'],
  ],
  utilization: [
    ['crm_attribute -t nodes --node alpha -z -n cpu -v 8', '0'],
    ['crm_attribute --quiet -t nodes --node alpha -z -n cpu', '0 8'],
  ],
  'counting up': [
    ['crm_attribute -N alpha -l reboot -n n -v value++', '0'],
    ['crm_attribute -N alpha -l reboot -n n -v value+=4', '0'],
    ['crm_attribute -N alpha -l reboot -n n -q', '0 5'],
  ],
  'attrd_updater prints what agents evaluate': [
    ['attrd_updater -n pingd -Q', '105 attrd_updater: Could not query value of pingd: attribute does not exist'],
    ['attrd_updater -n pingd -U 1000 -d 5s', '0'],
    ['attrd_updater -n pingd -N beta -U 500', '0'],
    ['attrd_updater -n pingd -Q', '0 name="pingd" host="alpha" value="1000"\nname="pingd" host="beta" value="500"'],
    ['attrd_updater -n pingd -Q -N alpha', '0 name="pingd" host="alpha" value="1000"'],
    ['attrd_updater --query -n pingd -N beta', '0 name="pingd" host="beta" value="500"'],
    ['attrd_updater -n pingd -A', '0 name="pingd" host="alpha" value="1000"\nname="pingd" host="beta" value="500"'],
    ['attrd_updater -D -n pingd', '0'],
    ['attrd_updater -D -n pingd -N beta', '0'],
    ['attrd_updater -p -n pingd -Q', '105 attrd_updater: Could not query value of pingd: attribute does not exist'],
  ],
  'of a query and an update the later one counts': [
    ['attrd_updater -p -n evacuate -Q -N beta -U yes', '0'],
    ['attrd_updater -n evacuate -N beta -Q', '0 name="evacuate" host="beta" value="yes"'],
    ['attrd_updater -n evacuate -N beta -U no -Q', '0 name="evacuate" host="beta" value="yes"'],
  ],
  'crm_node knows the cluster': [
    ['crm_node -n', '0 alpha'],
    ['crm_node --list', '0 1 alpha member\n2 beta lost'],
    ['crm_node -l -p', '0 alpha'],
    ['crm_node -q', '0 1'],
    ['crm_node -i', '0 1'],
    [
      'crm_node',
      '64 crm_node: a command is needed: --name, --list, --partition, --cluster-id, --name-for-id, --quorum or --remove.',
    ],
  ],
  'crm_resource reads and writes a resource': [
    ['crm_resource -Q -r web -z -g cpu', '0 2'],
    ['crm_resource -r web -z -p cpu -v 3', "0 Set 'web' option: id=web-cpu name=cpu value=3"],
    ['crm_resource -Q -r web -z -g cpu', '0 3'],
    ['crm_resource --resource=web --utilization --delete-parameter=cpu', "0 Deleted 'web' option: id=web-cpu name=cpu"],
    ['crm_resource -Q -r web -z -g cpu', '0'],
    ['crm_resource --meta -r web -g is-managed', '0 true'],
    ['crm_resource -r web -g port', '0 80'],
    [
      'crm_resource -r nothing --locate',
      "105 crm_resource: Resource 'nothing' not found\nError performing operation: No such object",
    ],
    ['crm_resource -B -r web -N alpha -Q', '0'],
    [
      'cibadmin -Q --xpath //rsc_location/@id',
      '0 <rsc_location id="cli-ban-web-on-alpha" rsc="web" role="Started" node="alpha" score="-INFINITY"/>',
    ],
    ['crm_resource --wait', '0'],
  ],
  'what Pacemaker’s daemons would have written among the options': [
    ['crm_attribute -q --type crm_config --query --name dc-version', '0 3.0.2'],
  ],
  'a path may end in an attribute, count or choose': [
    ['crm_attribute -N beta -l forever -n rack -v 9', '0'],
    ['cibadmin -Q -e -A //node[2]', "0 /cib/configuration/nodes/node[@id='2']"],
    [
      `cibadmin -Q -e -A //nvpair[contains(@id,'cpu')]|//node[starts-with(@uname,'al')]`,
      "0 /cib/configuration/nodes/node[@id='1']\n/cib/configuration/resources/primitive[@id='web']/utilization[@id='web-u']/nvpair[@id='web-cpu']",
    ],
  ],
  'what would do harm needs --force, what is not there is told': [
    [
      'cibadmin -E',
      '107 The supplied command is considered dangerous.  To prevent accidental destruction of the cluster, the --force flag is required in order to proceed.',
    ],
    [
      'crm_node -R beta -f',
      "107 crm_node: beta belongs to the cluster. Use 'systole cluster node remove beta', which takes it out everywhere.",
    ],
    ['stonith_admin --reboot=nobody', '68 stonith_admin: there is no node nobody'],
    ['corosync-cmapctl -g totem.nothing', "1 Can't get key totem.nothing. Error CS_ERR_NOT_EXIST"],
  ],
  'fence devices are listed, by the nodes that they can fence, and asked': [
    ['stonith_admin -L', '0 st-list\nst-all\nst-ask\n3 fence devices found'],
    ['stonith_admin -l alpha', '0 st-list\nst-all\n2 fence devices found'],
    ['stonith_admin -l beta', '0 st-all\nst-ask\n2 fence devices found'],
    ['stonith_admin -s st-list', '0 alpha\n1 fence target found'],
    ['stonith_admin -s st-ask', '0 beta\n1 fence target found'],
    ['stonith_admin -s none', '105 stonith_admin: there is no fence device none'],
    ['stonith_admin -Q st-ask', '0'],
    ['stonith_admin -Q st-all', '1 stonith_admin: st-all does not work: the device does not answer'],
    [
      'stonith_admin -R new -a fence_dummy',
      "64 stonith_admin: fence devices are those of the configuration: 'systole stonith create new' or 'systole stonith delete new'.",
    ],
  ],
  'a failure is recorded where the resource has run': [
    ['crm_resource -F -r web', '64 crm_resource: Must supply a node name with -N'],
    ['crm_resource -F -r web -N alpha', '0'],
    [
      'crm_resource --fail -r web -N beta',
      '105 crm_resource: beta has not run web, so that it cannot have failed there.',
    ],
  ],
  'none prints nothing, errors included': [
    ['crm_attribute -n cluster-name -G -q --output-as=none', '0'],
    ['crm_attribute -n missing -G --output-as=none', '105'],
    ['crm_error 5 --output-as=html', '1 crm_error: Error creating output format html: Unknown output format'],
    ['stonith_admin -L --output-as=none', '0'],
  ],
  'what is not understood is said': [
    ['crm_attribute --bogus', '64 crm_attribute: Unknown option --bogus'],
    ['crm_attribute -n', '64 crm_attribute: Missing argument for -n'],
    ['attrd_updater -U 1', '64 attrd_updater: Command requires --name argument'],
    ['crm_mon -1 --output-as=yaml', '1 crm_mon: Error creating output format yaml: Unknown output format'],
    ['cibadmin -Q --xpath //node[', '105 cibadmin: The path //node[ is not understood: XPath parse error'],
    ['crm_nothing 7', '3 crm_nothing: there is no such command.'],
  ],
}

for (const [name, lines] of Object.entries(conversations))
  test(name, async () => {
    const answers: (readonly [string, string])[] = []
    for (const [line] of lines) answers.push([line, await call(line)])
    expect(answers).toEqual(lines)
  })

describe('promotion scores', () => {
  test('are kept for the resource that calls', async () => {
    await call('crm_attribute -p -v 100', 'galera')
    expect(await call('crm_attribute -N alpha -l reboot -n master-galera -q')).toBe('0 100')
    expect(await call('crm_attribute --promotion -G -q', 'galera')).toBe('0 100')
    expect(await call('crm_attribute -p -D -N alpha', 'galera')).toBe('0')
    expect(await call('crm_attribute -p other -N beta -v 5')).toBe('0')
    expect(await call('crm_master -Q -l reboot', 'nobody')).toContain('105')
  })

  test('crm_master is the same under its old name', async () => {
    await call('crm_master -Q -v 10 -l reboot', 'db')
    expect(await call('crm_master -N alpha -l reboot -G --quiet', 'db')).toBe('0 10')
  })
})

test('fail counts are added up, INFINITY stays', async () => {
  await call('crm_attribute -N alpha -l reboot -n fail-count-web#monitor_10000 -v 2')
  await call('crm_attribute -N alpha -l reboot -n fail-count-web#start_0 -v 1')
  expect(await call('crm_failcount -q -G -r web -N alpha')).toBe('0 3')
  expect(await call('crm_failcount -q -G -r web -N alpha -n start')).toBe('0 1')
  expect(await call('crm_failcount -q -G -r web -N beta')).toBe('0 0')
  await call('crm_attribute -N alpha -l reboot -n fail-count-web#start_0 -v INFINITY')
  expect(await call('crm_failcount -q -G -r web')).toBe('0 INFINITY')
  await call('crm_failcount -D -r web -N beta')
  expect(world.cleaned).toEqual(['web on beta'])
})

test('attrd_updater sets the dampening with -B and -Y alone, and -p goes along with the value', async () => {
  await call('attrd_updater -n pingd -B 1 -d 5s')
  await call('attrd_updater -n pingd -U 2 -d 9s')
  await call('attrd_updater -n pingd -Y -d 7s')
  await call('attrd_updater -p -n lock -U held')
  await call('attrd_updater -R')
  expect(world.asked).toEqual([
    'pingd=1, quiet for 5000 ms',
    'pingd=2',
    'dampening of pingd: 7000 ms',
    'lock=held, private',
    'refresh',
  ])
  expect(await runTool({ tool: 'attrd_updater', arguments: ['-n', 'pingd', '-B', '3'] }, world)).toEqual({
    exitCode: 0,
    output: "Warning: 'B' command given without required --delay\n",
    errors: '',
  })
  expect(world.attributes.get('alpha//pingd')?.value).toBe('2')
})

test('a witness is Corosync’s quorum device', async () => {
  world.theWitness = { name: 'w', votes: true, isHeard: true }
  const { output, exitCode } = await runTool({ tool: 'corosync-quorumtool', arguments: ['-s'] }, world)
  expect(exitCode).toBe(0)
  expect(output).toMatch(
    /Expected votes: {3}3\nHighest expected: 3\nTotal votes: {6}2\nQuorum: {11}2 {2}\nFlags: {12}Quorate Qdevice \n/,
  )
  expect(output).toContain('    Nodeid      Votes    Qdevice Name\n         1          1    A,V,NMW alpha (local)\n')
  expect(output).toMatch(/\n {9}0 {10}1 {12}Qdevice\n$/)
  world.theWitness = { name: 'w', votes: true, isHeard: false }
  const silent = await runTool({ tool: 'corosync-quorumtool', arguments: ['-l'] }, world)
  expect(silent.output).toMatch(/ NA,NV,NMW alpha \(local\)\n {9}0 {10}0 {12}Qdevice \(votes 1\)\n$/)
  const keys = await runTool({ tool: 'corosync-cmapctl', arguments: ['-g', 'quorum.device.net.host'] }, world)
  expect(keys.output).toBe('quorum.device.net.host (str) = w\n')
})

test('for programs, the column of the quorum device is there without one, as Corosync prints it', async () => {
  const { output } = await runTool({ tool: 'corosync-quorumtool', arguments: ['-p'] }, world)
  expect(output).toContain('    Nodeid      Votes    Qdevice Name\n         1          1         NR alpha (local)\n')
})

describe('cibadmin', () => {
  beforeEach(() => call('crm_attribute -N alpha -l reboot --name rmq-node-attr-rabbit -v rabbit@alpha'))
  const paths = [
    { path: "//node_state[@crmd='online']//nvpair[@name='rmq-node-attr-rabbit']", found: 1 },
    { path: "//node_state[@crmd='offline']//nvpair[@name='rmq-node-attr-rabbit']", found: 0 },
    { path: '//node', found: 2 },
    { path: "/cib/configuration/nodes/node[@uname='beta']", found: 1 },
    { path: "//nvpair[@name='port' and @value='80']/../..", found: 1 },
    { path: "//primitive[instance_attributes/nvpair[@name='port']]", found: 1 },
    { path: "//node[not(@uname='alpha') or @id='1']", found: 2 },
    { path: "//node[@uname!='alpha']", found: 1 },
    { path: '//nodes/*', found: 2 },
  ]
  for (const { path, found } of paths)
    test(`finds ${found} with ${path}`, async () => {
      const reply = await runTool({ tool: 'cibadmin', arguments: ['-Q', '--xpath', path] }, world)
      expect(reply.exitCode).toBe(found === 0 ? 105 : 0)
      expect(reply.output.startsWith('<xpath-query>')).toBe(found > 1)
    })

  test('prints the whole CIB, or a section', async () => {
    const whole = await runTool({ tool: 'cibadmin', arguments: ['-Q'] }, world)
    expect(whole.output).toMatch(/^<cib [^>]*validate-with="pacemaker-3.9"/)
    expect(whole.output).toContain(
      '<nvpair id="status-1-rmq-node-attr-rabbit" name="rmq-node-attr-rabbit" value="rabbit@alpha"/>',
    )
    const nodes = await runTool({ tool: 'cibadmin', arguments: ['-Q', '-o', 'nodes'] }, world)
    expect(nodes.output).toMatch(/^<nodes>/)
  })
})

const promote = {
  operation_key: 'galera_promote_0',
  operation: 'promote',
  'transition-key': '9:3:0:6a3a5ed8-4b4b-4a4e-9d9b-0e7a0d2a3f11',
  'transition-magic': '0:0;9:3:0:6a3a5ed8-4b4b-4a4e-9d9b-0e7a0d2a3f11',
  'call-id': '24',
  'rc-code': '0',
  'op-status': '0',
  interval: '0',
}

describe('crm_mon', () => {
  beforeEach(async () => {
    const galera =
      '<clone id="galera-clone"><meta_attributes id="g-m"><nvpair id="g-p" name="promotable" value="true"/></meta_attributes>' +
      '<primitive id="galera" class="ocf" provider="heartbeat" type="galera"/></clone>'
    await runTool({ tool: 'cibadmin', arguments: ['-C', '-o', 'resources', '-X', galera] }, world)
    const agent = { class: 'ocf', provider: 'heartbeat', type: 'galera' }
    world.operations = [
      {
        node: nodeName('alpha'),
        resource: resourceId('galera'),
        agent,
        recordId: 'galera_last_0',
        attributes: promote,
      },
    ]
  })
  const forms = ['-1X', '-1 --output-as=xml', '-r --as-xml', '--as-xml', '-r --output-as=xml', '-1 -X']
  for (const form of forms)
    test(`${form}: galera, redis and pgsql find their lines with grep`, async () => {
      const { output } = await runTool({ tool: 'crm_mon', arguments: form.split(' ') }, world)
      const lines = output.split('\n')
      const line =
        /resource.*id="galera".* role="(Promoted|Master)".* active="true".* orphaned="false".* failed="false"/
      expect(lines.filter((each) => line.test(each))).toHaveLength(1)
      expect(lines.filter((each) => /<node name="alpha" .* online="true"/.test(each))).toHaveLength(1)
      expect(lines.filter((each) => /type="member"/.test(each) && /unclean="false"/.test(each))).toHaveLength(2)
      expect(output).toContain('resource_agent="ocf:heartbeat:galera" role="Promoted"')
    })

  test('scripts of Pacemaker 1 find agents by their old names', async () => {
    const { output } = await runTool({ tool: 'crm_mon', arguments: ['-1X', '--old-agent-names'] }, world)
    expect(output).toContain('resource_agent="ocf::heartbeat:galera" role="Promoted"')
  })

  test('controld finds the options alone', async () => {
    const words = ['--output-as=xml', '--exclude=all', '--include=options']
    const { output } = await runTool({ tool: 'crm_mon', arguments: words }, world)
    expect(output).toMatch(/<cluster_options stonith-enabled="true" symmetric-cluster="true" no-quorum-policy="stop"/)
    expect(output).not.toContain('<node')
  })

  test('failures of fencing that are alike are one, and none is told that a later success has overtaken', async () => {
    const attempt = (target: string, begun: number, more: Partial<FencingEvent> = {}): FencingEvent => ({
      target,
      action: 'reboot',
      client: 'controller',
      node: 'alpha',
      begun,
      ended: begun + 1,
      outcome: 'failed',
      ...more,
    })
    world.fencing = [
      attempt('gamma', 600, { outcome: 'pending' }),
      attempt('gamma', 500),
      attempt('beta', 450, { outcome: 'success' }),
      attempt('gamma', 400),
      attempt('gamma', 350, { node: 'beta' }),
      attempt('gamma', 340, { action: 'off' }),
      attempt('beta', 300),
    ]
    const { output } = await runTool({ tool: 'crm_mon', arguments: ['-1'] }, world)
    const lines = output.split('\n').filter((line) => line.includes(' failed: client='))
    expect(lines.map((line) => line.replace(/, completed=.*:0(\d:\d\d) .*/, ' $1'))).toEqual([
      '  * reboot of gamma failed: client=controller, origin=alpha 8:21',
      '  * reboot of gamma failed: client=controller, origin=beta 5:51',
      '  * off of gamma failed: client=controller, origin=alpha 5:41',
    ])
  })

  test('fencing that no node has run yet is told without one', async () => {
    world.fencing = [
      { target: 'beta', action: 'reboot', client: 'controller', node: '', begun: 60, outcome: 'pending' },
      { target: 'beta', action: 'off', client: 'controller', node: '', begun: 20, ended: 30, outcome: 'failed' },
    ]
    const { output } = await runTool({ tool: 'stonith_admin', arguments: ['--history', 'beta'] }, world)
    expect(output).toMatch(/^controller wishes to reboot node beta - pending/)
    expect(output).toMatch(/^nobody was able to off node beta on behalf of controller at/m)
  })

  test('JSON has the same facts', async () => {
    const { output } = await runTool({ tool: 'crm_mon', arguments: ['--output-as=json'] }, world)
    const { nodes } = JSON.parse(output) as { nodes: readonly { node: readonly { name: string }[] }[] }
    expect(nodes[0]?.node.map(({ name }) => name)).toEqual(['alpha', 'beta'])
  })

  test('a page has its sections and no raw names', async () => {
    const { output } = await runTool({ tool: 'crm_mon', arguments: ['--output-as=html'] }, world)
    expect(output).toContain('<h2>Node List</h2>')
    expect(output).toContain('<h3>Clone Set: galera-clone [galera] (promotable)</h3>')
  })

  test('what is shown again and again needs the caller’s terminal', async () => {
    for (const form of ['', '-i 5', '-d -i 5 -h /tmp/page.html -p /tmp/pid'])
      expect(await runTool({ tool: 'crm_mon', arguments: form.split(' ').filter(Boolean) }, world)).toMatchObject({
        runHere: true,
      })
  })

  test('crm_resource tells where a resource runs', async () => {
    expect(await call('crm_resource -r galera --locate')).toBe('0 resource galera is running on: alpha Promoted')
    expect(await call('crm_resource -Q -r galera --locate')).toBe('0 alpha')
  })
})

test('what is secret does not get into the history of the configuration', async () => {
  await call('crm_attribute -n my-password -v swordfish')
  await call('crm_resource -r web -p passwd --parameter-value=swordfish')
  const pair = '<nvpair id="web-instance_attributes-passwd" name="passwd" value="swordfish"/>'
  await runTool({ tool: 'cibadmin', arguments: ['-M', '-c', '-X', pair] }, world)
  expect(world.commands.slice(0, 2)).toEqual([
    'crm_attribute -n my-password -v ******',
    'crm_resource -r web -p passwd --parameter-value=******',
  ])
  expect(world.commands.join()).not.toContain('swordfish')
})

test('the commands of the folder are the commands that there are, and the front end knows which need no daemon', () => {
  const names = readdirSync(shims).filter((name) => name !== 'systole-tool' && name !== 'pcs')
  expect(names.sort()).toEqual(allTools.map(({ name }) => name).sort())
  const listed = /my %here = .* qw\((.*)\)/.exec(readFileSync(join(shims, 'systole-tool'), 'utf8'))?.[1]
  expect(listed?.split(' ').sort()).toEqual(allTools.flatMap(({ name, runsHere }) => (runsHere ? [name] : [])).sort())
})

describe('over the socket', () => {
  let folder: string
  let server: ToolServer
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'systole-tools-'))
    server = await serveTools(join(folder, 'tools.sock'), {
      handle: (asked) => runTool(asked, world),
      callerOf: () => undefined,
    })
  })
  afterEach(async () => {
    await server.close()
    rmSync(folder, { recursive: true })
  })

  function shim(tool: string, words: readonly string[], more: Readonly<Record<string, string>> = {}) {
    const env = { PATH: '/usr/bin:/bin', SYSTOLE_TOOLS_SOCKET: join(folder, 'tools.sock'), ...more }
    return new Promise<{ readonly code: number; readonly output: string; readonly errors: string }>((resolve) => {
      execFile(join(shims, tool), words, { env }, (error, output, errors) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, output, errors })
      })
    })
  }

  /** An error is one way to it. */
  const closed = async (socket: Socket): Promise<void> =>
    await new Promise((resolve) => socket.on('close', () => resolve()))

  test('requests without an end fill no memory: the largest ends, and a small one is answered', async () => {
    const open = async (megabytes: number): Promise<Socket> => {
      const socket = connect(join(folder, 'tools.sock'))
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      socket.write(Buffer.alloc(megabytes * 1024 * 1024, 'x'))
      return socket
    }
    const sockets = [await open(10), await open(5), await open(3)]
    await closed(sockets[0] as Socket)
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, false, false])
    expect(await shim('crm_node', ['-n'])).toMatchObject({ code: 0 })
    for (const socket of sockets) socket.destroy()
  })

  test('connections that say nothing have an end, too', async () => {
    const sockets = Array.from({ length: requestRoom.connectionsOfUser + 1 }, () => connect(join(folder, 'tools.sock')))
    for (const socket of sockets) socket.on('error', () => undefined)
    await Promise.any(sockets.map(closed))
    for (const socket of sockets) socket.destroy()
    await vi.waitFor(async () => expect(await shim('crm_node', ['-n'])).toMatchObject({ code: 0 }))
  })

  test('millions of empty words are refused before they are looked at', async () => {
    const said = async (request: Buffer): Promise<string> => {
      const socket = connect({ path: join(folder, 'tools.sock'), allowHalfOpen: true })
      socket.end(request)
      const chunks: Buffer[] = []
      for await (const chunk of socket as AsyncIterable<Buffer>) chunks.push(chunk)
      return Buffer.concat(chunks).toString()
    }
    const head = Buffer.from('1\0crm_node\0\0\0-n\0')
    const begun = performance.now()
    expect(await said(Buffer.concat([head, Buffer.alloc(2_000_000)]))).toMatch(/^64 0\n/)
    expect(await said(Buffer.concat([head, Buffer.from('-l\0'.repeat(500_000))]))).toMatch(/^64 0\n/)
    expect(await said(Buffer.concat([head, Buffer.from(`-${'l'.repeat(2_000_000)}\0`)]))).toBe(
      '64 0\ncrm_node: More than 1000 options in one word\n',
    )
    expect(await said(Buffer.concat([head, Buffer.from('-l\0'.repeat(15_000))]))).toMatch(/^0 /)
    // Each of the first two took minutes once.
    expect(performance.now() - begun).toBeLessThan(20_000)
    expect(await said(head)).toBe('0 6\nalpha\n')
  })

  test('what a terminal would obey is printed as its number, and what no CIB can hold is refused', async () => {
    await shim('attrd_updater', ['-n', 'colour', '-U', 'x\u009b31m\u202e'])
    const { output } = await shim('crm_attribute', ['-l', 'reboot', '-N', 'alpha', '-n', 'colour', '-G', '-q'])
    expect(output).toBe('x\\u009b31m\\u202e\n')
    for (const words of [
      ['-n', 'colour', '-U', 'a\u0001'],
      ['-n', 'a\u001b', '-U', '1'],
    ])
      expect(await shim('attrd_updater', words)).toMatchObject({
        code: 64,
        errors: expect.stringMatching(
          /^attrd_updater: An argument holds the control character U\+00(01|1B), which a CIB cannot hold\.\n$/,
        ),
      })
    expect(await shim('crm_ticket', ['--ticket', 't\u0001', '--grant', '--force'])).toMatchObject({ code: 64 })
  })

  test('the commands say what the daemon says', async () => {
    expect(await shim('crm_node', ['-n'])).toEqual({ code: 0, output: 'alpha\n', errors: '' })
    expect(await shim('crm_attribute', ['-n', 'missing'])).toMatchObject({ code: 105, output: '' })
    expect((await shim('pacemakerd', ['-$'])).output).toMatch(/^Pacemaker 3\.\d+\.\d+\n/)
    expect((await shim('cibadmin', ['-Q'])).output).toMatch(/<\/cib>\n$/)
  })

  test('the score is that of the agent’s own resource, on the node it works for', async () => {
    await shim('crm_attribute', ['-p', '-v', '7'], { OCF_RESOURCE_INSTANCE: 'db', OCF_RESKEY_CRM_meta_on_node: 'beta' })
    expect(await call('crm_attribute -N beta -l reboot -n master-db -q')).toBe('0 7')
  })

  test('arguments with blanks, quotes, line breaks and other alphabets arrive as they are', async () => {
    const value = 'a "b" \'c\'\nd ä 漢'
    await shim('attrd_updater', ['-n', 'x', '-U', value])
    expect([...world.attributes.values()].map((attribute) => attribute.value)).toEqual([value])
  })

  test('without a daemon the exit code says so', async () => {
    const nowhere = { SYSTOLE_TOOLS_SOCKET: join(folder, 'nothing.sock') }
    expect(await shim('crm_node', ['-n'], nowhere)).toMatchObject({ code: 102, output: '' })
  })

  test('a wrong call is refused in one sentence, and nothing is shown again and again', async () => {
    const file = { CIB_file: join(dirname(fileURLToPath(import.meta.url)), 'cases/cluster.xml') }
    const refusals = [
      [['crm_mon', '--bogus'], 64, 'crm_mon: Unknown option --bogus\n'],
      [['crm_mon', '-i'], 64, 'crm_mon: Missing argument for -i\n'],
      [['crm_verify', '-x', '/none/x'], 78, 'crm_verify: /none/x cannot be read: no such file or directory.\n'],
      [['cibadmin', '-R', '-x', '/none/x'], 78, 'cibadmin: /none/x cannot be read: no such file or directory.\n'],
      [['crm_standby', '--bogus'], 1, 'crm_standby: Unknown option --bogus\n'],
      [['crm_verify', '-X', ''], 78, 'crm_verify: line 1, column 1: document must contain a root element.\n'],
      [['corosync-cmapctl', '--output-to=x'], 1, 'corosync-cmapctl: Unknown option --output-to=x\n'],
      [
        ['crm_error', '5', '--output-to=/none/x'],
        1,
        'crm_error: /none/x cannot be written: no such file or directory.\n',
      ],
    ] as const
    for (const [[tool, ...words], code, errors] of refusals)
      expect(await shim(tool, words, file), tool).toEqual({ code, output: '', errors })
  })

  test('a world that fails is an error of the command, not of the daemon', async () => {
    world.fencingHistory = () => Promise.reject(new Error('the store does not answer'))
    expect(await shim('crm_mon', ['-1X'])).toEqual({ code: 1, output: '', errors: 'the store does not answer\n' })
    expect(await shim('crm_node', ['-n'])).toMatchObject({ code: 0 })
  })
})

test('html is a page with the lines of the text for stonith_admin, and crm_mon prints nothing for none', async () => {
  const page = await call('stonith_admin -L --output-as=html')
  for (const line of (await call('stonith_admin -L')).replace(/^0 /, '').split('\n'))
    expect(page).toContain(`>${line}<`)
  expect(await call('crm_mon -1 --output-as=none')).toBe('0')
})
