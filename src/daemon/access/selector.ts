/**
 * The main thread's handle on the thread that evaluates XPaths. It is started when the first user with roles asks, and ended where a path takes too
 * long: that user's question fails, and nobody else's.
 */
import { Worker } from 'node:worker_threads'
import { type AclPermission, childElements, type SelectByXpath, type XmlElement } from '../../cib/index.ts'
import { programFile } from '../host/install-folder.ts'
import type { Selected, ToSelect } from './select-messages.ts'
import { Turns } from './turns.ts'

/** A CIB of 10,000 elements takes some 50 ms a path. */
const timeoutMs = 10_000
/** The time of a token is longer, and so is what a person notices. */
const quickMs = 300

export class SlowPermissionsError extends Error {
  override readonly name = 'SlowPermissionsError'
  constructor() {
    super(
      `Evaluating the XPaths of the permissions took longer than ${timeoutMs / 1000} s. An administrator must simplify them.`,
    )
  }
}

export class Selector {
  readonly #startWorker: () => Worker
  readonly #timeoutMs: number
  #worker: Worker | undefined
  /** One question after the other: who waits does not lose time to a path that is not his own. */
  readonly #turns = new Turns()

  constructor(startWorker: () => Worker = ownWorker, within = timeoutMs) {
    this.#startWorker = startWorker
    this.#timeoutMs = within
  }

  async select(
    cib: XmlElement,
    permissions: readonly AclPermission[],
    { user, within = this.#timeoutMs }: { readonly user: string; readonly within?: number },
  ): Promise<SelectByXpath> {
    const xpaths = [...new Set(permissions.flatMap(({ on }) => (on.by === 'xpath' ? [on.xpath] : [])))]
    if (xpaths.length === 0) return () => []
    const selected = await this.#turns.take(user, async () => await this.#ask({ cib, xpaths }, within))
    const elements = inOrder(cib)
    const found = new Map(
      xpaths.map((xpath, i) => [xpath, selected[i]?.flatMap((place) => elements[place] ?? [])] as const),
    )
    return (_, xpath) => found.get(xpath)
  }

  /** Whether the path of somebody who is no administrator may be evaluated where others wait. */
  async isQuick(cib: XmlElement, xpath: string, user: string): Promise<boolean> {
    const asked = (path: string): readonly AclPermission[] => [
      { id: '', role: '', kind: 'read', on: { by: 'xpath', xpath: path } },
    ]
    // The start of the thread is not the path's fault.
    await this.select(cib, asked('/cib'), { user })
    return await this.select(cib, asked(xpath), { user, within: quickMs }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof SlowPermissionsError) return false
        throw error
      },
    )
  }

  close(): void {
    void this.#worker?.terminate()
    this.#worker = undefined
  }

  async #ask(question: ToSelect, within: number): Promise<Selected> {
    const worker = this.#running()
    return await new Promise((resolve, reject) => {
      const end = (finish: () => void): void => {
        clearTimeout(timer)
        worker.off('message', answered).off('error', failed).off('exit', ended)
        finish()
      }
      const answered = (selected: Selected): void => end(() => resolve(selected))
      const failed = (error: Error): void => {
        this.close()
        end(() => reject(error))
      }
      const ended = (): void => failed(new Error('The thread that evaluates XPaths has ended.'))
      const timer = setTimeout(() => failed(new SlowPermissionsError()), within)
      worker.on('message', answered).on('error', failed).on('exit', ended)
      worker.postMessage(question)
    })
  }

  #running(): Worker {
    if (this.#worker) return this.#worker
    const worker = this.#startWorker()
    // Between questions, too: an error that nobody hears would end the daemon.
    worker.on('error', () => this.#gone(worker))
    worker.on('exit', () => this.#gone(worker))
    worker.unref()
    this.#worker = worker
    return worker
  }

  #gone(worker: Worker): void {
    if (this.#worker === worker) this.#worker = undefined
  }
}

function ownWorker(): Worker {
  return new Worker(programFile('select'), {
    resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 },
  })
}

function inOrder(cib: XmlElement): readonly XmlElement[] {
  const elements: XmlElement[] = []
  const visit = (element: XmlElement): void => {
    elements.push(element)
    for (const child of childElements(element)) visit(child)
  }
  visit(cib)
  return elements
}
