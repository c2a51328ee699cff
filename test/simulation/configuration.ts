/**
 * The configuration of a simulated cluster, and what an administrator changes in it: a fence device or watchdogs, two services and a
 * group; in the rich workload also a clone, a promotable clone, a virtual machine that migrates, an order and a ban.
 */
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import type { ReplicatedConfiguration } from '../../src/controller/index.ts'
import type { AgentAction, AgentMetadata } from '../../src/resource-agents/index.ts'

export interface Wishes {
  readonly nodes: readonly { readonly id: string; readonly name: string }[]
  /** What the fence device can switch: also what is no node now. */
  readonly machines: readonly string[]
  readonly fencing: boolean
  /** `pcmk_delay_base`. */
  readonly fencingDelay?: string
  /** There is a fence device; without one, only watchdogs fence. */
  readonly device: boolean
  readonly watchdogs: boolean
  /** Of SBD's, through which nodes are fenced, and nothing else. */
  readonly disks: readonly string[]
  readonly rich: boolean
  readonly noQuorumPolicy: string
  readonly standby: readonly string[]
  readonly stopped: readonly string[]
  /** Grows with each change that an administrator was told is saved. */
  readonly markers: readonly number[]
}

const plainServices = ['web', 'db', 'first', 'second'] as const
/** Of the rich workload besides: a clone's, a promotable clone's, and one that migrates. */
const richServices = ['disk', 'data', 'vm'] as const

export const servicesOf = ({ rich }: Pick<Wishes, 'rich'>): readonly string[] =>
  rich ? [...plainServices, ...richServices] : plainServices

/** One instance on each node. */
export const isCloned = (resource: string): boolean => resource === 'disk' || resource === 'data'

/** With the rich workload: `first` is started before `later`, and stopped after it. */
export const order = { first: 'db', later: 'web' } as const

/** With the rich workload: where what may never be started. */
export const ban = { resource: 'db', node: 'beta' } as const

/** The time of the nodes' watchdogs. */
export const watchdogMs = 3000

/** What is in the store: the typed configuration, and the wishes that it was made from. */
export interface StoredConfiguration extends ReplicatedConfiguration {
  readonly wishes: Wishes
}

export function configurationOf(wishes: Wishes, version: number): StoredConfiguration {
  const parsed = parseXml(xmlOf(wishes))
  if (!parsed.ok) throw new Error(`the simulated configuration is malformed: ${parsed.reports[0]?.message}`)
  return { version, cib: parsed.value, typed: readConfiguration(parsed.value), wishes }
}

function xmlOf(wishes: Wishes): string {
  const nodes = wishes.nodes.map(({ id, name }) => {
    const standby = wishes.standby.includes(name)
      ? `<instance_attributes id="n-${name}"><nvpair id="n-${name}-standby" name="standby" value="on"/></instance_attributes>`
      : ''
    return `<node id="${id}" uname="${name}">${standby}</node>`
  })
  const delay =
    wishes.fencingDelay === undefined
      ? ''
      : `<nvpair id="fence-delay" name="pcmk_delay_base" value="${wishes.fencingDelay}"/>`
  const throughDisks =
    wishes.disks.length === 0 ? '' : `<nvpair id="fence-disks" name="devices" value="${wishes.disks.join(',')}"/>`
  const device =
    wishes.fencing && wishes.device
      ? `<primitive id="fence" class="stonith" type="${throughDisks === '' ? 'fence_sim' : 'fence_sbd'}"><instance_attributes id="fence-p"><nvpair id="fence-hosts" name="pcmk_host_list" value="${wishes.machines.join(' ')}"/>${delay}${throughDisks}</instance_attributes></primitive>`
      : ''
  return `<cib validate-with="pacemaker-3.9"><configuration>
<crm_config><cluster_property_set id="cib-bootstrap-options">
<nvpair id="o1" name="stonith-enabled" value="${wishes.fencing}"/>
<nvpair id="o2" name="no-quorum-policy" value="${wishes.noQuorumPolicy}"/>
<nvpair id="o4" name="stonith-timeout" value="8s"/>
${wishes.disks.length > 0 ? `<nvpair id="o6" name="sbd-devices" value="${wishes.disks.join(',')}"/>` : ''}
${wishes.watchdogs || wishes.disks.length > 0 ? `<nvpair id="o5" name="watchdog-device" value="/dev/watchdog"/>` : ''}
<nvpair id="o3" name="stonith-watchdog-timeout" value="${wishes.watchdogs ? '-1' : '0'}"/>
</cluster_property_set></crm_config>
<nodes>${nodes.join('')}</nodes>
<resources>${device}${primitive('web', wishes)}${primitive('db', wishes)}
<group id="pair">${primitive('first', wishes)}${primitive('second', wishes)}</group>${wishes.rich ? richResources(wishes) : ''}</resources>
<constraints>${wishes.rich ? richConstraints(wishes) : ''}</constraints></configuration><status/></cib>`
}

function richResources(wishes: Wishes): string {
  const promotable =
    '<nvpair id="data-p" name="promotable" value="true"/><nvpair id="data-n" name="notify" value="true"/>'
  return `<clone id="disk-clone"><meta_attributes id="disk-c"><nvpair id="disk-i" name="interleave" value="true"/></meta_attributes>${primitive('disk', wishes)}</clone>
<clone id="data-clone"><meta_attributes id="data-c">${promotable}</meta_attributes>${primitive('data', wishes)}</clone>
${primitive('vm', wishes, '<nvpair id="vm-migrates" name="allow-migrate" value="true"/>')}`
}

function richConstraints({ machines }: Wishes): string {
  const wanted = machines.map(
    (node, index) =>
      `<rsc_location id="p-${node}" rsc="data-clone" role="Promoted" node="${node}" score="${10 + index}"/>`,
  )
  return `<rsc_order id="o-dw" first="${order.first}" then="${order.later}"/>
<rsc_location id="ban" rsc="${ban.resource}" node="${ban.node}" score="-INFINITY"/>${wanted.join('')}
<rsc_order id="o-dv" first="disk-clone" then="vm"/>`
}

function primitive(id: string, wishes: Wishes, meta = ''): string {
  const role = wishes.stopped.includes(id) ? `<nvpair id="${id}-role" name="target-role" value="Stopped"/>` : ''
  const metas = role + meta === '' ? '' : `<meta_attributes id="${id}-m">${role}${meta}</meta_attributes>`
  const promoted =
    id === 'data' ? `<op id="${id}-watch" name="monitor" role="Promoted" interval="4s" timeout="2s"/>` : ''
  return `<primitive id="${id}" class="ocf" provider="sim" type="${id === 'data' ? 'Stateful' : 'Dummy'}">${metas}<operations>${promoted}
<op id="${id}-start" name="start" interval="0" timeout="4s"/><op id="${id}-stop" name="stop" interval="0" timeout="4s"/>
<op id="${id}-monitor" name="monitor" interval="3s" timeout="2s"/></operations></primitive>`
}

const action = (name: string): AgentAction => ({ name, automatic: false, onTarget: false })

/** A device that switches hosts, and can say whether one is on. */
const method = {
  name: 'method',
  type: 'string',
  default: 'onoff',
  choices: [],
  required: false,
  unique: false,
  reloadable: false,
  private: false,
  deprecated: false,
  shortDescription: '',
  longDescription: '',
}

/** `splitReboot`: as most agents have it, its reboot is off and on. */
export function fenceAgentMetadata(splitReboot: boolean): ReadonlyMap<string, AgentMetadata> {
  const parameters = splitReboot ? [method] : []
  const actions = ['off', 'on', 'reboot', 'status', 'monitor'].map(action)
  const described = { shortDescription: '', longDescription: '', actions }
  return new Map([
    ['fence_sim', { name: 'fence_sim', ...described, parameters }],
    ['fence_sbd', { name: 'fence_sbd', ...described, parameters: [] }],
  ])
}

export function initialWishes(
  made: Pick<
    Wishes,
    'nodes' | 'machines' | 'fencing' | 'fencingDelay' | 'device' | 'watchdogs' | 'disks' | 'rich' | 'noQuorumPolicy'
  >,
): Wishes {
  return { ...made, standby: [], stopped: [], markers: [] }
}
