/** Reads how a machine is, this one or that of a remote node (remote-hardware.ts), every `hardware-health-interval` while `hardware-health` is on, and records what the core says (src/hardware/health.ts). */

import type { AttributeRequest } from '../../attributes/index.ts'
import type { NodeName } from '../../base/index.ts'
import { parseDurationMs, timerMs } from '../../base/index.ts'
import { type Configuration, clusterOptionValue, parseBoolean } from '../../cib/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import {
  aspects,
  type HealthReading,
  type HealthState,
  healthAttribute,
  healthStep,
  recordedHealth,
  troubleAttribute,
} from '../../hardware/index.ts'
import { LinkEndedError } from '../../remote/index.ts'
import type { AttributeChanges } from '../attributes/attribute-changes.ts'
import { monotonicNow } from '../host/clock.ts'
import type { Log } from '../host/log.ts'
import { attributesOfNode } from './node-attributes.ts'

export interface HealthPorts {
  /** The node of that machine. */
  readonly self: NodeName
  readonly log: Log
  readonly view: () => ClusterView
  readonly quorate: () => boolean
  readonly attributes: Pick<AttributeChanges, 'setAll'>
  readonly read: (configuration: Configuration) => Promise<HealthReading>
}

const leastMs = 1000
const longestTrouble = 200

export class HealthKeeper {
  readonly #ports: HealthPorts
  #state: HealthState | undefined
  #timer: NodeJS.Timeout | undefined
  #isReading = false
  #isRecording = false
  #intervalMs: number | undefined
  #closed = false

  constructor(ports: HealthPorts) {
    this.#ports = ports
  }

  /** After every change of what this node knows. */
  look(): void {
    const configuration = this.#ports.view().configuration?.typed
    if (this.#closed || configuration === undefined || !this.#ports.quorate()) return
    const intervalMs = isOn(configuration)
      ? Math.max(leastMs, durationOf(configuration, 'hardware-health-interval'))
      : undefined
    if (intervalMs !== this.#intervalMs) {
      this.#intervalMs = intervalMs
      clearTimeout(this.#timer)
      this.#state = undefined
      if (intervalMs !== undefined) this.#readIn(0)
    }
    this.#record()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  #readIn(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#read(), timerMs(ms)).unref()
  }

  async #read(): Promise<void> {
    const { view, self, log, read } = this.#ports
    const configuration = view().configuration?.typed
    if (this.#isReading || configuration === undefined) return
    this.#isReading = true
    try {
      const reading = await read(configuration)
      if (this.#closed || this.#intervalMs === undefined) return
      const { state, effects } = healthStep(
        this.#state ?? recordedHealth(this.#own()),
        { reading, recoveryMs: durationOf(configuration, 'hardware-health-recovery') },
        monotonicNow(),
      )
      this.#state = state
      for (const { aspect, condition } of effects)
        if (condition.colour === 'green') log.info('a part of a machine is well', { machine: self, part: aspect })
        else
          log.warn('a part of a machine is not well', {
            machine: self,
            part: aspect,
            colour: condition.colour,
            why: condition.reasons,
          })
    } catch (error) {
      if (!this.#closed && !(error instanceof LinkEndedError))
        log.warn('how a machine is could not be read', { machine: self, error })
    } finally {
      this.#isReading = false
    }
    if (this.#closed || this.#intervalMs === undefined) return
    this.#readIn(this.#intervalMs)
    this.#record()
  }

  #own(): ReadonlyMap<string, string> {
    return attributesOfNode(this.#ports.view(), this.#ports.self)
  }

  /** What is not recorded as it is known is written: all of it at once, and nothing of it where health is off. */
  #record(): void {
    const { view, self, attributes, log, quorate } = this.#ports
    if (this.#closed || this.#isRecording || !quorate() || view().configuration === undefined) return
    if (this.#intervalMs !== undefined && this.#state === undefined) return
    const recorded = this.#own()
    const requests = aspects.flatMap((aspect): readonly AttributeRequest[] => {
      const shown = this.#intervalMs === undefined ? undefined : this.#state?.get(aspect)?.shown
      const trouble = shown?.reasons.join('; ').slice(0, longestTrouble) || undefined
      const wanted = [
        { name: healthAttribute(aspect), value: shown?.colour as string | undefined },
        { name: troubleAttribute(aspect), value: trouble },
      ]
      return wanted
        .filter(({ name, value }) => recorded.get(name) !== value)
        .map(({ name, value }) => ({ node: self, set: '', name, ...(value === undefined ? {} : { value }) }))
    })
    if (requests.length === 0) return
    this.#isRecording = true
    attributes
      .setAll(requests)
      .catch((error: unknown) => log.debug('how a machine is could not be recorded', { machine: self, error }))
      .finally(() => {
        this.#isRecording = false
      })
  }
}

const isOn = (configuration: Configuration): boolean =>
  parseBoolean(clusterOptionValue(configuration, 'hardware-health')) === true

const durationOf = (configuration: Configuration, option: string): number =>
  parseDurationMs(clusterOptionValue(configuration, option)) ?? 0
