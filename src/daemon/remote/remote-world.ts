/**
 * The cluster as the commands of agents on a remote node may see and change it. Whatever a command asks for, what it reads has no secrets, and what
 * it changes is the remote node's own: its attributes, what its resources keep under their names, their recorded failures on itself. What is not is
 * refused whole, before anything is changed. docs/security.md has it in words.
 */
import { liveAttributes } from '../../attributes/index.ts'
import { type NodeName, nodeName } from '../../base/index.ts'
import { childElement, hiddenValue, type IsSecret, primitiveDefinitions, type XmlElement } from '../../cib/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import { bundleNodes, guestNodes } from '../../status/index.ts'
import type { CibChange, ToolReply, ToolWorld } from '../../tools/index.ts'
import { exitCodes, refused } from '../../tools/index.ts'
import { knownAttributes } from '../records/attribute-writes.ts'
import { secretsOfView } from '../records/secrets-of-view.ts'
import { forbiddenChange, isNamedAfter, saysWhatANodeIs } from './allowed-change.ts'
import { configurationWithoutSecrets, statusWithoutSecrets } from './hide-secrets.ts'
import { nodesWith, runningThere, withoutInstance } from './runs-there.ts'

/** Asked for by a remote node, and not its to have. */
export class NotAllowedError extends Error {
  override readonly name = 'NotAllowedError'
}

/** Dampening is of an attribute on all nodes: longer than agents have it, others' changes would wait for a remote node's wish. */
const longestDelayMs = 5 * 60_000

/** Attributes of a node that the cluster obeys: with one of its host's, what runs in a container would have the host fenced, emptied or shut down. */
const obeyed =
  /^(?:#|fail-count-|last-failure-|master-|(?:shutdown|terminate|standby|maintenance|probe_complete|resource-discovery-enabled|site-name)$)/i

interface Ports {
  readonly remote: NodeName
  readonly view: ClusterView
  readonly refuseXpath: (cib: XmlElement, xpath: string) => Promise<ToolReply | undefined>
}

export class RemoteWorld implements ToolWorld {
  readonly isCluster = true
  readonly localNode: NodeName
  readonly #inner: ToolWorld
  readonly #view: ClusterView
  readonly #isSecret: IsSecret
  readonly #runs: ReadonlySet<string>

  readonly #refuseXpath: Ports['refuseXpath']

  constructor(inner: ToolWorld, { remote, view, refuseXpath }: Ports) {
    this.localNode = remote
    this.#refuseXpath = refuseXpath
    this.#inner = inner
    this.#view = view
    this.#isSecret = secretsOfView(view)
    const running = runningThere(view.operations.values(), remote)
    // It may record results of a resource that nobody has configured: names that it chooses itself give it nothing.
    const configured = (view.configuration?.typed.resources ?? []).flatMap(primitiveDefinitions)
    this.#runs = new Set(configured.flatMap(({ id }) => (running.has(id) ? [id] : [])))
  }

  get quorate(): boolean {
    return this.#inner.quorate
  }

  get md5(): ToolWorld['md5'] {
    return this.#inner.md5
  }

  now(): number {
    return this.#inner.now()
  }

  nodes(): ReturnType<ToolWorld['nodes']> {
    return this.#inner.nodes()
  }

  witness(): ReturnType<ToolWorld['witness']> {
    return this.#inner.witness()
  }

  dc(): ReturnType<ToolWorld['dc']> {
    return this.#inner.dc()
  }

  controllerState(): string {
    return this.#inner.controllerState()
  }

  async fencingHistory(): ReturnType<ToolWorld['fencingHistory']> {
    return await this.#inner.fencingHistory()
  }

  fenceDevices(): ReturnType<ToolWorld['fenceDevices']> {
    return this.#inner.fenceDevices()
  }

  cib(): XmlElement {
    return this.#hidden(this.#inner.cib())
  }

  configuration(): XmlElement {
    return this.#hidden(this.#inner.configuration())
  }

  #hidden(cib: XmlElement): XmlElement {
    const [configuration, status] = [childElement(cib, 'configuration'), childElement(cib, 'status')]
    const hiding = { isSecret: this.#isSecret, known: this.#known() }
    const children = cib.children.map((child) =>
      child === configuration
        ? configurationWithoutSecrets(configuration, hiding)
        : child === status
          ? statusWithoutSecrets(status, { isSecret: this.#isSecret, reader: this.localNode })
          : child,
    )
    return { ...cib, children }
  }

  transient(node: string): ReadonlyMap<string, string> {
    return this.#shown(node, this.#inner.transient(node))
  }

  live(node: string): ReadonlyMap<string, string> {
    return this.#shown(node, this.#inner.live(node))
  }

  async setAttribute(attribute: Parameters<ToolWorld['setAttribute']>[0]): Promise<void> {
    const { node, name, delayMs, ...rest } = attribute
    if (!this.#maySet(node, name))
      throw new NotAllowedError(`The remote node ${this.localNode} may not set the attribute ${name} of ${node}.`)
    const delay = delayMs === undefined || !this.#mayDelay(name, delayMs) ? {} : { delayMs }
    await this.#inner.setAttribute({ ...rest, node, name, ...delay })
  }

  async edit(change: CibChange, how: Parameters<ToolWorld['edit']>[1]): Promise<ToolReply | undefined> {
    if (how.whole === true) throw this.#mayNot('change the recorded state of the cluster')
    const rights = { node: this.localNode, resources: this.#runs }
    return await this.#inner.edit((before) => {
      const after = change(before)
      if ('exitCode' in after) return after
      const place = forbiddenChange(before, after, rights)
      return place === undefined
        ? after
        : refused(exitCodes.insufficientPrivileges, `The remote node ${this.localNode} may not change this: ${place}.`)
    }, how)
  }

  /** A path may take for ever, and this member's other work with it. */
  async refuseXpath(xpath: string): Promise<ToolReply | undefined> {
    return await this.#refuseXpath(this.cib(), xpath)
  }

  async cleanUp(what: Parameters<ToolWorld['cleanUp']>[0]): Promise<void> {
    const isOwn = what.node === this.localNode && what.resource !== undefined && this.#ran(what.resource)
    if (!isOwn || what.refresh === true) throw this.#mayNot('forget the history of others')
    await this.#inner.cleanUp(what)
  }

  async setDampening(): Promise<never> {
    throw await Promise.resolve(this.#mayNot('change the dampening of an attribute'))
  }

  async refreshAttributes(): Promise<never> {
    throw await Promise.resolve(this.#mayNot('end the dampening of all attributes'))
  }

  async fail(): Promise<never> {
    throw await Promise.resolve(this.#mayNot('declare a resource failed'))
  }

  async settled(): Promise<never> {
    throw await Promise.resolve(this.#mayNot('wait for the cluster'))
  }

  async askFenceDevice(): Promise<never> {
    throw await Promise.resolve(this.#mayNot('use a fence device'))
  }

  async fence(): Promise<never> {
    throw await Promise.resolve(this.#mayNot('fence a node'))
  }

  async forgetFencing(): Promise<never> {
    throw await Promise.resolve(this.#mayNot('delete the fencing history'))
  }

  #mayNot(what: string): NotAllowedError {
    return new NotAllowedError(`The remote node ${this.localNode} may not ${what}.`)
  }

  /** Whose parameters it has already, their templates included. */
  #known(): ReadonlySet<string> {
    const known = new Set(this.#runs)
    for (const resource of this.#view.configuration?.typed.resources ?? [])
      for (const { id, template } of primitiveDefinitions(resource))
        if (template !== undefined && known.has(id)) known.add(template)
    return known
  }

  #shown(node: string, attributes: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
    if (node === this.localNode) return attributes
    return new Map([...attributes].map(([name, value]) => [name, this.#isSecret(name) ? hiddenValue : value]))
  }

  #maySet(node: NodeName, name: string): boolean {
    if (saysWhatANodeIs(name)) return false
    if (node === this.localNode) return true
    const operations = [...this.#view.operations.values()]
    const isHost = node === this.#attributeHost()
    if (isHost && !obeyed.test(name)) return true
    return [...this.#runs].some((id) => isNamedAfter(name, id) && (isHost || nodesWith(operations, id).has(node)))
  }

  /** The attributes of resources in a container may be the host's (`container-attribute-target`). */
  #attributeHost(): NodeName | undefined {
    const resources = this.#view.configuration?.typed.resources ?? []
    const ownResources = resources.flatMap(primitiveDefinitions).filter(({ id }) => this.#runs.has(id))
    const meta = [...resources, ...ownResources].flatMap((one) => ('meta' in one ? one.meta : []))
    const wantsHost = meta.some(({ pairs }) =>
      pairs.some(({ name, value }) => name === 'container-attribute-target' && value?.toLowerCase() === 'host'),
    )
    const container = wantsHost ? this.#container() : undefined
    if (container === undefined) return undefined
    const members = [...this.#view.members.keys()]
    return members.map(nodeName).find((node) => runningThere(this.#view.operations.values(), node).has(container))
  }

  #container(): string | undefined {
    const typed = this.#view.configuration?.typed
    if (typed === undefined) return undefined
    const replicas = typed.resources.flatMap((one) => (one.kind === 'bundle' ? bundleNodes(one) : []))
    return [...guestNodes(typed), ...replicas].find(({ name }) => name === this.localNode)?.container
  }

  #mayDelay(name: string, delayMs: number): boolean {
    const others = this.#inner.nodes().filter((node) => node.name !== this.localNode)
    // By all that there is: a user of the remote node sees less of it.
    const known = knownAttributes(this.#view)
    return delayMs <= longestDelayMs && others.every((node) => !liveAttributes(known, node.name).has(name))
  }

  #ran(resource: string): boolean {
    return nodesWith(this.#view.operations.values(), withoutInstance(resource)).has(this.localNode)
  }
}
