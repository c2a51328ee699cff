/**
 * Fencing by a node that has no majority, so that it can write nothing to the store and ask nobody else: the same core, with
 * this node's own devices, and its records on this machine's disk until the store takes them.
 */
import type { NodeName } from '../../base/index.ts'
import {
  type Announcement,
  type DeviceAnswer,
  type DeviceCommand,
  DeviceServer,
  type FenceHost,
  Fencer,
  type FencingDemand,
  type FencingRecord,
  type FencingSetup,
} from '../../fencing/index.ts'
import type { Log } from '../host/log.ts'

export interface LoneFencerPorts {
  readonly self: NodeName
  readonly host: FenceHost
  readonly log: Log
  /** Must survive a crash of the daemon. */
  readonly record: (record: FencingRecord) => void
  /** What speaks against a device before it is tried. */
  readonly whyNot: (command: DeviceCommand) => string | undefined
}

/** The rest of a demand is always the same here. */
export type LoneDemand = Omit<FencingDemand, 'term' | 'random' | 'runners' | 'client'>

/** There is no DC, and nobody else who could ask a device here. */
const noTerm = 0

export class LoneFencer {
  readonly #self: NodeName
  readonly #devices: DeviceServer
  readonly #whyNot: LoneFencerPorts['whyNot']
  readonly #fencer: Fencer
  readonly #waiting = new Map<string, (result: Announcement) => void>()

  constructor({ self, host, log, record, whyNot }: LoneFencerPorts) {
    this.#self = self
    this.#whyNot = whyNot
    this.#devices = new DeviceServer(host)
    this.#fencer = new Fencer({
      record: async (written) => {
        record(written)
        return 'written'
      },
      runDevice: async (_, command) => await this.#run(command),
      announce: (result) => {
        log.warn('fencing without a majority has ended', { ...result })
        this.#waiting.get(result.id)?.(result)
        this.#waiting.delete(result.id)
      },
      log,
    })
  }

  configure(setup: FencingSetup): void {
    this.#devices.configure(setup.devices)
    this.#fencer.configure(setup)
  }

  async fence(asked: LoneDemand): Promise<Announcement> {
    const ended = new Promise<Announcement>((resolve) => this.#waiting.set(asked.id, resolve))
    this.#fencer.demand({
      ...asked,
      term: noTerm,
      random: Math.random(),
      runners: [this.#self],
      client: 'survivor of two',
    })
    return await ended
  }

  confirm(target: NodeName, bySurvivor: boolean): void {
    this.#fencer.confirm(target, bySurvivor)
  }

  withdraw(id: string): void {
    this.#fencer.withdraw(id)
  }

  leftOff(
    record: FencingRecord,
    { devices, ...more }: Pick<FencingDemand, 'attributes' | 'timeoutMs'> & { readonly devices: readonly string[] },
  ): void {
    const { id, target, action, reason, client } = record
    const runners = [this.#self]
    const demand = { id, target, action, reason, client, term: noTerm, delayMs: 0, random: 0, runners, ...more }
    this.#fencer.leftOff(record, demand, devices)
  }

  isAtWork(target: NodeName): boolean {
    return this.#fencer.isAtWork(target)
  }

  leaveAsItIs(target: NodeName): void {
    this.#fencer.leaveAsItIs(target)
  }

  close(): void {
    this.#fencer.close()
  }

  async #run(command: DeviceCommand): Promise<DeviceAnswer> {
    const obstacle = this.#whyNot(command)
    if (obstacle !== undefined) return { succeeded: false, timedOut: false, output: '', message: obstacle }
    const told = await this.#devices.run(command)
    if (told.kind === 'answered') return told.answer
    return { succeeded: false, timedOut: false, output: '', message: 'The term has ended.' }
  }
}
