/** What the commands see and change for a user with roles: what the user may read, and no change that the user may not make. */
import { type NodeName, nodeName } from '../../base/index.ts'
import {
  type Access,
  childElement,
  childElements,
  configurationElement,
  element,
  findResource,
  mayReadAll,
  mayWriteAll,
  type XmlElement,
} from '../../cib/index.ts'
import { type ClusterView, cibOfView } from '../../controller/index.ts'
import type { CibChange, FenceRequest, FencingEvent, ToolReply, ToolWorld } from '../../tools/index.ts'
import { denied, type GuardedCib } from '../access/guarded-cib.ts'
import { viewAfter, viewWithAttribute } from '../access/state-after.ts'
import { historyToDelete } from '../records/forget-history.ts'
import { simulatedFailure } from '../records/simulated-failure.ts'
import { AgentToolsWorld, type ToolsNode, tooSlow } from './agent-tools.ts'
import { changeCib } from './change-cib.ts'

export class LimitedToolsWorld extends AgentToolsWorld {
  readonly #guarded: GuardedCib
  readonly #whole: XmlElement
  readonly #shown: XmlElement
  readonly #access: Access
  readonly #seesAll: boolean

  private constructor(
    node: ToolsNode,
    guarded: GuardedCib,
    seen: {
      readonly whole: XmlElement
      readonly shown: XmlElement
      readonly access: Access
      readonly seesAll: boolean
      readonly localNode: NodeName
    },
  ) {
    super(node, { user: guarded.rights.user, localNode: seen.localNode })
    this.#guarded = guarded
    this.#whole = seen.whole
    this.#shown = seen.shown
    this.#access = seen.access
    this.#seesAll = seen.seesAll
  }

  /** As it is now: a command is over in a moment. */
  static async open(node: ToolsNode, guarded: GuardedCib, localNode = node.name): Promise<LimitedToolsWorld> {
    const whole = wholeOf(node, node.view)
    const { cib: shown } = await guarded.see(whole)
    const [access, seesAll] = [await guarded.accessTo(whole), await guarded.readsAll(whole)]
    return new LimitedToolsWorld(node, guarded, { whole, shown, access, seesAll, localNode })
  }

  override cib(): XmlElement {
    return this.#shown
  }

  override configuration(): XmlElement {
    return { ...this.#shown, children: [configurationElement(this.#shown)] }
  }

  override transient(node: string): ReadonlyMap<string, string> {
    const visible = this.#visibleAttributes(node)
    return new Map([...super.transient(node)].filter(([name]) => visible.has(name)))
  }

  /** Those that are in no CIB are for whoever sees all of one. */
  override live(node: string): ReadonlyMap<string, string> {
    const visible = this.#visibleAttributes(node)
    return new Map([...super.live(node)].filter(([name]) => this.#seesAll || visible.has(name)))
  }

  #visibleAttributes(node: string): ReadonlySet<string> {
    const status = childElement(this.#shown, 'status')
    const states = status === undefined ? [] : childElements(status, 'node_state')
    const names = (sets: XmlElement): readonly string[] =>
      childElements(sets).flatMap((one) => (one.name === 'nvpair' ? [one.attributes.name ?? ''] : names(one)))
    const own = states.filter(({ attributes }) => attributes.id === this.#idOf(node))
    return new Set(own.flatMap((state) => childElements(state, 'transient_attributes')).flatMap(names))
  }

  /** A state that is shown for what is in it has no name. */
  #idOf(node: string): string | undefined {
    const status = childElement(this.#whole, 'status') ?? element('status')
    return childElements(status, 'node_state').find(({ attributes }) => attributes.uname === node)?.attributes.id
  }

  override async setAttribute(attribute: Parameters<ToolWorld['setAttribute']>[0]): Promise<void> {
    const { node, set, name, value, delayMs } = attribute
    // A dampening is that of the attribute on all nodes.
    if (delayMs !== undefined) await this.#mayDampen(name)
    await this.#mayBecome(
      viewWithAttribute(this.node.view, { node, set, name, ...(value === undefined ? {} : { value }) }),
    )
    await super.setAttribute(attribute)
  }

  override async setDampening(name: string, delayMs: number): Promise<void> {
    await this.#mayDampen(name)
    await super.setDampening(name, delayMs)
  }

  override async refreshAttributes(): Promise<void> {
    await this.#mayWriteAttributes([...this.node.view.withheld.values()])
    await super.refreshAttributes()
  }

  async #mayDampen(name: string): Promise<void> {
    const { attributes, withheld } = this.node.view
    const known = [...attributes.values(), ...withheld.values()].filter((one) => one.name === name)
    await this.#mayWriteAttributes(known.length > 0 ? known : [{ node: this.localNode, set: '', name }])
  }

  async #mayWriteAttributes(
    attributes: readonly { readonly node: NodeName; readonly set: string; readonly name: string }[],
  ): Promise<void> {
    for (const { node, set, name } of attributes)
      await this.#mayBecome(viewWithAttribute(this.node.view, { node, set, name, value: 'x' }))
  }

  async #mayBecome(after: ClusterView): Promise<void> {
    await this.#guarded.check(wholeOf(this.node, this.node.view), wholeOf(this.node, after))
  }

  override async edit(change: CibChange, how: Parameters<ToolWorld['edit']>[1]): Promise<ToolReply | undefined> {
    const by = { user: this.#guarded.rights.user, node: this.localNode, guarded: this.#guarded }
    return await changeCib(this.node, change, { ...how, by })
  }

  /** One that takes long is found out in the thread that evaluates them; here nobody else could do anything meanwhile. */
  override async refuseXpath(xpath: string): Promise<ToolReply | undefined> {
    if (await this.#guarded.isQuick(this.#shown, xpath)) return undefined
    return tooSlow(xpath)
  }

  override async asUser(): Promise<ToolWorld> {
    return await Promise.reject(denied('only root and hacluster may act for another user.'))
  }

  override async cleanUp(what: Parameters<ToolWorld['cleanUp']>[0]): Promise<void> {
    const { refresh = false, ...which } = what
    const { view } = this.node
    await this.#mayBecome(viewAfter(view, historyToDelete(view, { ...which, onlyFailed: !refresh }).writes))
    await super.cleanUp(what)
  }

  override async fail(what: Parameters<ToolWorld['fail']>[0]): Promise<boolean> {
    const { view } = this.node
    await this.#mayBecome(viewAfter(view, simulatedFailure(view, what, this.now())))
    return await super.fail(what)
  }

  override async fencingHistory(): Promise<readonly FencingEvent[]> {
    const events = await super.fencingHistory()
    return events.map(({ device, ...event }) =>
      device !== undefined && this.#mayRead(device) ? { ...event, device } : event,
    )
  }

  override fenceDevices() {
    return super.fenceDevices().filter(({ id }) => this.#mayRead(id))
  }

  #mayRead(resource: string): boolean {
    const found = findResource(this.#whole, resource)
    return found !== undefined && mayReadAll(found, this.#access)
  }

  /** The fence agent runs as root, with the parameters of the device. */
  override async askFenceDevice(
    id: string,
    question: 'list' | 'monitor',
    timeoutMs: number,
  ): Promise<readonly string[] | string> {
    const found = findResource(this.#whole, id)
    if (found === undefined || !mayWriteAll(found, this.#access))
      throw denied(
        `querying the fence device ${id} runs its agent as root, which requires the permission 'write' on the device; ${this.#guarded.rights.user} does not have it.`,
      )
    return await super.askFenceDevice(id, question, timeoutMs)
  }

  override async fence(request: FenceRequest): Promise<string | undefined> {
    if (!(await this.#guarded.administers(this.#whole)))
      throw denied(
        `fencing requires the permission 'write' on all of /cib/configuration, which ${this.#guarded.rights.user} does not have.`,
      )
    return await super.fence({ ...request, node: nodeName(request.node) })
  }

  override async forgetFencing(node: string | undefined): Promise<void> {
    if (!(await this.#guarded.administers(this.#whole)))
      throw denied(
        `deleting the fencing history requires the permission 'write' on all of /cib/configuration, which ${this.#guarded.rights.user} does not have.`,
      )
    await super.forgetFencing(node)
  }
}

function wholeOf(node: ToolsNode, view: ClusterView): XmlElement {
  const cib = cibOfView(view, node.quorate)
  if (cib !== undefined) return cib
  throw denied('this node does not know the configuration with the roles yet.')
}
