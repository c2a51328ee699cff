/** What crm_attribute and the other commands see and change, on their socket beside the API's. */
import { createHash } from 'node:crypto'
import { liveAttributes } from '../../attributes/index.ts'
import { type NodeName, nodeName } from '../../base/index.ts'
import { element, type XmlElement } from '../../cib/index.ts'
import { cibOfView } from '../../controller/index.ts'
import { hostsInList } from '../../fencing/index.ts'
import type { ClusterState } from '../../rpc/index.ts'
import {
  type CibChange,
  exitCodes,
  type FenceRequest,
  type FencingEvent,
  fencingEvent,
  refused,
  type ToolLink,
  type ToolNode,
  type ToolReply,
  type ToolWitness,
  type ToolWorld,
} from '../../tools/index.ts'
import type { AttributeChanges } from '../attributes/attribute-changes.ts'
import type { FencingDriver } from '../fencing/fencing-driver.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'
import { knownAttributes } from '../records/attribute-writes.ts'
import { confirmFencing } from '../records/confirm-fencing.ts'
import { forgetFencing } from '../records/forget-fencing.ts'
import { deleteHistory } from '../records/forget-history.ts'
import type { OwnWrites } from '../records/own-writes.ts'
import { failResource } from '../records/simulated-failure.ts'
import type { SharedState } from '../shared-state/shared-state.ts'
import { untilState } from '../shared-state/until-state.ts'
import { changeCib } from './change-cib.ts'

/** The node on which they are called, with what they may do there. */
export interface ToolsNode extends SharedState {
  /** What a command writes is seen by the next one. */
  readonly seesOwnWrites: OwnWrites['seen']
  readonly file: ClusterFile
  readonly attributes: Pick<AttributeChanges, 'set' | 'setDampening' | 'refresh'>
  readonly fencing: Pick<FencingDriver, 'askDevice' | 'fenceDevices' | 'fenceForAdministrator'>
  readonly state: () => ClusterState
  readonly confirmOff: (node: NodeName, write: () => Promise<void>) => Promise<void>
}

/** Pacemaker's exit code for what took too long. */
const exitTimeout = 124

export const tooSlow = (xpath: string): ToolReply =>
  refused(exitTimeout, `Evaluating the path ${xpath} takes too long. Simplify it.`)

interface WorldOf {
  readonly localNode?: NodeName
  /** For the history. */
  readonly user?: string
  /** For whoever may act for others. */
  readonly asUser?: (user: string) => Promise<ToolWorld | ToolReply>
}

export class AgentToolsWorld implements ToolWorld {
  readonly isCluster = true
  readonly localNode: NodeName
  protected readonly node: ToolsNode
  readonly #user: string
  readonly #asUser: ((user: string) => Promise<ToolWorld | ToolReply>) | undefined

  constructor(node: ToolsNode, given: WorldOf = {}) {
    this.node = node
    this.localNode = given.localNode ?? node.name
    this.#user = given.user ?? 'root'
    this.#asUser = given.asUser
  }

  get quorate(): boolean {
    return this.node.quorate
  }

  readonly md5 = (text: string): string => createHash('md5').update(text, 'utf8').digest('hex')

  now(): number {
    return Math.floor(Date.now() / 1000)
  }

  nodes(): readonly ToolNode[] {
    const { members } = this.node.view
    return this.node.file.nodes.map(({ name, id, address, links }) => ({
      name,
      id,
      state: members.has(name) ? 'member' : 'lost',
      address,
      ...(links === undefined ? {} : { links: this.#linksOf(name) }),
    }))
  }

  #linksOf(node: NodeName): readonly ToolLink[] {
    const member = this.node.state().members.find((one) => one.node === node)
    return (member?.links ?? []).map(({ number, address, state }) => ({ number, address, isUp: state === 'up' }))
  }

  witness(): ToolWitness | undefined {
    const { witness } = this.node.state()
    return witness && { name: witness.name, votes: witness.votes, isHeard: witness.state === 'up' }
  }

  cib(): XmlElement {
    return cibOfView(this.node.view, this.node.quorate) ?? element('cib')
  }

  configuration(): XmlElement {
    return this.node.view.configuration?.cib ?? element('cib', {}, [element('configuration')])
  }

  transient(node: string): ReadonlyMap<string, string> {
    const own = [...this.node.view.attributes.values()].filter((attribute) => attribute.node === node)
    return new Map(own.map(({ name, value }) => [name, value]))
  }

  live(node: string): ReadonlyMap<string, string> {
    return liveAttributes(knownAttributes(this.node.view), node)
  }

  async setAttribute(attribute: Parameters<ToolWorld['setAttribute']>[0]): Promise<void> {
    await this.node.attributes.set(attribute)
  }

  async setDampening(name: string, delayMs: number): Promise<void> {
    await this.node.attributes.setDampening(name, delayMs)
  }

  async refreshAttributes(): Promise<void> {
    await this.node.attributes.refresh()
  }

  async edit(change: CibChange, how: Parameters<ToolWorld['edit']>[1]): Promise<ToolReply | undefined> {
    // A remote node's change is its own in the history.
    const by = { user: this.#user, node: this.localNode }
    return await changeCib(this.node, change, { ...how, by })
  }

  /** Whoever may do all may also do this. */
  async refuseXpath(_xpath: string): Promise<ToolReply | undefined> {
    return await Promise.resolve(undefined)
  }

  async asUser(user: string): Promise<ToolWorld | ToolReply> {
    const refusal = refused(
      exitCodes.insufficientPrivileges,
      'Permission denied: only root and hacluster may act for another user.',
    )
    return (await this.#asUser?.(user)) ?? refusal
  }

  async cleanUp(what: Parameters<ToolWorld['cleanUp']>[0]): Promise<void> {
    const { refresh = false, ...which } = what
    await deleteHistory(this.node, { ...which, onlyFailed: !refresh })
  }

  async fail(what: Parameters<ToolWorld['fail']>[0]): Promise<boolean> {
    return await failResource(this.node, what)
  }

  async settled(timeoutMs: number): Promise<boolean> {
    const version = this.node.view.configuration?.version ?? 0
    const isSettled = () => {
      const { transition } = this.node.state()
      return transition.computedVersion >= version && transition.state === 'idle'
    }
    return await untilState(this.node, isSettled, timeoutMs)
  }

  dc(): { readonly name: NodeName; readonly id: string } | undefined {
    const { dc } = this.node.view
    const entry = dc && this.node.file.nodes.find(({ name }) => name === dc.node)
    return entry && { name: entry.name, id: entry.id }
  }

  controllerState(): string {
    const { state } = this.node.state().transition
    return state === 'computing' ? 'S_POLICY_ENGINE' : state === 'running' ? 'S_TRANSITION_ENGINE' : 'S_IDLE'
  }

  async fencingHistory(): Promise<readonly FencingEvent[]> {
    return await Promise.resolve(this.node.state().fencing.map(fencingEvent))
  }

  fenceDevices() {
    return this.node.fencing.fenceDevices()
  }

  async askFenceDevice(
    id: string,
    question: 'list' | 'monitor',
    timeoutMs: number,
  ): Promise<readonly string[] | string> {
    const { succeeded, message, output } = await this.node.fencing.askDevice(id, question, timeoutMs)
    if (!succeeded) return message
    return question === 'list' ? [...hostsInList(output)] : []
  }

  async forgetFencing(node: string | undefined): Promise<void> {
    const target = node === undefined ? undefined : nodeName(node)
    await forgetFencing(this.node.store, this.node.state().fencing, target)
  }

  async fence({ node, action, ...how }: FenceRequest): Promise<string | undefined> {
    const target = nodeName(node)
    if (action === 'confirm') {
      await this.node.confirmOff(target, () => confirmFencing(this.node, target, Date.now()))
      return undefined
    }
    const { succeeded, message } = await this.node.fencing.fenceForAdministrator(target, action, how)
    return succeeded ? undefined : message
  }
}
