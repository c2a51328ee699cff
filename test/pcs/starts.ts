/** Configurations that a seed begins with: what an administrator builds by hand, a deployed control plane, and cases of the scheduler's suite. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseXml, type XmlElement } from '../../src/cib/index.ts'
import { scratchAccess } from '../../src/cli/access/scratch-access.ts'
import { splitShellLine } from '../../src/cli/call/shell-words.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from '../cli/scripted-terminal.ts'

export interface Start {
  readonly name: string
  readonly cib: () => XmlElement
}

const shared = resolve(import.meta.dirname, '../../../shared')
const suite = join(shared, 'pacemaker-scheduler/xml')
const deployment = join(shared, 'osp-ha-deploy/commands/ALL-collapsed-with-compute-pcs012.txt')

/**
 * In the newest schema that the reference's Pacemaker knows, and with its feature set: our commands raise that to ours, and Pacemaker writes no CIB
 * of a higher one than its own.
 */
export async function builtStarts(schema = '3.10'): Promise<readonly Start[]> {
  const readable = ({ attributes, ...cib }: XmlElement): XmlElement => ({
    ...cib,
    attributes: { ...attributes, crm_feature_set: featureSetOf(schema) },
  })
  const byHand = readable(await build(emptyCib(schema, 'n1', 'n2', 'n3'), byHandLines.map(splitShellLine)))
  if (!existsSync(deployment)) return [{ name: 'by hand', cib: () => byHand }]
  const lines = readFileSync(deployment, 'utf8')
    .split('\n')
    .map((line) => splitShellLine(line).slice(1))
    .filter(([area]) => area !== undefined && !['cluster', 'host', 'node'].includes(area))
  const controllers = emptyCib(schema, 'rdo7-node1', 'rdo7-node2', 'rdo7-node3')
  // A few of its lines are known to be wrong: what they meant is not there.
  const deployed = readable(await build(controllers, lines, { mayFail: true }))
  return [
    { name: 'by hand', cib: () => byHand },
    { name: 'osp-ha-deploy', cib: () => deployed },
  ]
}

export function suiteStarts(): readonly Start[] {
  if (!existsSync(suite)) return []
  return readdirSync(suite)
    .filter((file) => file.endsWith('.xml'))
    .sort()
    .map((file) => ({
      name: file.replace(/\.xml$/, ''),
      cib: () => parsed(asKnown(readFileSync(join(suite, file), 'utf8'))),
    }))
}

/** Options of fencing under the names that the Pacemaker of both references knows. */
const asKnown = (cib: string): string => cib.replaceAll(/(name="|-)fencing-(enabled|action|timeout)"/g, '$1stonith-$2"')

async function build(
  start: XmlElement,
  lines: readonly (readonly string[])[],
  { mayFail }: { readonly mayFail: boolean } = { mayFail: false },
): Promise<XmlElement> {
  const cluster = scratchAccess(start)
  for (const line of lines) {
    const forced = /^(resource|stonith) create/.test(line.join(' ')) ? [...line, '--force'] : line
    const printed = await runLine({
      commands: allCommands,
      line: forced,
      terminal: scriptedTerminal(),
      openCluster: () => cluster,
      called: { program: mayFail ? 'pcs' : 'systole', environment: undefined },
    })
    if (printed.exitCode !== 0 && !mayFail) throw new Error(`${line.join(' ')}: ${printed.standardError}`)
  }
  return cluster.current()
}

function parsed(text: string): XmlElement {
  const result = parseXml(text)
  if (!result.ok) throw new Error('A CIB to begin with is malformed.')
  return result.value
}

const featureSetOf = (schema: string): string => (schema === '3.10' ? '3.19.7' : '3.16.1')

const emptyCib = (schema: string, ...nodes: readonly string[]): XmlElement =>
  parsed(`<cib crm_feature_set="${featureSetOf(schema)}" validate-with="pacemaker-${schema}" epoch="1" num_updates="0" admin_epoch="0"><configuration>
    <crm_config/><nodes>${nodes.map((name, index) => `<node id="${index + 1}" uname="${name}"/>`).join('')}</nodes>
    <resources/><constraints/></configuration><status/></cib>`)

const byHandLines: readonly string[] = [
  'property set no-quorum-policy=freeze stonith-enabled=true',
  'resource defaults update resource-stickiness=100',
  'resource op defaults update timeout=60s',
  'resource defaults set create id=busy score=10 meta resource-stickiness=0 rule date-spec hours=9-16',
  'resource create web ocf:heartbeat:Dummy op monitor interval=10s meta target-role=Started',
  'resource create vip ocf:heartbeat:IPaddr2 ip=192.0.2.3 cidr_netmask=24 group front',
  'resource create proxy ocf:pacemaker:Dummy fake=1 op monitor interval=10s timeout=20s group front',
  'resource create files ocf:heartbeat:Filesystem device=/dev/vg/srv directory=/srv fstype=ext4 group back',
  'resource create ping ocf:pacemaker:ping host_list=192.0.2.1 clone interleave=true',
  'resource create db ocf:pacemaker:Stateful promotable promoted-max=1 notify=true',
  'resource create inner ocf:pacemaker:Dummy',
  'resource bundle create app container podman image=registry/app:1 replicas=2 network ip-range-start=192.0.2.200 control-port=3121 port-map id=app-web port=80 storage-map id=app-srv source-dir=/srv target-dir=/srv options=rw',
  'stonith create fence-n1 fence_ipmilan ip=192.0.2.51 username=admin password=secret pcmk_host_list=n1',
  'stonith create fence-n2 fence_ipmilan ip=192.0.2.52 username=admin password=secret pcmk_host_map=n2:2',
  'stonith create fence-all fence_apc ip=192.0.2.60 username=admin password=secret pcmk_host_check=dynamic-list',
  'stonith level add 1 n1 fence-n1',
  'stonith level add 2 n1 fence-all',
  'stonith level add 1 regexp%n[23] fence-n2 fence-all',
  'constraint location web prefers n1=50',
  'constraint location front avoids n3',
  'constraint location db-clone rule score=100 pingd gt 0 and #uname ne n3',
  'constraint order promote db-clone then start web',
  'constraint order set front back sequential=false setoptions kind=Mandatory id=both-sides',
  'constraint colocation add web with Promoted db-clone 500',
  'constraint colocation add front with ping-clone',
  'constraint ticket add ticketA web loss-policy=stop',
  'tag create office web vip',
  'alert create id=mail path=/usr/bin/mail.sh description=mails options from=root meta timeout=15s',
  'alert recipient add mail value=admin@example.org id=admin',
  'acl role create readers description=reads read xpath /cib deny xpath //nvpair',
  'acl role create writers write id web',
  'acl user create anna readers',
  'acl group create staff writers',
  'node attribute n1 rack=1',
  'node attribute n2 rack=2 osprole=compute',
  'node utilization n1 cpu=4',
  'resource utilization web cpu=1',
]
