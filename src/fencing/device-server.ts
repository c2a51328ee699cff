/** The half of fencing that every node has: runs one device when the DC asks, and refuses a DC whose term is over. */

import type { FenceDevice } from './device.ts'
import { type FenceHost, runDevice } from './run-device.ts'
import type { DeviceAnswer, DeviceCommand } from './state.ts'

export type DeviceServerAnswer =
  | { readonly kind: 'answered'; readonly answer: DeviceAnswer }
  | { readonly kind: 'old-term'; readonly highestTerm: number }

/**
 * A demand of a former term may have waited behind another one for the same node. Whether that is fenced decides now who leads: it may be here
 * again. What a device has switched off is switched on all the same.
 */
export function isTermOver(
  dc: { readonly term: number } | undefined,
  { action, term }: Pick<DeviceCommand, 'action' | 'term'>,
): boolean {
  return dc !== undefined && dc.term > term && (action === 'off' || action === 'reboot')
}

export class DeviceServer {
  readonly #host: FenceHost
  #devices: ReadonlyMap<string, FenceDevice> = new Map()
  #term = 0

  constructor(host: FenceHost) {
    this.#host = host
  }

  configure(devices: readonly FenceDevice[]): void {
    this.#devices = new Map(devices.map((device) => [device.id, device]))
  }

  device(id: string): FenceDevice | undefined {
    return this.#devices.get(id)
  }

  get devices(): readonly FenceDevice[] {
    return [...this.#devices.values()]
  }

  /** What does nothing to any node may be asked by anyone: which nodes it knows, whether it works. */
  async ask(id: string, question: 'list' | 'monitor', timeoutMs: number): Promise<DeviceAnswer> {
    const device = this.#devices.get(id)
    if (!device) return { succeeded: false, timedOut: false, output: '', message: `there is no fence device ${id}` }
    return await runDevice({ device, action: question, timeoutMs }, this.#host)
  }

  async run(command: DeviceCommand): Promise<DeviceServerAnswer> {
    if (command.term < this.#term) return { kind: 'old-term', highestTerm: this.#term }
    this.#term = command.term
    const device = this.#devices.get(command.device)
    if (!device) {
      const message = `there is no fence device ${command.device} in the configuration that this node has`
      return { kind: 'answered', answer: { succeeded: false, timedOut: false, output: '', message } }
    }
    const { action, timeoutMs, target } = command
    const aboutTarget = action === 'list' || action === 'monitor' ? {} : { target }
    return { kind: 'answered', answer: await runDevice({ device, action, timeoutMs, ...aboutTarget }, this.#host) }
  }
}
