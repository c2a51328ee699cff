/** A world for the tools that agents call: a CIB in memory, with what was asked of it. */
import { createHash } from 'node:crypto'
import { expandValue } from '../../src/attributes/index.ts'
import { nodeName } from '../../src/base/index.ts'
import {
  composeCib,
  type OperationRecord,
  parseXml,
  splitCib,
  type TransientAttributeRecord,
  type XmlElement,
} from '../../src/cib/index.ts'
import type { CibChange, FencingEvent, ToolReply, ToolWitness, ToolWorld } from '../../src/tools/index.ts'

const text = `<cib validate-with="pacemaker-3.9"><configuration>
  <crm_config><cluster_property_set id="cib-bootstrap-options">
    <nvpair id="o-name" name="cluster-name" value="test"/></cluster_property_set></crm_config>
  <nodes>
    <node id="1" uname="alpha"><instance_attributes id="nodes-1"><nvpair id="a-rack" name="rack" value="7"/></instance_attributes></node>
    <node id="2" uname="beta"/>
  </nodes>
  <resources>
    <primitive id="web" class="ocf" provider="heartbeat" type="nginx">
      <instance_attributes id="web-p"><nvpair id="web-port" name="port" value="80"/></instance_attributes>
      <meta_attributes id="web-m"><nvpair id="web-managed" name="is-managed" value="true"/></meta_attributes>
      <utilization id="web-u"><nvpair id="web-cpu" name="cpu" value="2"/></utilization>
    </primitive>
  </resources><constraints/></configuration><status/></cib>`

export class TestWorld implements ToolWorld {
  readonly isCluster = true
  readonly localNode = nodeName('alpha')
  quorate = true
  readonly attributes = new Map<string, TransientAttributeRecord>()
  readonly cleaned: string[] = []
  readonly commands: string[] = []
  /** What was asked about attributes, in words. */
  readonly asked: string[] = []
  /** What the status section holds besides the attributes: the history of what runs. */
  operations: readonly OperationRecord[] = []
  fencing: readonly FencingEvent[] = []
  theWitness: ToolWitness | undefined
  #configuration: XmlElement

  constructor(written: string = text) {
    const parsed = parseXml(written)
    if (!parsed.ok) throw new Error('bad test')
    this.#configuration = parsed.value
  }

  nodes() {
    return [
      { name: nodeName('alpha'), id: '1', state: 'member' as const },
      { name: nodeName('beta'), id: '2', state: 'lost' as const },
    ]
  }

  witness() {
    return this.theWitness
  }

  configuration(): XmlElement {
    return this.#configuration
  }

  transient(node: string): ReadonlyMap<string, string> {
    const own = [...this.attributes.values()].filter((attribute) => attribute.node === node)
    return new Map(own.map(({ name, value }) => [name, value]))
  }

  cib(): XmlElement {
    const state = (node: string, id: string) => ({
      node: nodeName(node),
      id,
      inCcm: true,
      crmd: 'online' as const,
      join: 'member' as const,
      expected: 'member' as const,
    })
    return composeCib({
      configuration: this.#configuration,
      nodeStates: [state('alpha', '1'), state('beta', '2')],
      operations: this.operations,
      transientAttributes: [...this.attributes.values()],
    })
  }

  live(node: string): ReadonlyMap<string, string> {
    return this.transient(node)
  }

  async setDampening(name: string, delayMs: number): Promise<void> {
    this.asked.push(`dampening of ${name}: ${delayMs} ms`)
  }

  async refreshAttributes(): Promise<void> {
    this.asked.push('refresh')
  }

  async setAttribute({
    node,
    set,
    name,
    value,
    delayMs,
    isPrivate,
  }: Parameters<ToolWorld['setAttribute']>[0]): Promise<void> {
    const how = `${delayMs === undefined ? '' : `, quiet for ${delayMs} ms`}${isPrivate ? ', private' : ''}`
    this.asked.push(`${name}=${value ?? 'nothing'}${how}`)
    const key = `${node}/${set}/${name}`
    if (value === undefined) this.attributes.delete(key)
    else this.attributes.set(key, { node, set, name, value: expandValue(this.attributes.get(key)?.value, value) })
  }

  async edit(
    change: CibChange,
    { command, whole = false }: Parameters<ToolWorld['edit']>[1],
  ): Promise<ToolReply | undefined> {
    this.commands.push(command)
    const after = change(whole ? this.cib() : this.#configuration)
    if ('exitCode' in after) return after
    const { configuration, transientAttributes } = splitCib(after)
    this.#configuration = configuration
    if (!whole) return undefined
    this.attributes.clear()
    for (const record of transientAttributes) this.attributes.set(`${record.node}/${record.set}/${record.name}`, record)
    return undefined
  }

  async cleanUp({ resource, node, ...only }: Parameters<ToolWorld['cleanUp']>[0]): Promise<void> {
    this.cleaned.push(`${resource ?? 'all'} on ${node ?? 'all'}`)
    this.asked.push(`forget ${JSON.stringify(only)}`)
  }

  async fail({ resource, node }: Parameters<ToolWorld['fail']>[0]): Promise<boolean> {
    this.asked.push(`${resource} has failed on ${node}`)
    return node === 'alpha'
  }

  dc() {
    return { name: nodeName('alpha'), id: '1' }
  }

  controllerState(): string {
    return 'S_IDLE'
  }

  async fencingHistory(): Promise<readonly FencingEvent[]> {
    return this.fencing
  }

  fenceDevices() {
    return [
      { id: 'st-list', targets: ['alpha'] },
      { id: 'st-all', targets: 'all' as const },
      { id: 'st-ask', targets: undefined },
    ]
  }

  async askFenceDevice(id: string): Promise<readonly string[] | string> {
    return id === 'st-ask' ? ['beta'] : 'the device does not answer'
  }

  async fence(request: Parameters<ToolWorld['fence']>[0]): Promise<string | undefined> {
    this.asked.push(`fence ${JSON.stringify(request)}`)
    return undefined
  }

  async forgetFencing(node: string | undefined): Promise<void> {
    this.asked.push(`forget fencing of ${node ?? 'all'}`)
  }

  md5(text: string): string {
    return createHash('md5').update(text).digest('hex')
  }

  now(): number {
    return 1_763_719_200
  }

  async settled(): Promise<boolean> {
    return true
  }
}
