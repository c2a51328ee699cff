/**
 * Performs what the core wants while the node begins (ADR 72): the pulse is released, the store prepared, and, once the view is there, the parts
 * begin that run agents and answer their tools.
 */
import type { NodeName } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import type { Executor } from '../../executor/index.ts'
import type { StartUpEffect, StartUpInput } from '../../node/index.ts'
import { isStoreFailure, type Store } from '../../store/index.ts'
import type { ToolServer } from '../../tools/index.ts'
import type { ToolsNode } from '../agent-tools/agent-tools.ts'
import { serveAgentTools } from '../agent-tools/serve-agent-tools.ts'
import type { AlertDriver } from '../alerts/alert-driver.ts'
import type { FencingDriver } from '../fencing/fencing-driver.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'
import type { RemoteConnections } from '../remote/connections.ts'
import type { TwoNodeDriver } from '../two-node/two-node-driver.ts'
import type { KnownState } from './known-state.ts'
import type { ClusterNodeSetup } from './node-setup.ts'
import { openExecutor } from './open-executor.ts'
import { prepareStore } from './prepare-store.ts'

export interface StartUpPorts {
  readonly self: NodeName
  readonly setup: ClusterNodeSetup
  /** For whoever calls its tools. */
  readonly node: ToolsNode
  readonly store: () => Store
  readonly file: () => ClusterFile
  readonly view: () => ClusterView
  readonly known: KnownState
  readonly twoNode: () => TwoNodeDriver
  readonly fencing: () => FencingDriver
  readonly connections: () => RemoteConnections
  readonly alerts: () => AlertDriver
  readonly feed: (input: StartUpInput) => void
  /** Agents may be run from now on. */
  readonly onBegun: () => void
}

export class StartUpDriver {
  readonly #ports: StartUpPorts
  #executor: Executor | undefined
  #agentTools: ToolServer | undefined
  #ended = false

  constructor(ports: StartUpPorts) {
    this.#ports = ports
  }

  /** Undefined until the node knows what it ran before. */
  get executor(): Executor | undefined {
    return this.#executor
  }

  perform(effect: StartUpEffect): void {
    this.#perform(effect).catch(this.#ports.setup.fail)
  }

  /** Nothing begins any more. */
  end(): void {
    this.#ended = true
  }

  async closeExecutor(): Promise<void> {
    await this.#executor?.close()
  }

  async closeTools(): Promise<void> {
    await this.#agentTools?.close()
  }

  async #perform(effect: StartUpEffect): Promise<void> {
    switch (effect.kind) {
      case 'release':
        return this.#ports.setup.pulse.say(effect)
      case 'prepare':
        return await this.#prepare(effect)
      case 'start-parts':
        return await this.#startParts()
      default:
        return await this.#ports.twoNode().begin(effect)
    }
  }

  async #prepare(effect: Extract<StartUpEffect, { kind: 'prepare' }>): Promise<void> {
    const { store, self, file, feed } = this.#ports
    try {
      await prepareStore(effect, { store: store(), self, file: file() })
      feed({ kind: 'prepared' })
    } catch (error) {
      if (!isStoreFailure(error)) throw error
      feed({ kind: 'not-prepared', why: error.message })
    }
  }

  /** The view is there: this node knows what it ran before, and may be given work. */
  async #startParts(): Promise<void> {
    if (this.#ended) return
    const { self, setup, node, store, view, known, fencing, connections, alerts, onBegun } = this.#ports
    this.#agentTools = await serveAgentTools(node, setup.paths, setup.local)
    if (this.#ended) return await this.#agentTools.close()
    this.#executor = openExecutor({
      node: self,
      store: store(),
      view,
      paths: setup.paths,
      log: setup.log,
      fenceDevices: fencing().runner,
      connections: connections(),
      alertFor: alerts().result,
      withAuthority: setup.withAuthority,
      measure: setup.metrics.measureAgents,
    })
    known.warmUp()
    this.#executor.adopt()
    onBegun()
  }
}
