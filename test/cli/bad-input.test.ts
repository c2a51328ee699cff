import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { type Printed, runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

/**
 * Mistyped, contradictory and hostile input. Each line gets its sentence (or one for each mistake in it) and a non-zero
 * exit code, and the CIB stays byte for byte what it was.
 */
const cib = `<cib crm_feature_set="3.16.1" validate-with="pacemaker-3.8" epoch="5" num_updates="0" admin_epoch="0">
  <configuration>
    <crm_config>
      <cluster_property_set id="cib-bootstrap-options">
        <nvpair id="cib-bootstrap-options-no-quorum-policy" name="no-quorum-policy" value="stop"/>
      </cluster_property_set>
    </crm_config>
    <nodes>
      <node id="1" uname="n1"/>
      <node id="2" uname="n2"/>
      <node id="3" uname="n3"/>
    </nodes>
    <resources>
      <group id="webservice">
        <primitive id="vip" class="ocf" provider="heartbeat" type="Dummy"/>
        <primitive id="web" class="ocf" provider="heartbeat" type="Dummy"/>
      </group>
      <clone id="ping-clone">
        <primitive id="ping" class="ocf" provider="heartbeat" type="Dummy"/>
      </clone>
      <primitive id="db" class="ocf" provider="heartbeat" type="Dummy">
        <operations>
          <op id="db-monitor-10s" name="monitor" interval="10s"/>
        </operations>
      </primitive>
      <primitive id="fence-n1" class="stonith" type="fence_ipmilan"/>
    </resources>
    <constraints>
      <rsc_location id="location-db" rsc="db" node="n1" score="100"/>
    </constraints>
  </configuration>
  <status/>
</cib>
`

const lines: readonly { readonly line: string; readonly says: RegExp }[] = [
  // Commands and flags
  { line: 'resorce create x Dummy', says: /no command 'resorce'.*Did you mean 'resource'/ },
  { line: 'resource craete x Dummy', says: /no command 'craete'.*Did you mean 'create'/ },
  { line: 'resource group', says: /is incomplete/ },
  { line: 'cluster', says: /is incomplete/ },
  { line: 'node', says: /is incomplete/ },
  { line: 'node stanby n1', says: /Did you mean 'standby'/ },
  { line: 'resource disable db --dry-run', says: /no option '--dry-run'.*--preview/ },
  { line: 'resource disable db --forse', says: /no option '--forse'.*--force/ },
  { line: 'resource disable db --wait=soon', says: /running cluster|not a number of seconds/ },
  { line: 'property set', says: /missing|No option/ },
  { line: 'stonith fence', says: /missing/ },
  { line: 'stonith fence n1', says: /needs a running cluster/ },
  { line: 'quorum status', says: /needs a running cluster/ },
  {
    line: 'quorum device add host=w',
    says: /Arguments are missing. Usage: systole quorum device add model net host=<host>/,
  },
  { line: 'quorum device add model net', says: /The witness's host is missing/ },
  { line: 'quorum device add model disk host=w', says: /no quorum device model 'disk'/ },
  { line: 'quorum device add model net host=w algorithm=lms', says: /which is algorithm=ffsplit: algorithm=lms would/ },
  { line: 'quorum device add model net host=w tls=off', says: /always uses TLS/ },
  { line: 'quorum device add model net host=w heuristics mode=on', says: /no heuristics/ },
  {
    line: 'quorum device add timeout=5000 model net host=w port=5403',
    says: /'timeout=5000' is not a witness option.*'port=5403' is not/s,
  },
  { line: 'quorum device add model net host=w_1', says: /'w_1' is not a valid node name/ },
  {
    line: 'stonith create disk fence_sbd devices=/dev/sdb',
    says: /n1, n2, n3 would not read \/dev\/sdb: a node reported as fenced would keep running.*--force/s,
  },
  { line: 'stonith sbd device setup', says: /Specify one to three disks.*device=/ },
  { line: 'stonith sbd device setup device=sdb', says: /'sdb' is not an absolute path/ },
  { line: 'stonith sbd device setup device=/dev/sdb size=4', says: /'size' is not a disk option/ },
  { line: 'stonith sbd device setup device=/dev/sdb loop-timeout=0', says: /loop-timeout=0 is not a whole number/ },
  {
    line: 'stonith sbd device setup device=/dev/sdb watchdog-timeout=10 msgwait-timeout=15',
    says: /15 s is too short for a watchdog timeout of 10 s/,
  },
  {
    line: 'stonith sbd device setup device=/dev/sdb',
    says: /\/dev\/sdb would be lost: answer at a terminal, or add --force/,
  },
  { line: 'stonith sbd device message /dev/sdb n1 die', says: /'die' is not a message. The messages are test, reset/ },
  { line: 'stonith sbd device message sdb n1 test', says: /'sdb' is not an absolute path/ },
  { line: 'stonith sbd device message /dev/nowhere n1 test', says: /sbd/ },
  {
    line: 'stonith sbd enable device=/dev/a device=/dev/b device=/dev/c device=/dev/d',
    says: /disk= is given 4 times for all nodes/,
  },
  { line: 'stonith sbd watchdog test /dev/null --yes', says: /'\/dev\/null' is not a watchdog of this machine/ },
  { line: 'stonith sbd watchdog test /nowhere', says: /'\/nowhere' is not a watchdog/ },
  { line: 'stonith sbd watchdog test /dev/watchdog x', says: /Unexpected argument 'x'/ },
  { line: 'quorum device update', says: /Arguments are missing. Usage: systole quorum device update model/ },
  { line: 'quorum device update model addr=1.2.3.4', says: /Arguments are missing/ },
  { line: 'quorum device update model algorithm=lms', says: /which is algorithm=ffsplit: algorithm=lms would/ },
  { line: 'quorum device update sync_timeout=1 model host=v port=2', says: /'sync_timeout=1' is no.*'port=2' is no/s },
  { line: 'quorum device update heuristics mode=on', says: /no heuristics/ },
  { line: 'quorum device update model host=v', says: /needs a running cluster/ },
  { line: 'qdevice setup net', says: /Arguments are missing. Usage: systole qdevice setup model net/ },
  { line: 'qdevice stop disk', says: /no quorum device model 'disk'/ },
  { line: 'status wbe', says: /Unexpected argument 'wbe'/ },
  { line: 'cluster start --all', says: /needs a running cluster/ },
  { line: 'config history', says: /needs a running cluster/ },
  { line: 'resource cleanup db', says: /needs a running cluster/ },
  { line: 'cluster setup c n1 totem token=soon', says: /'soon' is not a token/ },
  { line: 'cluster setup c n1 totem konsensus=5', says: /'konsensus' is not a totem option.*consensus/ },
  { line: 'cluster config update', says: /No option is given/ },
  { line: 'cluster config update token=2000', says: /'token=2000' precedes/ },
  { line: 'cluster config update totem token=200', says: /'200' is not a token/ },
  { line: 'cluster config update totem token=500 totem token=600', says: /given twice/ },
  { line: 'cluster config update totem token=2000', says: /needs a running cluster/ },
  {
    line: 'cluster config update crypto cipher=aes256 totem token=2000 join=50 tokn=1',
    says: /'crypto cipher' has no equivalent: all connections use TLS.*'totem join' has no.*'tokn' is not a totem option.*token/s,
  },
  {
    line: 'cluster config update totem token=2000 --corosync_conf=/x',
    says: /Systole does not read corosync.conf/,
  },
  { line: 'cluster setup c n1 transport knet', says: /have no equivalent here/ },
  { line: 'cluster setup c n1 --etcd nowhere', says: /'nowhere' is not an etcd address/ },
  { line: 'cluster setup c n1 --etcd-ca=/ca.pem', says: /specify it with --etcd/ },
  { line: 'cluster setup c n1 --etcd=e1:2379 --etcd-key=/key.pem', says: /require each other/ },
  { line: 'cluster setup c n1 --store=mysql', says: /'mysql' is not a store/ },
  // Resources
  { line: 'resource create', says: /missing/ },
  { line: 'resource create x', says: /missing/ },
  { line: 'resource create db ocf:heartbeat:Dummy', says: /'db' already exists/ },
  { line: 'resource create webservice ocf:heartbeat:Dummy', says: /'webservice' already exists/ },
  { line: 'resource create 1x ocf:heartbeat:Dummy', says: /'1x' cannot be an id/ },
  { line: 'resource create a/b ocf:heartbeat:Dummy', says: /'a\/b' cannot be an id/ },
  {
    line: `resource create ${'a'.repeat(260)} ocf:heartbeat:Dummy`,
    says: /The id 'a+…' has 260 bytes. The limit is 128/,
  },
  { line: 'resource create x ocf:heartbeat:Dumy', says: /no agent 'ocf:heartbeat:Dumy'.*Dummy/ },
  { line: 'resource create x ocf:hartbeat:Dummy', says: /agent 'ocf:hartbeat:Dummy'/ },
  { line: 'resource create x NoSuchAgent', says: /agent 'NoSuchAgent'/ },
  { line: 'resource create x ocf:heartbeat:Dummy stat=/x', says: /no parameter 'stat'.*state/ },
  { line: 'resource create x ocf:heartbeat:IPaddr2', says: /parameter 'ip'|needs.*ip/ },
  { line: 'resource create x ocf:heartbeat:Dummy state', says: /not of the form name=value/ },
  { line: 'resource create x ocf:heartbeat:Dummy op', says: /after 'op'/ },
  { line: 'resource create x ocf:heartbeat:Dummy op monitor interval=ten', says: /'ten' is not a valid interval/ },
  { line: 'resource create x ocf:heartbeat:Dummy op monitor intervall=10', says: /intervall/ },
  { line: 'resource create x ocf:heartbeat:Dummy meta target-rol=Stopped', says: /target-rol'.*target-role/ },
  { line: 'resource create x ocf:heartbeat:Dummy meta target-role=Sleeping', says: /'Sleeping'/ },
  { line: 'resource create x ocf:heartbeat:Dummy meta resource-stickiness=lots', says: /'lots'/ },
  { line: 'resource create x ocf:heartbeat:Dummy meta migration-threshold=-x', says: /'-x'/ },
  { line: 'resource create x ocf:heartbeat:Dummy group webservice before nothing', says: /nothing/ },
  { line: 'resource create x ocf:heartbeat:Dummy clone group webservice', says: /only one of/ },
  { line: 'resource create x ocf:heartbeat:Dummy group db', says: /'db' is a primitive|needs a group/ },
  { line: 'resource delete nothing', says: /no resource 'nothing'/ },
  { line: 'resource delete webb', says: /no resource 'webb'.*Did you mean 'web'/ },
  { line: 'resource update db stat=/x', says: /no parameter 'stat'/ },
  { line: 'resource update nothing state=/x', says: /no resource 'nothing'/ },
  { line: 'resource update db', says: /missing|given/ },
  { line: 'resource enable nothing', says: /no resource 'nothing'/ },
  { line: 'resource disable', says: /missing/ },
  { line: 'resource disable db dbb', says: /no resource 'dbb'/ },
  { line: 'resource manage nothing', says: /no resource 'nothing'/ },
  { line: 'resource move nothing', says: /no resource 'nothing'/ },
  { line: 'resource move db n9', says: /no node 'n9'/ },
  { line: 'resource move', says: /missing/ },
  { line: 'resource ban db n9', says: /no node 'n9'/ },
  { line: 'resource ban db n1 lifetime=soon', says: /soon/ },
  { line: 'resource group add g2 db db', says: /'db' is given twice/ },
  { line: 'resource group add g2', says: /missing|given/ },
  { line: 'resource group add g2 nothing', says: /no resource 'nothing'/ },
  { line: 'resource group add db vip', says: /'db' is/ },
  { line: 'resource group add webservice webservice', says: /webservice/ },
  { line: 'resource group remove webservice db', says: /'db' is not in/ },
  { line: 'resource clone ping', says: /already in the clone|already/ },
  { line: 'resource op add db monitor interval=7s', says: /has the operation monitor already/ },
  { line: 'resource group add webservice web', says: /is in the group 'webservice' already/ },
  { line: 'resource clone db meta clone-max=many', says: /'many'/ },
  { line: 'resource promotable nothing', says: /no resource 'nothing'/ },
  { line: 'resource meta db prioritty=1', says: /prioritty'.*priority/ },
  { line: 'resource meta db priority=high', says: /'high'/ },
  { line: 'resource op add db', says: /missing/ },
  { line: 'resource op remove db start', says: /no operation start/ },
  { line: 'resource defaults update resource-stickyness=5', says: /resource-stickyness'.*resource-stickiness/ },
  // Constraints
  { line: 'constraint order db then db', says: /'db' cannot refer to itself/ },
  { line: 'constraint location db prefers n1=lots', says: /'lots'/ },
  { line: 'constraint location nothing avoids n1', says: /no resource 'nothing'/ },
  { line: 'constraint location db', says: /prefers|missing/ },
  { line: 'constraint location db likes n1', says: /'likes'|prefers/ },
  { line: 'constraint location add location-db db n1 5', says: /location-db/ },
  { line: 'constraint colocation add web with nothing', says: /no resource 'nothing'/ },
  { line: 'constraint colocation add web with', says: /missing/ },
  { line: 'constraint colocation add web db', says: /with/ },
  { line: 'constraint colocation add db with db', says: /itself/ },
  { line: 'constraint colocation add web with db score=much', says: /'much'/ },
  { line: 'constraint order start web then start nothing', says: /no resource 'nothing'/ },
  { line: 'constraint order begin web then start db', says: /begin/ },
  { line: 'constraint order web db', says: /then/ },
  { line: 'constraint order web then web', says: /itself/ },
  { line: 'constraint order web then db kind=Maybe', says: /Maybe/ },
  { line: 'constraint order web then db symmetrical=perhaps', says: /perhaps/ },
  { line: 'constraint delete nothing', says: /no constraint 'nothing'/ },
  { line: 'constraint delete', says: /missing/ },
  { line: 'constraint delete location-dbb', says: /Did you mean 'location-db'/ },
  // Nodes, properties, fencing
  { line: 'node standby n9', says: /no node 'n9'/ },
  { line: 'node maintenance n1 n9', says: /no node 'n9'/ },
  { line: 'node attribute n9 a=b', says: /no node 'n9'/ },
  { line: 'node attribute n1 a', says: /name=value/ },
  { line: 'property set no-quorum-polcy=stop', says: /no-quorum-polcy'.*no-quorum-policy/ },
  { line: 'property set no-quorum-policy=pray', says: /'pray'/ },
  { line: 'property set fencing-enabled=perhaps', says: /'perhaps'/ },
  { line: 'property set cluster-recheck-interval=often', says: /'often'/ },
  { line: 'property unset nothing-such', says: /nothing-such/ },
  { line: 'stonith create f2 fence_ipmi', says: /fence_ipmi/ },
  { line: 'stonith create f2 fence_ipmilan ipp=1.2.3.4', says: /ipp/ },
  { line: 'stonith create f2 fence_ipmilan ip=1.2.3.4 action=off', says: /pcmk_off_action/ },
  { line: 'stonith update fence-n1 action=off', says: /pcmk_off_action/ },
  { line: 'stonith create fence-n1 fence_ipmilan ip=1.2.3.4', says: /already exists/ },
  { line: 'stonith level add one n1 fence-n1', says: /'one'/ },
  { line: 'stonith level add 1 n9 fence-n1', says: /n9/ },
  { line: 'stonith level add 1 n1 nothing', says: /nothing/ },
  { line: 'stonith delete nothing', says: /nothing/ },
]

/** CIBs that are pushed; each is refused whole. */
const pushes: readonly { readonly name: string; readonly edit: (text: string) => string; readonly says: RegExp }[] = [
  { name: 'cut off in the middle', edit: (text) => text.slice(0, 400), says: /line \d+, column \d+/ },
  { name: 'an unquoted value', edit: (text) => text.replace('rsc="db"', 'rsc=db'), says: /line \d+, column \d+/ },
  { name: 'not XML at all', edit: () => 'hello', says: /line 1/ },
  { name: 'empty', edit: () => '', says: /line 1/ },
  { name: 'another document', edit: () => '<html/>', says: /not a CIB/ },
  { name: 'no configuration', edit: () => '<cib/>', says: /no <configuration>/ },
  { name: 'a duplicate id', edit: (text) => text.replace('id="web"', 'id="vip"'), says: /vip/ },
  {
    name: 'a constraint on a resource that is not there',
    edit: (text) => text.replace('rsc="db"', 'rsc="dbb"'),
    says: /dbb.*Did you mean 'db'/,
  },
  { name: 'a bad score', edit: (text) => text.replace('score="100"', 'score="1OO"'), says: /1OO/ },
  { name: 'a bad interval', edit: (text) => text.replace('interval="10s"', 'interval="10q"'), says: /10q/ },
  { name: 'a bad option value', edit: (text) => text.replace('value="stop"', 'value="go"'), says: /'go'/ },
  {
    name: 'a primitive without a type',
    edit: (text) => text.replace('provider="heartbeat" type="Dummy"/>', '/>'),
    says: /type/,
  },
  {
    name: 'an empty group',
    edit: (text) => text.replace(/<group id="webservice">[\s\S]*<\/group>/, '<group id="webservice"/>'),
    says: /webservice/,
  },
  {
    name: 'entities that explode',
    edit: () => '<!DOCTYPE c [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><cib>&b;</cib>',
    says: /line \d+/,
  },
]

const folder = mkdtempSync(join(tmpdir(), 'systole-bad-input-'))
const file = join(folder, 'cib.xml')

async function type(words: readonly string[]): Promise<Printed> {
  return await runLine({
    commands: allCommands,
    line: words,
    terminal: scriptedTerminal(),
    openCluster: () => fileAccess(file),
  })
}

function expectRefusal(printed: Printed, says: RegExp): void {
  expect(printed.exitCode).not.toBe(0)
  expect(printed.standardOutput).toBe('')
  expect(printed.standardError).toMatch(says)
  for (const sentence of printed.standardError.trimEnd().split('\n')) expect(sentence).toMatch(/^Error: \S.*[.?!]$/)
  expect(readFileSync(file, 'utf8')).toBe(cib)
}

beforeEach(() => writeFileSync(file, cib))
afterAll(() => rmSync(folder, { recursive: true }))

describe('command lines', () => {
  for (const { line, says } of lines) test(line, async () => expectRefusal(await type(line.split(' ')), says))
})

describe('pushed CIBs', () => {
  for (const { name, edit, says } of pushes)
    test(name, async () => {
      const pushed = join(folder, 'pushed.xml')
      writeFileSync(pushed, edit(cib))
      expectRefusal(await type(['cluster', 'cib-push', pushed]), says)
    })
})

test('there are at least a hundred of them', () => expect(lines.length + pushes.length).toBeGreaterThanOrEqual(100))

const hostile = [
  '',
  ' ',
  '--',
  '-',
  '=',
  '%s%n',
  '../../etc/passwd',
  '\u0000',
  '<x/>',
  'a'.repeat(4000),
  '$(reboot)',
  '-f',
]
test.each(hostile.map((word, index) => [index, word] as const))(
  'hostile word %i is only a word',
  async (_index, word) => {
    for (const line of [
      [word],
      ['resource', 'delete', word],
      ['constraint', 'delete', word],
      ['node', 'standby', word],
    ]) {
      const printed = await type(line)
      if (line.length > 1 || word.trim() !== '') expect(printed.exitCode).not.toBe(0)
      expect(readFileSync(file, 'utf8')).toBe(cib)
    }
  },
)

test('a word with a control character is refused, whatever it is meant for', async () => {
  writeFileSync(file, cib)
  for (const words of [
    ['node', 'attribute', 'n1', 'rack=a\u0001'],
    ['resource', 'create', 'x', 'ocf:pacemaker:Dummy', 'fake=\u001b[2J'],
  ]) {
    const printed = await type(words)
    expectRefusal(printed, /holds the control character U\+00(01|1B), which a CIB cannot hold/)
  }
  expect(readFileSync(file, 'utf8')).toBe(cib)
})
