/** The configuration of a simulated cluster: a fence device, two services and a group, and what an administrator changes. */
import { defined } from '../../src/base/index.ts'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import type { ReplicatedConfiguration } from '../../src/controller/index.ts'
import type { AgentAction, AgentMetadata } from '../../src/resource-agents/index.ts'

export interface Wishes {
  readonly nodes: readonly string[]
  readonly fencing: boolean
  readonly noQuorumPolicy: string
  readonly standby: readonly string[]
  readonly stopped: readonly string[]
  /** Grows with each change that an administrator was told is saved. */
  readonly markers: readonly number[]
}

export const serviceNames = ['web', 'db', 'first', 'second'] as const

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
  const nodes = wishes.nodes.map((name, index) => {
    const standby = wishes.standby.includes(name)
      ? `<instance_attributes id="n-${name}"><nvpair id="n-${name}-standby" name="standby" value="on"/></instance_attributes>`
      : ''
    return `<node id="${index + 1}" uname="${name}">${standby}</node>`
  })
  const device = wishes.fencing
    ? `<primitive id="fence" class="stonith" type="fence_sim"><instance_attributes id="fence-p"><nvpair id="fence-hosts" name="pcmk_host_list" value="${wishes.nodes.join(' ')}"/></instance_attributes></primitive>`
    : ''
  return `<cib validate-with="pacemaker-3.9"><configuration>
<crm_config><cluster_property_set id="cib-bootstrap-options">
<nvpair id="o1" name="stonith-enabled" value="${wishes.fencing}"/>
<nvpair id="o2" name="no-quorum-policy" value="${wishes.noQuorumPolicy}"/>
</cluster_property_set></crm_config>
<nodes>${nodes.join('')}</nodes>
<resources>${device}${primitive('web', wishes)}${primitive('db', wishes)}
<group id="pair">${primitive('first', wishes)}${primitive('second', wishes)}</group></resources>
<constraints/></configuration><status/></cib>`
}

function primitive(id: string, wishes: Wishes): string {
  const stopped = wishes.stopped.includes(id)
    ? `<meta_attributes id="${id}-m"><nvpair id="${id}-role" name="target-role" value="Stopped"/></meta_attributes>`
    : ''
  return `<primitive id="${id}" class="ocf" provider="sim" type="Dummy">${stopped}<operations>
<op id="${id}-start" name="start" interval="0" timeout="4s"/><op id="${id}-stop" name="stop" interval="0" timeout="4s"/>
<op id="${id}-monitor" name="monitor" interval="3s" timeout="2s"/></operations></primitive>`
}

const action = (name: string): AgentAction => ({ name, automatic: false, onTarget: false })

/** A device that switches hosts, and can say whether one is on. */
export const fenceAgentMetadata: ReadonlyMap<string, AgentMetadata> = new Map([
  [
    'fence_sim',
    {
      name: 'fence_sim',
      shortDescription: '',
      longDescription: '',
      parameters: [],
      actions: ['off', 'on', 'reboot', 'status', 'monitor'].map(action),
    },
  ],
])

export function initialWishes(nodes: readonly string[], fencing: boolean, noQuorumPolicy: string): Wishes {
  return { nodes: defined(nodes, 'nodes'), fencing, noQuorumPolicy, standby: [], stopped: [], markers: [] }
}
