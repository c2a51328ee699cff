/** An option that is accepted does something: with it, a command prints something else than without it, or leaves something else in the file. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import { splitShellLine } from '../../src/cli/call/shell-words.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-effects-'))
afterAll(() => rmSync(folder, { recursive: true }))

beforeAll(() => {
  execFileSync('mkfifo', [join(folder, 'pipe')])
  const start = readFileSync(join(import.meta.dirname, 'cases/start.xml'), 'utf8')
  writeFileSync(join(folder, 'broken.xml'), start.replace('first="db-clone"', 'first="nothing"'))
  writeFileSync(
    join(folder, 'warned.xml'),
    start.replace('<constraints>', '<constraints><rsc_location id="w" rsc="vip" node="n9" score="5"/>'),
  )
})

/** The option stands behind the bar; what stands before a semicolon is typed before it. */
const lines: readonly string[] = [
  "cluster verify| --xml-text '<cib/>'",
  'cluster verify --xml-file FOLDER/warned.xml| --full',
  'cluster verify --xml-file FOLDER/broken.xml| --live-check',
  'cluster cib FOLDER/other.xml; resource create x ocf:pacemaker:Dummy; cluster cib-push FOLDER/other.xml| --config',
  'resource debug-start web| --force',
  'resource group add g vip; resource create x ocf:pacemaker:Dummy --group g| --before vip',
  'resource group add g vip web; resource create x ocf:pacemaker:Dummy --group g| --after vip',
  'resource disable web| --safe',
  'resource disable db-clone| --simulate',
  'constraint location vip prefers n1=50; constraint colocation add vip with web score=-INFINITY; simulate --run --in-place --xml-file FOLDER/cib.xml; resource disable web --safe| --no-strict',
  'constraint location vip prefers n1=50; constraint colocation add vip with web score=-INFINITY; simulate --run --in-place --xml-file FOLDER/cib.xml; resource safe-disable web| --no-strict',
  'resource safe-disable db-clone| --simulate',
  'resource move db-clone n2| --promoted',
  'resource move db-clone n2| --master',
  'constraint colocation add vip with web; resource enable web; simulate --run --in-place --xml-file FOLDER/cib.xml; resource move web n2| --strict',
  'resource move-with-constraint db-clone n2| --master',
  'resource ban db-clone n1| --promoted',
  'resource ban db-clone n1| --master',
  'resource ban db-clone n1; resource clear db-clone| --promoted',
  'resource ban db-clone n1; resource clear db-clone| --master',
  'resource ban web n1 lifetime=P1D; resource clear web| --expired',
  'resource create x ocf:pacemaker:Dummy; resource unmanage x --monitor; resource manage x| --monitor',
  'resource create x ocf:pacemaker:Dummy; resource unmanage x| --monitor',
  'resource group add g vip; resource group add g web| --before vip',
  'resource op defaults set create meta timeout=30s; resource op defaults config| --full',
  'resource op defaults timeout=30s; resource op defaults| --output-format json',
  'resource op defaults timeout=30s; resource op defaults| --full',
  'resource defaults resource-stickiness=3; resource defaults| --full',
  'resource defaults set create id=old meta a=1 rule date lt 2020-01-01; resource defaults| --all',
  'resource op defaults set create id=old meta timeout=1s rule date lt 2020-01-01; resource op defaults| --all',
  'resource relations web| --full',
  'resource list ocf:pacemaker| --nodesc',
  'stonith list fence_ipmi| --nodesc',
  'stonith describe fence_ipmilan| --full',
  'constraint colocation add web with vip; constraint colocation config| --full',
  'constraint colocation add web with vip; constraint colocation config| --output-format json',
  'constraint order config| --output-format json',
  'constraint ticket add T web; constraint ticket config| --full',
  'constraint ticket add T web; constraint ticket config| --output-format json',
  'constraint location web rule score=5 date lt 2020-01-01; constraint location config| --all',
  'node standby n1; node unstandby| --all',
  'node maintenance| --all',
  'node maintenance n1 n2; node unmaintenance| --all',
  'node attribute n1 a=1 b=2; node attribute n1| --name a',
  'node utilization n1 a=1 b=2; node utilization n1| --name a',
  'property set batch-limit=3; property config| --defaults',
  'property config| --all',
  'property list| --all',
  'property list| --defaults',
  'property set batch-limit=3; property list| --output-format json',
  'property defaults| --full',
  'property describe| --full',
  'property describe batch-limit| --output-format json',
  'stonith create f fence_dummy| --disabled',
  'stonith create f fence_dummy| --group g',
  'stonith create e fence_dummy --group g; stonith create f fence_dummy --group g| --before e',
  'stonith create e fence_dummy --group g; stonith create e2 fence_dummy --group g; stonith create f fence_dummy --group g| --after e',
  'stonith create f fence_dummy| --clone',
  'stonith create f fence_dummy| --master',
  'stonith create f fence_dummy --disabled; stonith status| --hide-inactive',
  'tag create t vip; tag update t add web| --before vip',
  'tag create t vip fence-n1; tag update t add web| --after vip',
  'acl role create r read xpath /cib; acl user create u r; acl role delete r| --autodelete',
  'cluster cib| --config',
  'resource create x ocf:pacemaker:Dummy state=FOLDER/x.state --disabled; resource debug-start x| --full',
  'resource create x ocf:pacemaker:Dummy state=FOLDER/x.state --disabled; resource debug-monitor x| --full',
  'resource create x ocf:pacemaker:Dummy state=FOLDER/x.state --disabled; resource debug-stop x| --full',
  'resource create x ocf:pacemaker:Stateful state=FOLDER/x.state --disabled; resource debug-promote x| --full',
  'resource create x ocf:pacemaker:Stateful state=FOLDER/x.state --disabled; resource debug-demote x| --full',
  'resource debug-stop web| --force',
  'resource create x ocf:pacemaker:Dummy passwd=abcdef --force; config show| --show-secrets',
  'resource config| --output-format cmd',
  'simulate| --node-pending n2',
  'simulate| --node-add n9',
  'simulate| --show-scores',
  'simulate| --show-utilization',
  'simulate --node-down n1| --quiet',
  'simulate --node-down n1| --run',
  'simulate --node-down n1 --run --xml-file FOLDER/cib.xml| --in-place',
  'simulate| --watchdog yes',
  'constraint ticket add T web; simulate| --ticket-grant T',
  'constraint ticket add T web; simulate| --ticket-revoke T',
  'constraint ticket add T web; simulate| --ticket-standby T',
  'constraint ticket add T web; simulate| --ticket-activate T',
  'simulate| --with "resource disable web"',
  'simulate| --set-datetime 2030-01-01',
  'cluster cib FOLDER/other.xml; resource delete vip; simulate| --xml-file FOLDER/other.xml',
  'simulate| --profile FOLDER',
  'simulate --profile FOLDER| --repeat 100',
  'simulate --node-fail n1 --run| --simulate',
  'resource debug-promote db| --force',
  'resource debug-demote db| --force',
  'constraint location vip prefers n1=50; constraint location vip prefers n9=50; cluster verify| --verbose',
  'node standby n1| --help',
  'node standby n1| --preview',
  'node standby n1| --json',
  'simulate --node-down n1| --node-up n3',
  'simulate --node-down n1| --op-fail web_start_0@n2=1',
  'simulate| --op-inject web_monitor_10000@n1=7',
  'simulate| --node-down n1',
  'simulate| --node-fail n1',
  'simulate| --quorum false',
  'node attribute n2 a=1; simulate| --show-attrs',
  'simulate| --show-failcounts',
  'simulate --xml-file FOLDER/cib.xml| --live-check',
  'simulate| --save-graph FOLDER/saved',
  'simulate| --save-dotfile FOLDER/saved',
  'simulate| --save-svg FOLDER/saved',
  'simulate| --save-input FOLDER/saved',
  'simulate --node-down n1| --save-output FOLDER/saved',
  'config show| --output-format json',
  'resource describe stonith:fence_ipmilan| --full',
  'stonith create f fence_ipmilan| --agent-validation',
  'resource create x ocf:pacemaker:Dummy| --no-default-ops',
  'resource create x ocf:pacemaker:Dummy| --disabled',
  'resource create x ocf:pacemaker:Dummy| --clone',
  'resource create x ocf:pacemaker:Stateful| --master',
  'resource create x ocf:pacemaker:Dummy| --group g',
  'resource create y ocf:pacemaker:Dummy; resource group add g vip y; resource group add g web| --after vip',
  'resource bundle create b container docker image=i| --disabled',
  'resource bundle create b container docker image=i; resource bundle reset b container image=j| --disabled',
  'resource move-with-constraint db-clone n2| --promoted',
  'resource failcount| --full',
  'resource utilization web cpu=1; resource utilization vip cpu=2; resource utilization web cpu=1 mem=2; resource utilization web| --name cpu',
  'resource utilization web cpu=1; resource utilization web| --output-format cmd',
  'node utilization n1 cpu=1; node utilization n1| --output-format cmd',
  'node attribute n1 a=1; node attribute| --output-format json',
  'node standby| --all',
  'property set --force osprole=controller| --node n1',
  'resource defaults resource-stickiness=3; resource defaults| --output-format json',
  'constraint location vip prefers n1=50; constraint location config| --full',
  'constraint location vip prefers n1=50; constraint location config| --output-format json',
  'constraint order config| --full',
  'stonith config| --output-format cmd',
  'stonith level add 1 n1 fence-n1; stonith level config| --output-format cmd',
  'stonith level add 1 n1 fence-n1; stonith config| --without-levels',
  'tag create t vip; tag config| --output-format cmd',
  'alert create path=/bin/true; alert config| --output-format cmd',
  'acl role create r read xpath /cib; acl config| --output-format cmd',
  'acl role create r read xpath /cib; acl user create u r; acl role unassign r from user u| --autodelete',
  'status| --full',
  'status| --hide-inactive',
  'status resources| --hide-inactive',
  'status query resource web is-state started| --quiet',
  'cluster verify| --xml-file FOLDER/broken.xml',
  'cluster verify --xml-file FOLDER/broken.xml| --quiet',
  'cluster verify --xml-file FOLDER/warned.xml| --strict',
  'cluster verify| --save-xml FOLDER/saved',
  'service create replicas db-clone port=3307; service wait replicas --timeout=0| --min=1',
  'inventory| --host n1',
  'node attribute n2 rack=9; constraint location db-clone rule score=-INFINITY not_defined rack; cluster node plan --add=1| --like=n2',
  'node attribute n1 "#facts-memory-mib=65536"; utilization auto| --reserve-memory=4096',
  'node attribute n1 "#facts-cpus=16"; utilization auto| --reserve-cpu=2',
  'node attribute n1 "#facts-cpus=16"; utilization auto; utilization auto| --remove',
  'stonith sbd watchdog test FOLDER/pipe| --yes',
  'stonith sbd watchdog test FOLDER/pipe| --force',
  'stonith sbd device setup device=FOLDER/pipe| --yes',
  'stonith sbd device setup device=FOLDER/pipe| --force',
]

async function say(line: string, file: string): Promise<string> {
  const progress: string[] = []
  const printed = await runLine({
    commands: allCommands,
    line: splitShellLine(line.replaceAll('FOLDER', folder)),
    terminal: scriptedTerminal(progress),
    openCluster: (other) => fileAccess(other ?? file),
  })
  return [...progress, printed.standardError, printed.standardOutput, String(printed.exitCode)].join('\n')
}

async function play(before: readonly string[], line: string): Promise<string> {
  const file = join(folder, 'cib.xml')
  copyFileSync(join(import.meta.dirname, 'cases/start.xml'), file)
  const saved = join(folder, 'saved')
  rmSync(saved, { force: true })
  for (const first of before) await say(first, file)
  const said = await say(line, file)
  return said + readFileSync(file, 'utf8') + (existsSync(saved) ? readFileSync(saved, 'utf8') : '')
}

test.each(lines)('%s', async (row) => {
  const [common = '', option = ''] = row.split('|')
  const steps = common.split('; ')
  const line = steps.at(-1) ?? ''
  const without = await play(steps.slice(0, -1), line)
  const withIt = await play(steps.slice(0, -1), line + option)
  expect(withIt).not.toBe(without)
  // An option that is unknown, or that does not go with the rest, shows nothing.
  expect(withIt).not.toMatch(/There is no option|exclude each other|Unexpected argument|cannot be read/)
})
