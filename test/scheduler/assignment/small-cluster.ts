/** A CIB in a few words, read and placed: what the tables of this folder are written in. */
import { parseXml, readConfiguration } from '../../../src/cib/index.ts'
import { assignResources } from '../../../src/scheduler/assign.ts'
import type { Assignment } from '../../../src/scheduler/assigned/assignment.ts'
import { type ClusterStatus, readStatus } from '../../../src/status/index.ts'

export interface SmallCluster {
  /** Elements of `resources` and `constraints`; plain `Dummy` primitives may be named in `dummies` instead. */
  readonly dummies?: readonly string[]
  readonly resources?: string
  readonly constraints?: string
  readonly options?: Readonly<Record<string, string>>
  /** Node attributes, permanent, by node. */
  readonly attributes?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly utilization?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** `web: 'n1'`: it runs there, a clone's instances on `'n1 n2'`; everything was probed everywhere. */
  readonly running?: Readonly<Record<string, string>>
  readonly failCounts?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly offline?: readonly string[]
  /** Gone without leaving: what they ran is still in their history. */
  readonly lost?: readonly string[]
  readonly tickets?: string
  readonly quorum?: boolean
  readonly nodes?: readonly string[]
}

export interface Placed {
  readonly status: ClusterStatus
  readonly assignment: Assignment
}

export const dummy = (id: string, inside = ''): string =>
  `<primitive id="${id}" class="ocf" provider="pacemaker" type="Dummy">${inside}</primitive>`

export const meta = (id: string, pairs: Readonly<Record<string, string>>): string =>
  `<meta_attributes id="${id}-meta">${nvPairs(`${id}-meta`, pairs)}</meta_attributes>`

export const utilizationOf = (id: string, pairs: Readonly<Record<string, string>>): string =>
  `<utilization id="${id}-utilization">${nvPairs(`${id}-utilization`, pairs)}</utilization>`

function nvPairs(id: string, pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map(([name, value]) => `<nvpair id="${id}-${name}" name="${name}" value="${value}"/>`)
    .join('')
}

export function place(cluster: SmallCluster): Placed {
  const parsed = parseXml(cibOf(cluster))
  if (!parsed.ok) throw new Error(parsed.reports.map(({ message }) => message).join('\n'))
  const configuration = readConfiguration(parsed.value)
  const status = readStatus({ cib: parsed.value, configuration, now: 1_700_000_000 })
  return { status, assignment: assignResources(status, { holds: status.ruleHolds, showScores: true, explain: true }) }
}

/** Where everything goes: `web: 'n1'`, `db: 'n2 Promoted'`, `lost: '-'`. */
export function placement({ assignment }: Placed): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...assignment.primitives.values()].map(({ id, node, nextRole }) => {
      if (node === undefined) return [id, '-']
      return [id, nextRole === 'Started' ? node : `${node} ${nextRole}`]
    }),
  )
}

/** The final scores of one primitive, by node; undefined where it is not allowed. */
export function scoresOf(
  { status, assignment }: Placed,
  resource: string,
): Readonly<Record<string, number | undefined>> {
  const found = [...assignment.primitives.values()].find(({ id }) => id === resource)
  return Object.fromEntries(status.nodes.map(({ name }) => [name, found?.scoreOn(name)]))
}

function cibOf(cluster: SmallCluster): string {
  const nodes = cluster.nodes ?? ['n1', 'n2', 'n3']
  const options = { 'stonith-enabled': 'false', ...cluster.options }
  const resources = [...(cluster.dummies ?? []).map((id) => dummy(id)), cluster.resources ?? ''].join('')
  return `<cib validate-with="pacemaker-3.9" have-quorum="${cluster.quorum === false ? 0 : 1}" epoch="1" num_updates="0" admin_epoch="0">
  <configuration>
    <crm_config><cluster_property_set id="options">${nvPairs('options', options)}</cluster_property_set></crm_config>
    <nodes>${nodes.map((node) => nodeElement(node, cluster)).join('')}</nodes>
    <resources>${resources}</resources>
    <constraints>${cluster.constraints ?? ''}</constraints>
  </configuration>
  <status>${nodes.map((node) => nodeState(node, cluster)).join('')}${cluster.tickets ?? ''}</status>
</cib>`
}

function nodeElement(node: string, { attributes, utilization }: SmallCluster): string {
  const own = attributes?.[node]
  const capacity = utilization?.[node]
  const set =
    own === undefined ? '' : `<instance_attributes id="${node}-a">${nvPairs(`${node}-a`, own)}</instance_attributes>`
  const room =
    capacity === undefined ? '' : `<utilization id="${node}-u">${nvPairs(`${node}-u`, capacity)}</utilization>`
  return `<node id="${node}" uname="${node}">${set}${room}</node>`
}

function nodeState(node: string, cluster: SmallCluster): string {
  if (cluster.offline?.includes(node) === true)
    return `<node_state id="${node}" uname="${node}" in_ccm="false" crmd="offline" join="down" expected="down"/>`
  const counts = Object.fromEntries(
    Object.entries(cluster.failCounts?.[node] ?? {}).map(([id, count]) => [`fail-count-${id}#monitor_10000`, count]),
  )
  const histories = Object.entries(cluster.running ?? {}).map(([id, where]) => history(id, node, where))
  const membership =
    cluster.lost?.includes(node) === true ? 'in_ccm="false" crmd="offline"' : 'in_ccm="true" crmd="online"'
  return `<node_state id="${node}" uname="${node}" ${membership} join="member" expected="member">
    <lrm id="${node}"><lrm_resources>${histories.join('')}</lrm_resources></lrm>
    <transient_attributes id="${node}"><instance_attributes id="status-${node}">${nvPairs(`status-${node}`, counts)}</instance_attributes></transient_attributes>
  </node_state>`
}

function history(id: string, node: string, where: string): string {
  const code = where.split(' ').includes(node) ? 0 : 7
  const magic = `0:${code};1:0:7:00000000-0000-0000-0000-000000000000`
  return `<lrm_resource id="${id}" class="ocf" provider="pacemaker" type="Dummy"><lrm_rsc_op id="${id}_last_0" operation_key="${id}_monitor_0" operation="monitor" call-id="1" rc-code="${code}" op-status="0" interval="0" op-digest="" transition-key="1:0:7:00000000-0000-0000-0000-000000000000" transition-magic="${magic}"/></lrm_resource>`
}
