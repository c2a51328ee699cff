/** A CIB in a few words for tables of cases: what is configured as XML, what happened as operations. */
import { createHash } from 'node:crypto'
import { parseXml } from '../../src/cib/index.ts'
import { simulateCib } from '../../src/scheduler/simulate/print-simulation.ts'
import { linesOf } from '../fuzz/answer.ts'

export interface SmallCib {
  readonly resources: string
  readonly constraints?: string
  readonly tags?: string
  /** The elements `ticket_state`. */
  readonly tickets?: string
  readonly options?: Readonly<Record<string, string>>
  readonly defaults?: Readonly<Record<string, string>>
  /** True where it is left out. */
  readonly quorum?: boolean
  /** By node; a node that is only named is online and has run nothing. */
  readonly nodes: Readonly<Record<string, SmallNode>>
}

export interface SmallNode {
  readonly state?: 'online' | 'lost' | 'offline' | 'unseen'
  readonly attributes?: Readonly<Record<string, string>>
  readonly utilization?: Readonly<Record<string, string>>
  /** Of a remote or guest node. */
  readonly remote?: boolean
  /** Oldest first. */
  readonly ran?: readonly string[]
  /** Of what is not an ocf:pacemaker:Dummy in the history: its class, by resource. */
  readonly classes?: Readonly<Record<string, string>>
  /** Of what is not an ocf:pacemaker:Dummy in the history: its provider and type (`heartbeat:podman`), by resource. */
  readonly agents?: Readonly<Record<string, string>>
  /** The container that the history names for a connection. */
  readonly containers?: Readonly<Record<string, string>>
}

const states = {
  online: 'in_ccm="true" crmd="online" join="member" expected="member"',
  offline: 'in_ccm="false" crmd="offline" join="down" expected="down"',
  lost: 'in_ccm="false" crmd="offline" join="member" expected="member"',
}

export const pairs = (id: string, values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `<nvpair id="${id}-${name}" name="${name}" value="${value}"/>`)
    .join('')

export const meta = (id: string, values: Readonly<Record<string, string>>): string =>
  `<meta_attributes id="${id}-meta">${pairs(`${id}-meta`, values)}</meta_attributes>`

export const dummy = (id: string, inside = ''): string =>
  `<primitive id="${id}" class="ocf" provider="pacemaker" type="Dummy">${inside}</primitive>`

/** The MD5 of no parameters at all. */
const noParameters = 'f2317cad3d54cec5d7d7aa7d0bf35cf8'

/**
 * `web start`, `web monitor 10000 rc=1`, `web monitor 0 rc=7`, `web start pending`, with `digest=…` for parameters as they were and `undigested` where those are not told, and
 * `failure` for the record that is kept of the last failure, `last` for that of the last operation, `keyless` for one that does not say what was expected,
 * `early` for one whose magic lacks the result, as the first versions wrote it, and
 * `web migrate_to from=n1 to=n2` for half of a live migration.
 */
function operation(node: string, text: string, call: number): { readonly resource: string; readonly xml: string } {
  const [resource = '', name = '', ...words] = text.split(' ')
  const word = (prefix: string): string | undefined =>
    words.find((candidate) => candidate.startsWith(`${prefix}=`))?.slice(prefix.length + 1)
  const interval = words.find((candidate) => /^\d+$/.test(candidate)) ?? '0'
  const isPending = words.includes('pending')
  const rc = word('rc') ?? '0'
  const expected = name === 'monitor' && interval === '0' ? '7' : '0'
  const id = words.includes('failure')
    ? `${resource}_last_failure_0`
    : interval === '0'
      ? `${resource}_${words.includes('last') ? 'last' : name}_0`
      : `${resource}_${name}_${interval}`
  const status = isPending ? '-1' : (word('status') ?? '0')
  const key = `1:1:${expected}:x`
  const keys = `transition-key="${key}" transition-magic="${words.includes('early') ? '' : `${status}:${isPending ? 193 : rc};`}${key}"`
  const migration = word('from') && `migrate_source="${word('from')}" migrate_target="${word('to')}"`
  return {
    resource,
    xml: `<lrm_rsc_op id="${id}" operation_key="${resource}_${name}_${interval}" operation="${name}" interval="${interval}"
      call-id="${isPending ? -1 : call}" rc-code="${isPending ? 193 : rc}" op-status="${status}" ${words.includes('keyless') ? '' : keys} ${migration ?? ''}
      ${words.includes('undigested') ? '' : `op-digest="${word('digest') ?? noParameters}"`} last-rc-change="1600000000" on_node="${node}"/>`,
  }
}

function nodeState(name: string, node: SmallNode): string {
  if (node.state === 'unseen') return ''
  const byResource = new Map<string, string>()
  for (const [index, text] of (node.ran ?? []).entries()) {
    const { resource, xml } = operation(name, text, index + 1)
    byResource.set(resource, (byResource.get(resource) ?? '') + xml)
  }
  const histories = [...byResource].map(([id, xml]) => {
    const container = node.containers?.[id]
    const [provider, type] = (node.agents?.[id] ?? 'pacemaker:Dummy').split(':')
    const agent = container === undefined ? `type="${type}"` : `type="remote" container="${container}"`
    return `<lrm_resource id="${id}" class="${node.classes?.[id] ?? 'ocf'}" provider="${provider}" ${agent}>${xml}</lrm_resource>`
  })
  const state = node.remote === true ? 'remote_node="true"' : states[node.state ?? 'online']
  return `<node_state id="${name}" uname="${name}" ${state}>
    <transient_attributes id="${name}"><instance_attributes id="${name}-t">${pairs(`${name}-t`, node.attributes ?? {})}</instance_attributes></transient_attributes>
    <lrm id="${name}"><lrm_resources>${histories.join('')}</lrm_resources></lrm></node_state>`
}

export function smallCib(cib: SmallCib): string {
  const {
    resources,
    constraints = '',
    tags = '',
    tickets = '',
    options = {},
    defaults = {},
    quorum = true,
    nodes,
  } = cib
  const members = Object.entries(nodes).filter(([, { remote }]) => remote !== true)
  const listed = members.map(
    ([name, { utilization }]) =>
      `<node id="${name}" uname="${name}">${
        utilization === undefined ? '' : `<utilization id="${name}-u">${pairs(`${name}-u`, utilization)}</utilization>`
      }</node>`,
  )
  return `<cib crm_feature_set="3.20.1" validate-with="pacemaker-3.9" have-quorum="${quorum}" epoch="1" num_updates="0" admin_epoch="0">
  <configuration><crm_config><cluster_property_set id="o">${pairs('o', { 'fencing-enabled': 'false', ...options })}</cluster_property_set></crm_config>
  <nodes>${listed.join('')}</nodes><resources>${resources}</resources><constraints>${constraints}</constraints>
  <rsc_defaults>${meta('defaults', defaults)}</rsc_defaults><tags>${tags}</tags></configuration>
  <status>${Object.entries(nodes)
    .map(([name, node]) => nodeState(name, node))
    .join('')}${tickets === '' ? '' : `<tickets>${tickets}</tickets>`}</status></cib>`
}

export interface Told {
  /** Lines of the transition summary, without the columns' blanks. */
  readonly transition: readonly string[]
  readonly executed: readonly string[]
  readonly summary: string
  readonly scores: readonly string[]
  /** Actions, and `rsc_op web_stop_0 n1 -> rsc_op db_stop_0 n1` for what waits for what. */
  readonly graph: readonly string[]
}

export function simulateSmall(cib: SmallCib): Told {
  const parsed = parseXml(smallCib(cib))
  if (!parsed.ok) throw new Error(parsed.reports.map(({ message }) => message).join('\n'))
  const { summary, scores, graph } = simulateCib({
    cib: parsed.value,
    now: 1_700_000_000,
    md5: (text) => createHash('md5').update(text, 'utf8').digest('hex'),
    showScores: true,
  })
  const [, after = ''] = summary.split('Transition Summary:')
  const [transition = '', execution = ''] = after.split('Executing Cluster Transition:')
  const [executed = ''] = execution.split('Revised Cluster Status:')
  const tidy = (text: string): readonly string[] =>
    text
      .split('\n')
      .map((line) => line.replaceAll(/\s+/g, ' ').replace(/^ \* /, '').trim())
      .filter((line) => line !== '')
  const lines = linesOf({ summary, scores: scores(), graph: graph() }, false)
  return { transition: tidy(transition), executed: tidy(executed), summary, scores: tidy(scores()), graph: lines.graph }
}
