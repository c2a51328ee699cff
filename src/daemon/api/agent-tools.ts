/** What crm_attribute and the other commands of agents see and change, on their socket beside the API's. */
import {
  type AttributeRequest,
  type DampeningEffect,
  type DampeningInput,
  type DampeningState,
  dampeningStep,
  initialDampening,
  nextDampeningAt,
} from '../../attributes/index.ts'
import type { NodeName } from '../../base/index.ts'
import { type EditResult, element, printXml, readConfiguration, type XmlElement } from '../../cib/index.ts'
import { cibOfView } from '../../controller/index.ts'
import {
  type MonitorStatus,
  runTool,
  serveTools,
  type ToolNode,
  type ToolServer,
  type ToolWorld,
} from '../../executor/index.ts'
import { readStatus } from '../../status/index.ts'
import { readConfigurationToPush, saveConfiguration } from '../configuration/configuration-edit.ts'
import type { Paths } from '../host/paths.ts'
import type { ClusterNode } from '../node/cluster-node.ts'
import { CoreLoop } from '../node/core-loop.ts'
import { deleteHistory } from '../records/forget-history.ts'
import { toBytes } from '../records/json-value.ts'
import { keys } from '../records/keys.ts'
import { agentToolsSocket } from './agent-tools-socket.ts'
import { monitorStatus } from './monitor-status.ts'

export async function serveAgentTools(node: ClusterNode, paths: Paths): Promise<ToolServer> {
  const world = new AgentToolsWorld(node)
  const server = await serveTools(agentToolsSocket(paths), async (call) => await runTool(call, world))
  return {
    close: async () => {
      world.end()
      await server.close()
    },
  }
}

/** An agent's own time limit is longer. */
const seenTimeoutMs = 5000
const editAttempts = 10

class AgentToolsWorld implements ToolWorld {
  readonly #node: ClusterNode
  readonly #dampening: CoreLoop<DampeningState, DampeningInput, DampeningEffect>
  readonly #writing = new Map<string, Promise<void>>()

  constructor(node: ClusterNode) {
    this.#node = node
    this.#dampening = new CoreLoop<DampeningState, DampeningInput, DampeningEffect>({
      initial: initialDampening,
      step: dampeningStep,
      perform: (effect) => this.#write(effect),
      nextAt: nextDampeningAt,
      tick: { kind: 'tick' },
    })
  }

  end(): void {
    this.#dampening.end()
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

  async setAttribute(attribute: Parameters<ToolWorld['setAttribute']>[0]): Promise<void> {
    const { node, set, name, value, delayMs } = attribute
    const request: AttributeRequest = {
      node,
      set,
      name,
      ...(value === undefined ? {} : { value }),
      ...(delayMs === undefined ? {} : { delayMs }),
    }
    const key = keys.attribute(node, set, name)
    const current = this.#node.view.attributes.get(key)?.value
    this.#dampening.feed({ kind: 'set', request, ...(current === undefined ? {} : { current }) })
    await this.#writing.get(key)
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

  /** Writes of one attribute follow each other; the caller waits until a read here shows its own. */
  #write({ node, set, name, value }: DampeningEffect): void {
    const key = keys.attribute(node, set, name)
    const before = this.#writing.get(key) ?? Promise.resolve()
    const written = before
      .catch(() => undefined)
      .then(async () => {
        const write =
          value === undefined
            ? ({ kind: 'delete', key } as const)
            : ({ kind: 'put', key, value: toBytes({ node, set, name, value }) } as const)
        const { revision } = await this.#node.store.transaction({ compare: [], writes: [write] })
        await this.#seen(() => this.#node.view.revision >= revision)
      })
    this.#writing.set(key, written)
    const done = () => {
      if (this.#writing.get(key) === written) this.#writing.delete(key)
    }
    written.then(done, done)
  }

  async #seen(isSo: () => boolean, timeoutMs = seenTimeoutMs): Promise<boolean> {
    if (isSo()) return true
    return await new Promise((resolve) => {
      const end = (outcome: boolean) => {
        clearTimeout(timer)
        stop()
        resolve(outcome)
      }
      const timer = setTimeout(() => end(false), timeoutMs)
      const stop = this.#node.onState(() => {
        if (isSo()) end(true)
      })
    })
  }
}
