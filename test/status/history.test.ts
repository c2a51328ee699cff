/** What recorded operations say of a resource: one primitive or promotable clone, two nodes, a history each. */
import { expect, test } from 'vitest'
import { nodeName, resourceId } from '../../src/base/index.ts'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import { type ClusterStatus, readStatus } from '../../src/status/index.ts'

const now = 1_600_000_000
const [alpha, beta, web] = [nodeName('alpha'), nodeName('beta'), resourceId('web')]

interface Op {
  readonly operation: string
  readonly rc?: number
  readonly status?: number
  readonly interval?: number
  readonly expected?: number
  readonly age?: number
  /** Migrations: the other node. */
  readonly from?: string
  readonly to?: string
}

interface Scene {
  readonly options?: Readonly<Record<string, string>>
  readonly meta?: Readonly<Record<string, string>>
  readonly operations?: string
  readonly promotable?: boolean
  readonly alpha?: readonly Op[]
  readonly beta?: readonly Op[]
  readonly alphaState?: string
  readonly alphaAttributes?: Readonly<Record<string, string>>
}

const online = 'in_ccm="true" crmd="online" join="member" expected="member"'
const gone = 'in_ccm="false" crmd="offline" join="down" expected="member"'
const pairs = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `<nvpair id="${name}" name="${name}" value="${value}"/>`)
    .join('')

function opElement(op: Op, index: number): string {
  const { operation, rc = 0, status = rc === 0 ? 0 : 4, interval = 0, expected = 0, age = 1000, from, to } = op
  const call = status === -1 ? -1 : index + 1
  const migration = from === undefined ? '' : ` migrate_source="${from}" migrate_target="${to}"`
  return `<lrm_rsc_op id="web_${index}" operation_key="web_${operation}_${interval}" operation="${operation}" interval="${interval}"
    call-id="${call}" rc-code="${rc}" op-status="${status}" transition-key="${index}:1:${expected}:x" last-rc-change="${now - age}"${migration}/>`
}

function nodeState(id: string, state: string, ops: readonly Op[] = [], attributes = {}): string {
  const resource = `<lrm_resource id="web" class="ocf" provider="pacemaker" type="Stateful">${ops.map(opElement).join('')}</lrm_resource>`
  return `<node_state id="${id}" uname="${id}" ${state}>
    <transient_attributes id="${id}"><instance_attributes id="s-${id}">${pairs(attributes)}</instance_attributes></transient_attributes>
    <lrm id="${id}"><lrm_resources>${ops.length === 0 ? '' : resource}</lrm_resources></lrm></node_state>`
}

function statusOf(scene: Scene): ClusterStatus {
  const primitive = `<primitive id="web" class="ocf" provider="pacemaker" type="Stateful">
    <meta_attributes id="m">${pairs(scene.meta ?? {})}</meta_attributes><operations>${scene.operations ?? ''}</operations></primitive>`
  const clone = `<clone id="clone"><meta_attributes id="c">${pairs({ promotable: 'true' })}</meta_attributes>${primitive}</clone>`
  const document = parseXml(`<cib have-quorum="true"><configuration>
    <crm_config><cluster_property_set id="o">${pairs(scene.options ?? {})}</cluster_property_set></crm_config>
    <nodes><node id="alpha" uname="alpha"/><node id="beta" uname="beta"/></nodes>
    <resources><primitive id="fence" class="stonith" type="fence_x"/>${scene.promotable ? clone : primitive}</resources></configuration>
    <status>${nodeState('alpha', scene.alphaState ?? online, scene.alpha, scene.alphaAttributes)}${nodeState('beta', online, scene.beta)}</status></cib>`)
  if (!document.ok) throw new Error(document.reports[0]?.message)
  return readStatus({ cib: document.value, configuration: readConfiguration(document.value), now })
}

/** In short: where it is active in which role, what is wrong, and whether alpha must be fenced. */
function tell(scene: Scene): string {
  const status = statusOf(scene)
  const state = status.primitivesById.get(scene.promotable ? resourceId('web:0') : web)?.state
  if (state === undefined) throw new Error('web is missing')
  return [
    ...state.active.map(({ node, role }) => `${role} on ${node}`),
    ...(state.failed ? ['failed'] : []),
    ...(state.blocked ? ['blocked'] : []),
    ...(state.failureIgnored ? ['ignored'] : []),
    ...(state.pending === undefined ? [] : [`${state.pending.operation} pending`]),
    ...(state.demandedRole === undefined ? [] : [`to be ${state.demandedRole.role}`]),
    ...(state.partialMigration === undefined ? [] : ['partial migration']),
    ...state.danglingMigrations.map((node) => `dangling on ${node}`),
    ...state.bans.map((ban) => `${ban.because} ${ban.node ?? 'everywhere'}`),
    ...(status.nodesByName.get(alpha)?.unclean ? ['fence alpha'] : []),
  ].join(', ')
}

const start: Op = { operation: 'start' }
const probe = (rc: number): Op => ({ operation: 'monitor', rc, status: 0, expected: 7 })
const monitor = (rc: number, more: Partial<Op> = {}): Op => ({ operation: 'monitor', interval: 10_000, rc, ...more })
const noFencing = { 'fencing-enabled': 'false' }
const onFail = (action: string): string => `<op id="op" name="monitor" interval="10s" on-fail="${action}"/>`
const migrateTo = (rc = 0): Op => ({ operation: 'migrate_to', rc, from: 'alpha', to: 'beta', age: 100 })
const migrateFrom = (rc = 0): Op => ({ operation: 'migrate_from', rc, from: 'alpha', to: 'beta', age: 50 })
const old: Op = { ...probe(7), age: 5000 }

const cases: readonly { readonly name: string; readonly scene: Scene; readonly told: string }[] = [
  { name: 'a probe that finds it running', scene: { alpha: [probe(0)] }, told: 'Started on alpha' },
  { name: 'a probe that finds nothing', scene: { alpha: [probe(7)] }, told: '' },
  { name: 'a probe without an agent bans the node', scene: { alpha: [probe(5)] }, told: 'hard-error alpha' },
  {
    name: 'a probe that fails may have found it running',
    scene: { alpha: [probe(1)] },
    told: 'Started on alpha, failed',
  },
  { name: 'a start', scene: { alpha: [start] }, told: 'Started on alpha' },
  { name: 'a start and a stop', scene: { alpha: [start, { operation: 'stop' }] }, told: '' },
  { name: 'a failed monitor is recovered', scene: { alpha: [start, monitor(1)] }, told: 'Started on alpha, failed' },
  {
    name: 'a later success of the same monitor forgives',
    scene: { alpha: [start, monitor(1), monitor(0)] },
    told: 'Started on alpha',
  },
  {
    name: 'a failure may be ignored',
    scene: { operations: onFail('ignore'), alpha: [start, monitor(1)] },
    told: 'Started on alpha, ignored',
  },
  {
    name: 'a failure may block',
    scene: { operations: onFail('block'), alpha: [start, monitor(1)] },
    told: 'Started on alpha, failed, blocked',
  },
  {
    name: 'a failure may stop it for good',
    scene: { operations: onFail('stop'), alpha: [start, monitor(1)] },
    told: 'Started on alpha, failed, to be Stopped, on-fail-stop everywhere',
  },
  {
    name: 'a failure may fence',
    scene: { operations: onFail('fence'), alpha: [start, monitor(1)] },
    told: 'Started on alpha, failed, fence alpha',
  },
  {
    name: 'without fencing it stops instead',
    scene: { options: noFencing, operations: onFail('fence'), alpha: [start, monitor(1)] },
    told: 'Started on alpha, failed, to be Stopped, on-fail-stop everywhere',
  },
  {
    name: 'a failed stop fences',
    scene: { alpha: [start, { operation: 'stop', rc: 1 }] },
    told: 'Started on alpha, failed, failed-stop alpha, fence alpha',
  },
  {
    name: 'without fencing a failed stop blocks',
    scene: { options: noFencing, alpha: [start, { operation: 'stop', rc: 1 }] },
    told: 'Started on alpha, failed, blocked, failed-stop alpha',
  },
  {
    name: 'an agent that is not configured starts nowhere',
    scene: { alpha: [{ operation: 'start', rc: 6 }] },
    told: 'Started on alpha, failed, fatal-error everywhere',
  },
  {
    name: 'an old failure is forgotten',
    scene: { meta: { 'failure-timeout': '60' }, alpha: [start, monitor(1)] },
    told: 'Started on alpha',
  },
  {
    name: 'not before its time',
    scene: { meta: { 'failure-timeout': '60' }, alpha: [start, monitor(1, { age: 30 })] },
    told: 'Started on alpha, failed',
  },
  {
    name: 'a pending start',
    scene: { alpha: [{ operation: 'start', status: -1, rc: 193 }] },
    told: 'Started on alpha, start pending',
  },
  {
    name: 'what a lost node ran asks for its fencing',
    scene: { alphaState: gone, alpha: [start] },
    told: 'Started on alpha, fence alpha',
  },
  { name: 'active twice', scene: { alpha: [start], beta: [start] }, told: 'Started on alpha, Started on beta' },
  {
    name: 'active twice, and blocked',
    scene: { meta: { 'multiple-active': 'block' }, alpha: [start], beta: [start] },
    told: 'Started on alpha, Started on beta, blocked',
  },
  {
    name: 'a promoted instance',
    scene: { promotable: true, alpha: [start, { operation: 'promote' }] },
    told: 'Promoted on alpha',
  },
  {
    name: 'a failed promotion counts as promoted',
    scene: { promotable: true, alpha: [start, { operation: 'promote', rc: 1 }] },
    told: 'Promoted on alpha, failed, to be Unpromoted',
  },
  {
    name: 'a failed demotion counts as unpromoted',
    scene: { promotable: true, alpha: [start, { operation: 'promote' }, { operation: 'demote', rc: 1 }] },
    told: 'Unpromoted on alpha, failed',
  },
  {
    name: 'half a migration is active on both',
    scene: { alpha: [start, migrateTo()], beta: [old] },
    told: 'Started on beta, Started on alpha, partial migration',
  },
  {
    name: 'a migration without its stop',
    scene: { alpha: [start, migrateTo()], beta: [old, migrateFrom()] },
    told: 'Started on beta, dangling on alpha',
  },
  {
    name: 'a whole migration',
    scene: { alpha: [start, migrateTo(), { operation: 'stop' }], beta: [old, migrateFrom()] },
    told: 'Started on beta',
  },
  {
    name: 'a migration that could not leave may be on both',
    scene: { alpha: [start, migrateTo(1)], beta: [old] },
    told: 'Started on beta, Started on alpha, failed',
  },
  {
    name: 'a target that found nothing since is believed',
    scene: { alpha: [start, migrateTo(1)], beta: [{ ...probe(7), age: 10 }] },
    told: 'Started on alpha, failed, dangling on alpha',
  },
  {
    name: 'a migration that could not arrive may be on both',
    scene: { alpha: [start, migrateTo()], beta: [old, migrateFrom(1)] },
    told: 'Started on beta, Started on alpha, failed',
  },
]
for (const { name, scene, told } of cases) test(name, () => expect(tell(scene)).toBe(told))

const failed = (count: string, age: number) => ({
  'fail-count-web#monitor_10000': count,
  'last-failure-web#monitor_10000': String(now - age),
  'fail-count-web#start_0': '2',
})
const countCases: readonly { readonly name: string; readonly scene: Scene; readonly counted: string }[] = [
  { name: 'fail counts of operations add up', scene: { alphaAttributes: failed('3', 10) }, counted: '5 of 5' },
  {
    name: 'infinity is not more than infinity',
    scene: { alphaAttributes: failed('INFINITY', 10) },
    counted: '1000000 of 1000000',
  },
  {
    name: 'an expired count is 0',
    scene: { meta: { 'failure-timeout': '60' }, alphaAttributes: failed('3', 100) },
    counted: '0 of 5',
  },
  {
    name: 'a blocking failure does not expire',
    scene: {
      meta: { 'failure-timeout': '60' },
      operations: onFail('block'),
      alpha: [start, monitor(1)],
      alphaAttributes: failed('3', 100),
    },
    counted: '5 of 5',
  },
  {
    name: 'attributes without an operation count for nothing',
    scene: { alphaAttributes: { 'fail-count-web': '4', 'fail-count-web#monitor_10000': '2' } },
    counted: '2 of 2',
  },
]
for (const { name, scene, counted } of countCases)
  test(name, () => {
    const count = statusOf(scene).primitivesById.get(web)?.state.failCounts.get(alpha)
    expect(`${count?.count} of ${count?.own}`).toBe(counted)
  })

test('the status is looked at again when a failure expires', () => {
  const scene = { meta: { 'failure-timeout': '60' }, alphaAttributes: failed('3', 10) }
  expect(statusOf(scene).recheckAt).toBe(now + 51)
})

test('a resource that is deleted from the configuration is an orphan', () => {
  const document = parseXml(`<cib><configuration><nodes><node id="beta" uname="beta"/></nodes></configuration>
    <status>${nodeState('beta', online, [start])}</status></cib>`)
  if (!document.ok) throw new Error('no document')
  const status = readStatus({ cib: document.value, configuration: readConfiguration(document.value), now })
  expect(status.resources).toMatchObject([{ id: 'web', orphan: true, state: { active: [{ node: beta }] } }])
})
