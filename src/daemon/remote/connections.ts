/**
 * The connections that this node holds, as the agent `ocf:pacemaker:remote` that they are in the configuration: start connects,
 * monitor tells whether the connection lives, stop disconnects, a migration hands over. And the way of commands to the nodes behind
 * them.
 */
import type { NodeName, ResourceId } from '../../base/index.ts'
import type { Command } from '../../executor/index.ts'
import {
  type AgentCall,
  type AgentOutcome,
  type AgentRunner,
  ocfExitCodes,
  type RunningAgent,
} from '../../resource-agents/index.ts'
import type { HostPki, TermAnswer } from '../../rpc/index.ts'
import type { HeldRemote } from '../jobs/remote-task-keeper.ts'
import { type ConnectionPorts, RemoteConnection } from './connection.ts'

const defaultPort = 3121
/** The last attempt ends before the operation's time is over, so that it says what was wrong. */
const spareMs = 1000

export interface ConnectionsPorts extends ConnectionPorts {
  /** Something has happened to the connection: its monitor looks now. */
  readonly notice: (resource: ResourceId) => void
}

type Answer = Pick<AgentOutcome, 'exitCode' | 'exitReason'>

export class RemoteConnections implements AgentRunner {
  readonly #ports: ConnectionsPorts
  readonly #byNode = new Map<string, RemoteConnection>()

  constructor(ports: ConnectionsPorts) {
    this.#ports = ports
  }

  run(call: AgentCall): RunningAgent {
    const begun = performance.now()
    const finished = this.#perform(call).then(
      (answer): AgentOutcome => ({
        status: 'done',
        output: '',
        execTimeMs: Math.round(performance.now() - begun),
        ...answer,
      }),
    )
    return { finished, kill: () => void this.#stop(call.resource) }
  }

  /** What is to be done on a node behind one of the connections. */
  async perform(node: NodeName, { term, plannedFrom, transitionKey, timeoutMs, action }: Command): Promise<TermAnswer> {
    const command = { term, plannedFrom, transitionKey, timeoutMs, action }
    const answer = await this.#byNode.get(node)?.perform(command)
    // Who leads the cluster is not for a remote node to say: the DC would give its place up.
    if (answer) return answer.why === 'old-term' ? { ...answer, why: 'refused', highestTerm: term } : answer
    const message = `This node holds no connection to ${node}.`
    return { accepted: false, done: false, why: 'no-connection', highestTerm: 0, message }
  }

  /** After the list of nodes has changed. */
  tellList(): void {
    for (const connection of this.#byNode.values()) connection.tellList()
  }

  /** After this node's certificate was renewed, or what it believes has changed. */
  renew(isAnotherCertificate: boolean): void {
    for (const connection of this.#byNode.values())
      if (isAnotherCertificate) connection.renew()
      else connection.followAuthority()
  }

  /** Those that are up. */
  get held(): readonly HeldRemote[] {
    return [...this.#byNode.values()].flatMap(({ held }) => held ?? [])
  }

  /** What the remote nodes believe and show whose connections this node holds. */
  get pki(): readonly HostPki[] {
    return [...this.#byNode.values()].flatMap(({ pki }) => pki ?? [])
  }

  abandon(): void {
    for (const connection of this.#byNode.values()) connection.abandon()
    this.#byNode.clear()
  }

  async #perform(call: AgentCall): Promise<Answer> {
    switch (call.operation) {
      case 'start':
      case 'migrate_from':
        return await this.#start(call)
      case 'stop':
        return await this.#stop(call.resource)
      case 'monitor':
        return await this.#monitor(call)
      case 'migrate_to':
        return await this.#handOver(call.resource)
      case 'reload':
      case 'reload-agent':
        return { exitCode: ocfExitCodes.ok }
      default:
        return { exitCode: ocfExitCodes.unimplemented, exitReason: `A connection does not do ${call.operation}` }
    }
  }

  async #start(call: AgentCall): Promise<Answer> {
    const { resource, timeoutMs } = call
    await this.#stop(resource)
    const connection = this.#make(call)
    this.#byNode.set(resource, connection)
    try {
      await connection.open(timeoutMs - spareMs)
      return { exitCode: ocfExitCodes.ok }
    } catch (error) {
      connection.abandon()
      if (this.#byNode.get(resource) === connection) this.#byNode.delete(resource)
      return { exitCode: ocfExitCodes.error, exitReason: error instanceof Error ? error.message : String(error) }
    }
  }

  #make({ resource, attributes }: AgentCall): RemoteConnection {
    const { notice, view } = this.#ports
    const named = attributes.server ?? attributes.addr ?? resource
    // A container without an address of its own is reached at the member that it runs on, which need not be in any DNS.
    const host = view().members.get(named as NodeName)?.address ?? named
    const port = Number(attributes.port ?? defaultPort)
    const container = attributes.CRM_meta_container as ResourceId | undefined
    return new RemoteConnection(
      this.#ports,
      { node: resource, host, port },
      {
        onBroken: () => {
          if (container !== undefined) notice(container)
        },
        onLost: () => notice(resource),
      },
    )
  }

  async #stop(resource: ResourceId): Promise<Answer> {
    const connection = this.#byNode.get(resource)
    this.#byNode.delete(resource)
    await connection?.close()
    return { exitCode: ocfExitCodes.ok }
  }

  async #monitor(call: AgentCall): Promise<Answer> {
    const connection = this.#byNode.get(call.resource) ?? (isProbe(call) ? await this.#resumed(call) : undefined)
    if (!connection) return { exitCode: ocfExitCodes.notRunning }
    const trouble = await connection.trouble()
    return trouble === undefined ? { exitCode: ocfExitCodes.ok } : { exitCode: ocfExitCodes.error, exitReason: trouble }
  }

  /**
   * A probe finds the connection that this daemon's earlier life held, where nobody has taken it since: otherwise a guest would be given
   * up, and everything that runs in it.
   */
  async #resumed(call: AgentCall): Promise<RemoteConnection | undefined> {
    const { resource } = call
    const connection = this.#make(call)
    this.#byNode.set(resource, connection)
    try {
      if (await connection.resume()) return connection
    } catch (error) {
      this.#ports.log.warn('a connection that was held before could not be taken up again', { resource, error })
    }
    connection.abandon()
    if (this.#byNode.get(resource) === connection) this.#byNode.delete(resource)
    return undefined
  }

  async #handOver(resource: ResourceId): Promise<Answer> {
    const connection = this.#byNode.get(resource)
    if ((await connection?.link()) === undefined)
      return { exitCode: ocfExitCodes.error, exitReason: 'There is no connection to hand over' }
    connection?.handOver()
    return { exitCode: ocfExitCodes.ok }
  }
}

const isProbe = ({ attributes }: AgentCall): boolean => Number(attributes.CRM_meta_interval ?? 0) === 0
