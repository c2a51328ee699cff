/** Performs the checks of the services that run here, and records each result that differs from the last one as a transient node attribute. */
import { isDeepStrictEqual } from 'node:util'
import { nodeName } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import { checkSet, type DueCheck, failedCheck, type OwnChecks, passedCheck } from '../../services/index.ts'
import type { AttributeChanges } from '../attributes/attribute-changes.ts'
import type { Log } from '../host/log.ts'
import { CheckTurns } from './check-turns.ts'
import { probe } from './probe.ts'

export interface CheckKeeperPorts {
  readonly log: Log
  readonly attributes: Pick<AttributeChanges, 'set'>
  readonly view: () => Pick<ClusterView, 'attributes' | 'withheld'>
  /** Where the programs of checks are. */
  readonly folder: string
}

interface Running {
  due: DueCheck
  readonly abort: AbortController
  recordedAt: number
}

/** A service that fails with another reason each time would have the whole cluster write and decide as often. */
const otherReasonMs = 60_000

const keyOf = ({ attribute, node }: DueCheck): string => `${node} ${attribute}`

export class CheckKeeper {
  readonly #ports: CheckKeeperPorts
  readonly #running = new Map<string, Running>()
  readonly #turns = new CheckTurns()

  constructor(ports: CheckKeeperPorts) {
    this.#ports = ports
  }

  take({ due, left }: OwnChecks): void {
    const wanted = new Map(due.map((one) => [keyOf(one), one]))
    for (const [key, running] of this.#running) {
      const now = wanted.get(key)
      if (now !== undefined && isSame(now, running.due)) {
        running.due = now
        continue
      }
      running.abort.abort()
      this.#running.delete(key)
    }
    for (const { node, attribute } of left.filter((one) => this.#isOwn(one)))
      this.#record(node, attribute, undefined).catch(this.#failed)
    for (const [key, one] of wanted) if (!this.#running.has(key)) this.#begin(key, one)
  }

  close(): void {
    for (const { abort } of this.#running.values()) abort.abort()
    this.#running.clear()
  }

  #begin(key: string, due: DueCheck): void {
    const abort = new AbortController()
    const running = { due, abort, recordedAt: Number.NEGATIVE_INFINITY }
    this.#running.set(key, running)
    this.#repeat(running).catch(this.#failed)
  }

  async #repeat(running: Running): Promise<void> {
    const { signal } = running.abort
    while (!signal.aborted) {
      const { resource } = running.due
      const reason = await this.#turns.within({ resource, signal }, async () => await this.#probe(running))
      if (signal.aborted) return
      const value = reason === undefined ? passedCheck : failedCheck(reason)
      // Somebody else may have taken it away.
      if (isNews(value, running)) {
        try {
          await this.#record(running.due.node, running.due.attribute, value)
          running.due = { ...running.due, recorded: value }
          running.recordedAt = performance.now()
        } catch (error) {
          // Without quorum nothing is recorded; the next result is.
          this.#failed(error)
        }
      }
      await pause(running.due.check.intervalMs, signal)
    }
  }

  async #probe({ due, abort }: Running): Promise<string | undefined> {
    return await probe(due, { folder: this.#ports.folder, signal: abort.signal })
  }

  #isOwn({ node, attribute }: OwnChecks['left'][number]): boolean {
    return this.#records(attribute).some((one) => one.node === node && one.set === checkSet)
  }

  #records(name: string): readonly { readonly node: string; readonly set: string }[] {
    const { attributes, withheld } = this.#ports.view()
    return [...attributes.values(), ...withheld.values()].filter((one) => one.name === name)
  }

  async #record(node: string, name: string, value: string | undefined): Promise<void> {
    const { attributes, log } = this.#ports
    // On whichever node: all values of an attribute are in the set of its first one.
    if (this.#records(name).some(({ set }) => set !== checkSet)) {
      log.debug('a node attribute has the name of a check result, which is not recorded', { node, attribute: name })
      return
    }
    await attributes.set({ node: nodeName(node), set: checkSet, name, ...(value === undefined ? {} : { value }) })
    log.info('the result of a check of a service', { node, attribute: name, value })
  }

  readonly #failed = (error: unknown): void =>
    this.#ports.log.debug('the result of a check could not be recorded', { error })
}

function isNews(value: string, { due: { recorded }, recordedAt }: Running): boolean {
  if (value === recorded) return false
  const failsAsBefore = recorded !== undefined && recorded !== passedCheck && value !== passedCheck
  return !failsAsBefore || performance.now() - recordedAt >= otherReasonMs
}

function isSame(a: DueCheck, b: DueCheck): boolean {
  const { recorded: _a, ...one } = a
  const { recorded: _b, ...other } = b
  return isDeepStrictEqual(one, other)
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end, { once: true })
  })
}
