/** What the controller of this node asks for is performed, and what came of it is fed back. */
import type { NodeName } from '../../base/index.ts'
import type { ClusterView, ControllerEffect, ControllerInput, WalkReport } from '../../controller/index.ts'
import type { Command } from '../../executor/index.ts'
import type { FencingRecord, TermAnswer } from '../../rpc/index.ts'
import type { Store } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import type { Peers } from '../peers/peers.ts'
import type { Planned } from '../planner/messages.ts'
import { sendCommand } from './commands.ts'
import { performControllerEffect } from './perform-controller.ts'

export interface ControllerPorts {
  readonly self: NodeName
  readonly log: Log
  readonly peers: Peers
  readonly store: () => Store
  readonly view: () => ClusterView
  /** By this node's own clock, now. */
  readonly quorate: () => boolean
  readonly feed: (input: ControllerInput) => void
  readonly plan: () => Promise<Planned>
  readonly fencingHistory: () => readonly FencingRecord[]
  readonly takeCommand: (command: Command) => Promise<TermAnswer>
  readonly takeUpLeftOff: (term: number, history: readonly FencingRecord[]) => void
  readonly walked: (report: WalkReport) => void
}

export class ControllerDriver {
  readonly #ports: ControllerPorts

  constructor(ports: ControllerPorts) {
    this.#ports = ports
  }

  /** By its own view, which may lag: the comparison in the transaction has the last word. */
  holdsTerm = (term: number): boolean => this.#ports.quorate() && this.#ports.view().dc?.term === term

  perform(effect: ControllerEffect): void {
    const { self, log, peers, store, view, feed, takeCommand, takeUpLeftOff } = this.#ports
    performControllerEffect(effect, {
      node: self,
      store: store(),
      log,
      feed,
      attributes: () => [...view().attributes.values()],
      nodeStates: () => view().nodeStates,
      fencingHistory: this.#ports.fencingHistory,
      holdsTerm: this.holdsTerm,
      compute: async ({ compute }) => await this.#compute(compute),
      execute: async (command) => await sendCommand(command, { self, peers, log, take: takeCommand, feed }),
      takeUpLeftOff,
      walked: this.#ports.walked,
    })
  }

  async #compute(compute: number): Promise<ControllerInput> {
    try {
      const planned = await this.#ports.plan()
      const recheck = planned.recheckInMs === undefined ? {} : { recheckInMs: planned.recheckInMs }
      const { graph, blocked, awaited, shutdownLocks } = planned
      return { kind: 'computed', compute, graph, blocked, awaited, shutdownLocks, ...recheck }
    } catch (error) {
      this.#ports.log.error('no transition could be computed', { error })
      return { kind: 'compute-failed', compute, message: String(error) }
    }
  }
}
