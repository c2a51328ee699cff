/** An option of Pacemaker's commands that is accepted does something: the answer, the CIB or a file is another with it. What is refused says so. */
import { execFile } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { splitShellLine } from '../../src/cli/call/shell-words.ts'
import { callerFiles } from '../../src/tools/file/caller-files.ts'
import { FileWorld } from '../../src/tools/file/file-world.ts'
import { optionsOf } from '../../src/tools/help.ts'
import { allTools, runTool } from '../../src/tools/index.ts'
import { TestWorld } from './tool-world.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-tool-effects-'))
const file = join(folder, 'run/cib.xml')
afterAll(() => rmSync(folder, { recursive: true }))
beforeEach(() => clean())

function clean(): void {
  rmSync(join(folder, 'run'), { recursive: true, force: true })
  mkdirSync(join(folder, 'run'))
  copyFileSync(join(import.meta.dirname, 'cases/cluster.xml'), file)
  const text = readFileSync(file, 'utf8')
  writeFileSync(
    join(folder, 'run/broken.xml'),
    text.replace('<constraints>', '<constraints><rsc_order id="o" first="nothing" then="web"/>'),
  )
  writeFileSync(
    join(folder, 'run/warned.xml'),
    text.replace('<constraints>', '<constraints><rsc_location id="w" rsc="web" node="nobody" score="5"/>'),
  )
  writeFileSync(
    join(folder, 'run/change.xml'),
    '<nvpair id="cib-bootstrap-options-cluster-name" name="cluster-name" value="changed"/>',
  )
  writeFileSync(
    join(folder, 'run/patch.xml'),
    '<diff format="2"><version><source admin_epoch="0" epoch="0" num_updates="0"/><target admin_epoch="0" epoch="1" num_updates="0"/></version><change operation="delete" path="/cib/configuration/constraints"/></diff>',
  )
  writeFileSync(join(folder, 'run/other.xml'), readFileSync(file, 'utf8').replace('value="7"', 'value="8"'))
}

/** The option stands behind the bar; what stands before a semicolon is called before it. */
const onFile: readonly string[] = [
  'crm_verify --xml-file FOLDER/cib.xml| --save-xml FOLDER/saved.xml',
  'crm_standby -N alpha -v on| --id my-id',
  'crm_master -r web -N alpha -v 5| --id my-id',
  'crm_master -r web -N alpha -v 5; crm_master -r web -N alpha| --delete',
  'crm_attribute -t crm_config -n nosuch -G| --default 5',
  'crm_resource| --list-standards',
  'crm_resource| --list-agents ocf:pacemaker',
  'crm_resource| --list-ocf-providers',
  'crm_resource| --list-ocf-alternatives Dummy',
  'crm_resource| --show-metadata ocf:pacemaker:Dummy',
  'crm_resource -r web -p x -v 1| --nvpair my-id',
  'crm_resource -r web --ban -N beta -u P1D; crm_resource -r web --clear| --expired',
  'crm_resource -r web -p state -v FOLDER/web.state; crm_resource -r web| --force-start',
  'crm_resource -r web -p state -v FOLDER/web.state; crm_resource -r web| --force-stop',
  'crm_resource -r web -p state -v FOLDER/web.state; crm_resource -r web| --force-promote',
  'crm_resource -r web -p state -v FOLDER/web.state; crm_resource -r web| --force-demote',
  'crm_simulate --simulate --xml-file FOLDER/cib.xml --node-down alpha| --op-fail web_start_0@beta=1',
  'crm_simulate --simulate --xml-file FOLDER/cib.xml| --node-down alpha',
  'crm_simulate --simulate --xml-file FOLDER/cib.xml| --ticket-revoke ticketA',
  'crm_simulate --simulate --xml-file FOLDER/cib.xml| --ticket-standby ticketA',
  'crm_simulate --simulate --xml-file FOLDER/cib.xml| --save-dotfile FOLDER/x.dot',
  'crm_simulate --simulate --xml-file FOLDER/cib.xml| --save-input FOLDER/x.in',
  'crm_simulate --simulate --xml-file FOLDER/cib.xml| --save-output FOLDER/x.out',
  'crm_simulate --simulate --xml-file FOLDER/cib.xml --node-down alpha| --in-place',
  'crm_simulate --simulate --xml-file FOLDER/cib.xml| --quiet',
  'crm_simulate --simulate --show-attrs| --xml-file FOLDER/other.xml',
  'crm_simulate| --profile FOLDER',
  'crm_simulate --profile FOLDER| --repeat 100',
  'iso8601| --now',
  "iso8601 -d '2026-11-20 12:00:00Z'| --seconds",
  "iso8601 -d '2026-11-20 12:00:00Z'| --epoch",
  "iso8601 -d '2026-11-20 12:00:00Z'| --ordinal",
  "iso8601 -d '2026-11-20 12:00:00Z'| --week",
  "iso8601 -d '2026-11-20 12:00:00Z'| --expected '2026-11-20 12:00:01Z'",
  'crm_error 1| --exit',
  'cibadmin --query --user alice| --show-access',
  'crm_diff --original FOLDER/cib.xml| --new FOLDER/other.xml',
  'crm_rule --check -r r| --xml-text \'<cib><configuration><constraints><rsc_location id="l" rsc="web"><rule id="r" score="1"><date_expression id="d" operation="gt" start="2020-01-01"/></rule></rsc_location></constraints></configuration></cib>\'',
  'crmadmin| --pacemakerd',
  'crmadmin| --status alpha',
  'pacemakerd| --features',
  'stonith_admin| --list-installed',
  'stonith_admin --agent fence_ipmilan| --metadata',
  'stonith_admin --metadata| --agent fence_ipmilan',
  'crm_mon --as-html FOLDER/page.html| --interval 7s',
  'stonith_admin --agent fence_dummy| --validate',
  'stonith_admin --agent fence_ipmilan --validate| --option ip=192.0.2.1',
  'crm_mon| --web-cgi',
  'crm_mon| --as-html FOLDER/page.html',
  'crm_mon --as-html FOLDER/page.html| --html-cgi',
  'crm_mon --as-html FOLDER/page.html| --html-title Mine',
  'crm_mon --as-html FOLDER/page.html| --html-stylesheet https://example.org/x.css',
  'crm_mon -1| --output-to FOLDER/out.txt',
  'crm_mon| --simple-status',
  'crm_mon -1| --quiet',
  'crm_node| --name-for-id 1',
  'crm_node| --name',
  'crm_node| --quorum',
  'crm_node| --partition',
  'crm_failcount -r web -N alpha| --update 3',
  "crm_resource --validate --class ocf --provider heartbeat --agent IPaddr2| --option 'ip=192.0.2.1'",
  'crm_resource -r web -p state -v FOLDER/web.state; crm_resource -r web -p op_sleep -v 3; crm_resource -r web --force-start| --timeout 1s',
  'crm_resource -r web| --force-check',
  'cibadmin| --empty',
  "cibadmin -X '<cib/>'| --md5-sum",
  "cibadmin -X '<cib/>'| --md5-sum-versioned",
  'cibadmin --modify| --xml-file FOLDER/change.xml',
  'cibadmin --modify -X \'<nvpair id="new" name="a" value="b"/>\' -o crm_config| --allow-create',
  'crm_diff --original FOLDER/cib.xml| --patch FOLDER/patch.xml',
  'crm_diff --new FOLDER/other.xml| --original FOLDER/cib.xml',
  'crm_verify| --xml-file FOLDER/broken.xml',
  'crm_verify --xml-file FOLDER/warned.xml| --verbose',
  'crm_verify --xml-file FOLDER/broken.xml| --quiet',
  'crm_simulate --simulate --xml-file FOLDER/cib.xml| --show-scores',
  'crm_simulate --simulate --xml-file FOLDER/cib.xml| --show-utilization',
  'crm_simulate --simulate --xml-file FOLDER/cib.xml| --save-graph FOLDER/x.xml',
  "crm_simulate --simulate --xml-file FOLDER/cib.xml| --set-datetime '2000-01-01 00:00:00Z'",
]

async function call(line: string): Promise<string> {
  const [tool = '', ...words] = splitShellLine(line.replaceAll('FOLDER', join(folder, 'run')))
  const reply = await runTool(
    { tool, arguments: words, files: callerFiles(process.env) },
    new FileWorld({ path: file }),
  )
  return `${reply.exitCode}\n${reply.output}\n${reply.errors}`
}

async function play(line: string): Promise<string> {
  clean()
  const steps = line.split('; ')
  for (const step of steps.slice(0, -1)) await call(step)
  const said = await call(steps.at(-1) ?? '')
  const files = readdirSync(join(folder, 'run')).map((name) => {
    const path = join(folder, 'run', name)
    return `${name}: ${statSync(path).isFile() ? readFileSync(path, 'utf8') : ''}`
  })
  return [said, ...files].join('\n').replace(/time: .*/g, '')
}

test.each(onFile)('%s', { timeout: 60_000 }, async (row) => {
  const [common = '', option = ''] = row.split('|')
  const without = await play(common)
  const withIt = await play(common + option)
  expect(withIt).not.toBe(without)
  expect(withIt).not.toMatch(/unknown option|there is no such|[Uu]nrecogni[sz]ed|cannot be read/)
})

test('iso8601 --now --local is in the time zone of the host', async () => {
  const zone = process.env.TZ
  try {
    process.env.TZ = 'Asia/Tokyo'
    expect(await call('iso8601 --now --local')).toContain('+09:00')
  } finally {
    process.env.TZ = zone
  }
})

/** With a node that says what is asked of it. */
const onNode: readonly string[] = [
  'attrd_updater -n a -U 1; attrd_updater -n b -U 1; attrd_updater -D| --pattern ^a',
  'attrd_updater -n a -U 1| --set my-set',
  'crm_node| --cluster-id',
  'corosync-cmapctl| -g totem.cluster_name',
  'corosync-cmapctl -g totem.cluster_name| -q',
  'corosync-quorumtool -s| -H',
  'corosync-cfgtool| -n',
  'corosync-cfgtool -s| -b',
  'corosync-cfgtool -s| -i 7',
  'corosync-cfgtool -s| -V',
  'corosync-quorumtool -s| -V',
  'corosync-cmapctl totem| -V',
  'crm_node -l| --output-as=xml',
  'stonith_admin -L| --output-as=html',
  'stonith_admin -L --output-as=html| --html-title=Mine',
  'stonith_admin -L --output-as=html| --html-stylesheet=/mine.css',
  'stonith_admin -L --output-as=html| --html-cgi',
  'crm_resource -r web| --cleanup',
  'crm_resource -r web| --reprobe',
  'crm_resource -r web --cleanup --node alpha| --operation monitor',
  'crm_resource -r web --cleanup --node alpha --operation monitor| --interval 10s',
  'crm_resource --cleanup| --node alpha',
  'crm_resource -r web| --restart',
  'attrd_updater -n a| --update 1',
  'attrd_updater --name a| --update 1',
  'attrd_updater -n a -U 1; attrd_updater -n a| --delete',
  'attrd_updater -n a -U 1; attrd_updater -n a -D| --query',
  'attrd_updater -n a -U 1| --node beta',
  'attrd_updater -n a -U 1| --private',
  'attrd_updater -n a -B 1| --delay 5s',
  'attrd_updater -n a -d 5s| --update-both 1',
  'attrd_updater -n a -U 1; attrd_updater -n a -d 5s| --update-delay',
  'attrd_updater| --refresh',
  'crm_node -R beta| --force',
  'corosync-cfgtool| -s',
  'corosync-cfgtool| -R',
  'corosync-cfgtool| -L',
  'corosync-cfgtool| -a 1',
  'corosync-quorumtool| -l',
  'corosync-quorumtool| -p',
  'stonith_admin| --fence alpha',
  'stonith_admin| --unfence alpha',
  'stonith_admin| --reboot alpha',
  'stonith_admin| --confirm beta',
  'stonith_admin| --list-registered',
  'stonith_admin| --list alpha',
  'stonith_admin| --list-targets st-list',
  'stonith_admin| --query st-list',
  'stonith_admin| --last alpha',
  'stonith_admin| --history alpha',
  'stonith_admin --history alpha| --quiet',
  'stonith_admin --last 1| --as-node-id',
  'stonith_admin --reboot alpha| --timeout 7s',
  'stonith_admin --reboot alpha| --delay 7s',
  'stonith_admin --reboot alpha| --tag mine',
  'stonith_admin --history alpha| --cleanup',
  'stonith_admin --agent fence_ipmilan --validate| --env-option',
]

test.each(onNode)('%s', async (row) => {
  const [common = '', option = ''] = row.split('|')
  const asked = async (line: string): Promise<string> => {
    const world = new TestWorld()
    const said: string[] = []
    for (const step of line.split('; ')) {
      const [tool = '', ...words] = splitShellLine(step)
      const { exitCode, output, errors } = await runTool({ tool, arguments: words }, world)
      said.push(`${exitCode} ${output} ${errors}`)
    }
    return [...said, ...world.commands, ...world.cleaned, ...world.asked, JSON.stringify([...world.attributes])].join(
      '\n',
    )
  }
  const withIt = await asked(common + option)
  expect(withIt).not.toBe(await asked(common))
  expect(withIt).not.toMatch(/unknown option|there is no such/)
})

test('crm_mon --fence-history says how much of the fencing that there was is shown', async () => {
  const world = new TestWorld()
  const times = { begun: 1_763_719_000, ended: 1_763_719_100 }
  world.fencing = [{ target: 'beta', action: 'reboot', client: 'admin', node: 'alpha', outcome: 'failed', ...times }]
  const shown = async (...words: readonly string[]): Promise<string> =>
    (await runTool({ tool: 'crm_mon', arguments: ['-1', ...words] }, world)).output
  expect(await shown('--fence-history=3')).toContain('reboot of beta')
  expect(await shown('--fence-history=0')).not.toContain('reboot of beta')
})

test('crm_mon --show-description shows what the configuration says of a resource, after its state', async () => {
  const described =
    '<group id="g" description="all of it"><primitive id="d" class="ocf" provider="pacemaker" type="Dummy" description="one of it"/></group>'
  await call(`cibadmin --create -o resources -X '${described}'`)
  expect(await call('crm_mon -1 -r')).not.toContain('of it')
  const lines = '  * Resource Group: g (all of it):\n    * d\t(ocf:pacemaker:Dummy):\t Stopped (one of it)\n'
  expect(await call('crm_mon -1 -r --show-description')).toContain(lines)
  expect(await call('crm_resource --list')).toContain(lines)
})

test('corosync-cfgtool shows links by node, one of them, and in one word; corosync-quorumtool shows addresses', async () => {
  class Linked extends TestWorld {
    override nodes() {
      const link = (number: number, end: number, isUp: boolean) => ({ number, address: `10.${number}.0.${end}`, isUp })
      return super.nodes().map((node, at) => ({
        ...node,
        address: `10.0.0.${at + 1}`,
        links: [link(0, at + 1, true), link(1, at + 1, at === 0)],
      }))
    }
  }
  const answer = async (line: string): Promise<string> => {
    const [tool = '', ...words] = line.split(' ')
    const { exitCode, output, errors } = await runTool({ tool, arguments: words }, new Linked())
    return `${exitCode} ${output}${errors}`
  }
  const title = '0 Local node ID 1, transport tls\n'
  expect(await answer('corosync-cfgtool -n')).toBe(
    `${title}nodeid:          2 reachable\n   LINK: 0 tcp (10.0.0.1->10.0.0.2) enabled connected\n   LINK: 1 tcp (10.1.0.1->10.1.0.2) enabled disconnected\n\n`,
  )
  expect(await answer('corosync-cfgtool -s -b -i 1')).toBe(
    `${title}LINK ID 1 tcp\n\taddr\t= 10.1.0.1\n\tstatus\t= n1\n`,
  )
  expect(await answer('corosync-cfgtool -s -b -i 10.0.0.1')).toContain('\tstatus\t= n3\n')
  expect(await answer('corosync-cfgtool -s -i 7')).toBe('1 corosync-cfgtool: this node has no link 7.\n')
  expect(await answer('corosync-quorumtool -l -i')).toContain('1 10.0.0.1 (local)\n')
})

test('corosync-cmapctl takes several names, and several beginnings of names', async () => {
  const answer = async (...words: readonly string[]): Promise<string> => {
    const { exitCode, output, errors } = await runTool({ tool: 'corosync-cmapctl', arguments: words }, new TestWorld())
    return `${exitCode} ${output}${errors}`
  }
  expect(await answer('-q', '-g', 'totem.cluster_name', 'nosuch', 'totem.version')).toBe(
    "1 test\n2\nCan't get key nosuch. Error CS_ERR_NOT_EXIST\n",
  )
  expect(await answer('-g', 'runtime.votequorum.this_node_id')).toContain('= 1\n')
  expect(await answer('totem.v', 'quorum.p')).toBe('0 quorum.provider (str) = systole\ntotem.version (u32) = 2\n')
})

test('crm_node gives its answers as XML', async () => {
  const answer = async (...words: readonly string[]): Promise<string> =>
    (await runTool({ tool: 'crm_node', arguments: [...words, '--output-as=xml'] }, new TestWorld())).output
  expect(await answer('-l')).toContain('<node id="1" name="alpha" state="member"/>')
  expect(await answer('-p')).not.toContain('beta')
  expect(await answer('-i')).toContain('<node-info nodeid="1" uname="alpha"/>')
  expect(await answer('-N', '2')).toContain('<node-info nodeid="2" uname="beta"/>')
  expect(await answer('-q')).toContain('<cluster-info quorum="true"/>')
})

test('attrd_updater --all asks for every node where an agent works for one', async () => {
  const world = new TestWorld()
  await runTool({ tool: 'attrd_updater', arguments: ['-n', 'a', '-U', '1', '-N', 'beta'] }, world)
  const asked = async (...more: readonly string[]): Promise<string> =>
    (await runTool({ tool: 'attrd_updater', arguments: ['-n', 'a', '-Q', ...more], onNode: nodeName('alpha') }, world))
      .output
  expect(await asked()).toBe('')
  expect(await asked('--all')).toBe('name="a" host="beta" value="1"\n')
})

test('corosync-quorumtool -o orders the members by their names or ids', async () => {
  class Renumbered extends TestWorld {
    override nodes() {
      const [alpha, beta] = super.nodes()
      return [alpha, beta].flatMap((node, at) =>
        node ? [{ ...node, id: String(2 - at), state: 'member' as const }] : [],
      )
    }
  }
  const members = async (order: string): Promise<readonly string[]> => {
    const { output } = await runTool({ tool: 'corosync-quorumtool', arguments: ['-l', '-o', order] }, new Renumbered())
    return [...output.matchAll(/alpha|beta/g)].map(([name]) => name)
  }
  expect(await members('n')).toEqual(['alpha', 'beta'])
  expect(await members('i')).toEqual(['beta', 'alpha'])
})

const refusals = allTools.flatMap(({ name, options }) =>
  options.flatMap((option) => (option.help.startsWith('Refused: ') ? [{ name, option }] : [])),
)

test.each(refusals)('$name refuses $option.names.0, and says why', async ({ name, option }) => {
  const [first = ''] = option.names
  const written = first.length === 1 ? `-${first}` : `--${first}`
  const words = option.value === 'none' ? [written] : [written, 'x']
  const { exitCode, errors } = await runTool({ tool: name, arguments: words, files: callerFiles({}) }, new TestWorld())
  expect(exitCode).not.toBe(0)
  expect(errors).toMatch(new RegExp(`^${name}: .{20,}`))
})

const idle: readonly string[] = [
  'crm_attribute -n join-integration-timeout -v 5min',
  'cibadmin --modify -o crm_config -X \'<cluster_property_set id="cib-bootstrap-options"><nvpair id="x" name="join-integration-timeout" value="5min"/></cluster_property_set>\'',
  'crm_resource -r fencer -p stonith-timeout -v 5min',
]

test.each(idle)('%s: it is taken, and told that it does nothing, the first time', async (line) => {
  await call(`cibadmin --create -o resources -X '<primitive id="fencer" class="stonith" type="fence_dummy"/>'`)
  const word = line.includes('fencer') ? 'stonith-timeout=5min' : 'join-integration-timeout=5min'
  expect(await call(line)).toContain(`\n${line.split(' ')[0]}: ${word.replace('stonith-', 'fencing-')} has no effect: `)
  expect(await call(line)).not.toContain('has no effect')
  expect(readFileSync(file, 'utf8')).toContain(word.split('=')[0])
})

/** Where no node is asked, in a folder of this test. */
const report = ['--single-node', '--as-directory', '--dest', join(folder, 'run/report')]

const undone = allTools.flatMap(({ name, options }) =>
  options.flatMap((option) => (option.ignored === 'told' ? [{ name, option }] : [])),
)

test.each(undone)('$name says that $option.names.0 has no effect', async ({ name, option }) => {
  const [first = ''] = option.names
  const written = first.length === 1 ? `-${first}` : `--${first}`
  const value = option.checked === undefined ? 'x' : '1'
  const words = [...(name === 'crm_report' ? report : []), ...(option.value === 'none' ? [written] : [written, value])]
  const { errors } = await runTool({ tool: name, arguments: words, files: callerFiles({}) }, new TestWorld())
  expect(errors).toContain(`${name}: ${written} has no effect here: ${option.help.replace('No effect: ', '')}.`)
})

const kept = allTools.flatMap((tool) =>
  optionsOf(tool).flatMap((option) => (option.ignored === 'holds' ? [{ name: tool.name, option }] : [])),
)

/** A question to each, to which it has an answer. */
const questions: Readonly<Record<string, readonly string[]>> = {
  attrd_updater: ['-n', 'a', '-U', '1'],
  cibadmin: ['--query'],
  'corosync-quorumtool': ['-l'],
  crm_attribute: ['-n', 'cluster-name', '-G'],
  crm_mon: ['-1'],
  crm_node: ['-l'],
  crm_report: report,
  crm_resource: ['-l'],
  crm_simulate: ['-L'],
  crm_ticket: ['-l'],
  stonith_admin: ['-H', '*'],
}

test.each(kept)('$name: what $option.names.0 asks for is so without it', async ({ name, option }) => {
  const [first = ''] = option.names
  const said = async (...more: readonly string[]): Promise<string> => {
    clean()
    const words = [...(questions[name] ?? []), ...more]
    const reply = await runTool({ tool: name, arguments: words, files: callerFiles({}) }, new TestWorld())
    return `${reply.exitCode} ${reply.output} ${reply.errors}`
  }
  expect(await said(first.length === 1 ? `-${first}` : `--${first}`)).toBe(await said())
})

test.each([
  ['cibadmin', '--query', '--timeout=1'],
  ['cibadmin', '-Q', '-t', '900ms'],
  ['cibadmin', '-Q', '-tPT1S'],
  ['cibadmin', '-Q', '--timeout=0.5S'],
  ['crmadmin', '--dc_lookup', '--timeout', '1s'],
])('%s %s %s: it gives up where the daemon does not answer', async (tool, ...words) => {
  const silent = createServer(() => undefined)
  const path = join(folder, 'silent.sock')
  await new Promise<void>((resolve) => silent.listen(path, resolve))
  try {
    const env = { ...process.env, SYSTOLE_TOOLS_SOCKET: path }
    const program = join(import.meta.dirname, '../../shims', tool ?? '')
    const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) =>
      execFile(program, words, { env }, (error, _, stderr) => resolve({ code: error?.code, stderr })),
    )
    expect({ code, stderr }).toEqual({ code: 124, stderr: `${tool}: Call failed: Timer expired\n` })
  } finally {
    silent.close()
  }
})

test.each(['cibadmin -Q -t soon', 'crmadmin -D --timeout=none'])('%s: that is not a time', async (line) => {
  const [tool = '', ...words] = splitShellLine(line)
  const { exitCode, errors } = await runTool({ tool, arguments: words }, new TestWorld())
  expect(exitCode).toBe(64)
  expect(errors).toMatch(/^(cib|crm)admin: The value '\w+' of (-t|--timeout) is not a time, such as 30 or 2min\.\n$/)
})

test.each(['attrd_updater', 'crm_attribute -N alpha -l reboot'])(
  '%s: it answers once the value is there, and takes no other word',
  async (beginning) => {
    const world = new TestWorld()
    const said = async (line: string): Promise<string> => {
      const [tool = '', ...words] = splitShellLine(line)
      const { exitCode, output, errors } = await runTool({ tool, arguments: words }, world)
      return `${exitCode} ${output}${errors}`
    }
    const verb = beginning.startsWith('crm') ? '-v' : '-U'
    expect(await said(`${beginning} -n a ${verb} 5 --wait=cluster`)).toBe('0 ')
    expect(await said('attrd_updater -n a -Q')).toContain('value="5"')
    expect(await said(`${beginning} -n a ${verb} 6 --wait=soon`)).toMatch(/^64 .*--wait= must be one of/)
    expect(await said('attrd_updater -n a -Q')).toContain('value="5"')
  },
)

test('stonith_admin --tolerance: what succeeded less than this ago is not done again', async () => {
  const world = new TestWorld()
  const ended = world.now() - 60
  world.fencing = [
    { target: 'beta', action: 'reboot', client: 'x', node: 'alpha', outcome: 'success', begun: ended - 5, ended },
  ]
  const asked = async (line: string): Promise<number> => {
    world.asked.length = 0
    const [tool = '', ...words] = splitShellLine(line)
    expect((await runTool({ tool, arguments: words }, world)).exitCode).toBe(0)
    return world.asked.length
  }
  expect(await asked('stonith_admin --reboot beta --tolerance 2min')).toBe(0)
  expect(await asked('stonith_admin --reboot beta --tolerance 59s')).toBe(1)
  expect(await asked('stonith_admin --fence beta --tolerance 2min')).toBe(1)
  expect(await asked('stonith_admin --reboot beta')).toBe(1)
})

test.each(['timeout', 'tolerance', 'delay'])('stonith_admin --%s takes a duration, and nothing else', async (name) => {
  const world = new TestWorld()
  const { exitCode, errors } = await runTool(
    { tool: 'stonith_admin', arguments: ['--reboot', 'beta', `--${name}=soon`] },
    world,
  )
  expect([exitCode, errors, world.asked]).toEqual([
    64,
    `stonith_admin: The value 'soon' of --${name} is not a time, such as 30 or 2min.\n`,
    [],
  ])
})
