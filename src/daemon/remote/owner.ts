/** The cluster node that holds this remote node's connection, for whoever has something to tell it. */
import type { OwnerLink } from '../../remote/index.ts'

export class Owner {
  readonly #waiting = new Set<{
    readonly resolve: (link: OwnerLink) => void
    readonly reject: (error: Error) => void
  }>()
  #link: OwnerLink | undefined
  #closed = false

  get link(): OwnerLink | undefined {
    return this.#link
  }

  set(link: OwnerLink): void {
    this.#link = link
    for (const { resolve } of this.#waiting) resolve(link)
    this.#waiting.clear()
  }

  lose(link: OwnerLink): void {
    if (this.#link === link) this.#link = undefined
  }

  close(): void {
    this.#closed = true
    for (const { reject } of this.#waiting) reject(nobodyThere())
    this.#waiting.clear()
  }

  /** Waits for one, for so long at most. */
  async wait(timeoutMs = Number.POSITIVE_INFINITY): Promise<OwnerLink> {
    if (this.#link) return this.#link
    if (this.#closed) throw nobodyThere()
    return await new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined
      const waiting = {
        resolve: (link: OwnerLink) => {
          clearTimeout(timer)
          resolve(link)
        },
        reject: (error: Error) => {
          clearTimeout(timer)
          reject(error)
        },
      }
      this.#waiting.add(waiting)
      if (Number.isFinite(timeoutMs))
        timer = setTimeout(() => {
          this.#waiting.delete(waiting)
          reject(nobodyThere())
        }, timeoutMs)
    })
  }
}

const nobodyThere = (): Error => new Error('No cluster node holds the connection to this remote node')
