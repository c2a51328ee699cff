/** Fencing of this daemon: as the DC that decides, and as a node that runs devices for the DC. */
import type { NodeName } from '../base/index.ts'
import type { ControllerEffect, ControllerInput, FencingAction } from '../controller/index.ts'
import type { FenceAnswer, RunFenceDeviceAnswer, RunFenceDeviceRequest } from '../rpc/index.ts'
import type { Log } from './log.ts'
import type { Paths } from './paths.ts'
import type { Peers } from './peers.ts'

export interface FencingPorts {
  readonly self: NodeName
  readonly peers: Peers
  readonly log: Log
  readonly paths: Paths
  readonly node: unknown
  readonly onFenced: (input: ControllerInput) => void
}

export class FencingHands {
  readonly #ports: FencingPorts
  constructor(ports: FencingPorts) {
    this.#ports = ports
  }
  async fence(request: Extract<ControllerEffect, { kind: 'fence' }>): Promise<ControllerInput> {
    this.#ports.log.warn('fencing', request)
    const { id, target, action } = request
    return { kind: 'fenced', id, target, action, at: Math.floor(Date.now() / 1000), outcome: 'failed', message: 'none' }
  }
  async runDevice(request: RunFenceDeviceRequest): Promise<RunFenceDeviceAnswer> {
    throw new Error(request.device)
  }
  async fenceForPeer(target: string, action: string): Promise<FenceAnswer> {
    throw new Error(target + action)
  }
  async fenceForAdministrator(target: NodeName, action: FencingAction): Promise<FenceAnswer> {
    throw new Error(target + action)
  }
}
