/** What crm_attribute and the other commands of agents see and change, on their socket beside the API's. */
import { liveAttributes } from '../../attributes/index.ts'
import type { NodeName } from '../../base/index.ts'
import { type EditResult, element, printXml, readConfiguration, type XmlElement } from '../../cib/index.ts'
import { cibOfView } from '../../controller/index.ts'
import { readStatus } from '../../status/index.ts'
import {
  type MonitorStatus,
  runTool,
  serveTools,
  type ToolNode,
  type ToolServer,
  type ToolWorld,
} from '../../tools/index.ts'
import { readConfigurationToPush, saveConfiguration } from '../configuration/configuration-edit.ts'
import type { Paths } from '../host/paths.ts'
import type { ClusterNode } from '../node/cluster-node.ts'
import { untilState } from '../node/until-state.ts'
import { knownAttributes } from '../records/attribute-writes.ts'
import { deleteHistory } from '../records/forget-history.ts'
import { agentToolsSocket } from './agent-tools-socket.ts'
import { monitorStatus } from './monitor-status.ts'

export async function serveAgentTools(node: ClusterNode, paths: Paths): Promise<ToolServer> {
  const world = new AgentToolsWorld(node)
  return await serveTools(agentToolsSocket(paths), async (call) => await runTool(call, world))
}

/** An agent's own time limit is longer. */
const seenTimeoutMs = 5000
const editAttempts = 10

class AgentToolsWorld implements ToolWorld {
  readonly #node: ClusterNode

  constructor(node: ClusterNode) {
    this.#node = node
  }

  get localNode(): NodeName {
    return this.#node.name
  }

  get quorate(): boolean {
    return this.#node.quorate
  }

  nodes(): readonly ToolNode[] {
    const { members } = this.#node.view
    return this.#node.file.nodes.map(({ name, id }) => ({ name, id, state: members.has(name) ? 'member' : 'lost' }))
  }

  knowsNode(node: string): boolean {
    const { configuration, nodeStates } = this.#node.view
    const isConfigured = configuration?.typed.nodes.some(({ name }) => name === node) ?? false
    return (
      isConfigured ||
      [...nodeStates.keys()].some((name) => name === node) ||
      this.nodes().some(({ name }) => name === node)
    )
  }

  cib(): XmlElement {
    return cibOfView(this.#node.view, this.#node.quorate) ?? element('cib')
  }

  configuration(): XmlElement {
    return this.#node.view.configuration?.cib ?? element('cib', {}, [element('configuration')])
  }

  transient(node: string): ReadonlyMap<string, string> {
    const own = [...this.#node.view.attributes.values()].filter((attribute) => attribute.node === node)
    return new Map(own.map(({ name, value }) => [name, value]))
  }

  live(node: string): ReadonlyMap<string, string> {
    return liveAttributes(knownAttributes(this.#node.view), node)
  }

  async setAttribute(attribute: Parameters<ToolWorld['setAttribute']>[0]): Promise<void> {
    await this.#node.attributes.set(attribute)
  }

  async setDampening(name: string, delayMs: number): Promise<void> {
    await this.#node.attributes.setDampening(name, delayMs)
  }

  async refreshAttributes(): Promise<void> {
    await this.#node.attributes.refresh()
  }

  async edit(change: (cib: XmlElement) => EditResult, command: string): Promise<EditResult> {
    for (let attempt = 0; ; attempt++) {
      const { configuration } = this.#node.view
      const result = change(this.configuration())
      if (!result.ok || !configuration) return result
      const pushed = await saveConfiguration(this.#node, {
        xml: readConfigurationToPush(printXml(result.value.cib)),
        expectedVersion: configuration.version,
        user: 'root',
        command,
      })
      if (pushed.kind === 'saved' || attempt === editAttempts) {
        await this.#seen(() => (this.#node.view.configuration?.version ?? 0) >= pushed.version)
        if (pushed.kind === 'saved') return result
        throw new Error('The configuration is being changed by others all the time: try again.')
      }
      await this.#seen(() => (this.#node.view.configuration?.version ?? 0) >= pushed.version)
    }
  }

  async cleanUp(resource: string, node: NodeName | undefined): Promise<void> {
    await deleteHistory(this.#node, { resource, ...(node === undefined ? {} : { node }), onlyFailed: true })
  }

  async status(): Promise<MonitorStatus> {
    const cib = this.cib()
    const configuration = readConfiguration(cib)
    const status = readStatus({ cib, configuration, now: Math.floor(Date.now() / 1000) })
    return monitorStatus(status, (node) => this.transient(node))
  }

  async settled(timeoutMs: number): Promise<boolean> {
    const version = this.#node.view.configuration?.version ?? 0
    const isSettled = () => {
      const { transition } = this.#node.state()
      return transition.computedVersion >= version && transition.state === 'idle'
    }
    return await this.#seen(isSettled, timeoutMs)
  }

  async #seen(isSo: () => boolean, timeoutMs = seenTimeoutMs): Promise<boolean> {
    return await untilState(this.#node, isSo, timeoutMs)
  }
}
