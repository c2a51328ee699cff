/** How long the agents took for what the cluster asked of them: the recorded times of all operations but monitors, each once, in milliseconds. */
import { setTimeout as delay } from 'node:timers/promises'
import type { ServiceLab } from '../agents/service-lab.ts'

const recorded = /<lrm_rsc_op\b[^>]*>/g

export class AgentTimes {
  readonly #services: ServiceLab
  readonly #before = new Set<string>()
  readonly #seen = new Map<string, number>()
  readonly #running: Promise<void>
  #isEnded = false

  private constructor(services: ServiceLab) {
    this.#services = services
    this.#running = this.#follow()
  }

  /** From now on. */
  static follow(services: ServiceLab): AgentTimes {
    return new AgentTimes(services)
  }

  async end(): Promise<number> {
    this.#isEnded = true
    await this.#running
    return [...this.#seen.values()].reduce((sum, time) => sum + time, 0)
  }

  async #follow(): Promise<void> {
    await this.#look((key) => this.#before.add(key))
    while (!this.#isEnded) {
      await this.#look((key, time) => this.#before.has(key) || this.#seen.set(key, time))
      await delay(1000)
    }
  }

  /** A result that another one replaces is seen before, unless both come within a second: then the shorter time is missing. */
  async #look(see: (key: string, time: number) => void): Promise<void> {
    let cib: string
    try {
      cib = await this.#services.systole('cluster', 'cib')
    } catch {
      // The node that was asked has just left.
      return
    }
    for (const [element] of cib.matchAll(recorded)) {
      const of = (name: string): string => new RegExp(` ${name}="([^"]*)"`).exec(element)?.[1] ?? ''
      if (of('operation') === 'monitor' || of('op-status') !== '0') continue
      see(`${of('on_node')} ${of('operation_key')} ${of('last-rc-change')} ${of('call-id')}`, Number(of('exec-time')))
    }
  }
}
