/**
 * This node's slot on one of SBD's disks: found or taken, and read again and again. A reading that hangs holds up nothing but itself.
 *
 * A message that ends a node stays where it is, so that whoever asks sees that it was given. It is cleared by the next boot, as `sbd` does at
 * its start. A daemon that is started again in the same boot has ended nothing yet, and obeys it. On a disk that is first read when this node can
 * be fenced through it already, nobody can tell whether it is an old one: it is cleared, and the disk proves nothing for as long as its sender
 * may wait.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { type MonotonicMs, monotonicMs, takesNoChange } from '../../base/index.ts'
import {
  endingOf,
  headerBytes,
  isSameName,
  letterOf,
  parseSbdHeader,
  parseSlot,
  parseSlotMessage,
  type SbdHeader,
  type SlotMessage,
  slotOf,
  slotOffset,
} from '../../fencing/index.ts'
import { monotonicNow } from '../host/clock.ts'
import type { Log } from '../host/log.ts'
import { Disk, DiskError } from './disk.ts'
import { longestRequest } from './disk-messages.ts'

export interface SlotReading {
  readonly disk: string
  readonly header: SbdHeader
  readonly received: SlotMessage
  /** When it was begun: whatever was written before is in it. */
  readonly at: MonotonicMs
}

export interface SlotWatchPorts {
  readonly node: string
  readonly log: Log
  /** Disks whose slot this machine has had since it booted. */
  readonly hadSinceBoot: { readonly has: (uuid: string) => boolean; readonly add: (uuid: string) => void }
  /** Why this node must not be sent messages through a disk with these times; undefined: it may. */
  readonly misfit: (header: SbdHeader) => string | undefined
  /** This node can be fenced through its disks now. */
  readonly isCountedOn: () => boolean
  readonly onReading: (reading: SlotReading) => void
  /** Whether it can be used is not as it was. */
  readonly onChange: () => void
}

interface OpenSlot {
  readonly header: SbdHeader
  readonly slot: number
}

/** One whose loop is not known; as `sbd` does with one that failed. */
const retryMs = 5000

export class SlotWatch {
  readonly path: string
  readonly #ports: SlotWatchPorts
  readonly #disk: Disk
  readonly #closed = new AbortController()
  #open: OpenSlot | undefined
  /** Before that a reading without a message proves nothing. */
  #provesFrom: MonotonicMs | undefined
  #askedAt: MonotonicMs | undefined
  #error: string | undefined

  constructor(path: string, ports: SlotWatchPorts) {
    this.path = path
    this.#ports = ports
    this.#disk = new Disk(path)
    void this.#watch()
  }

  /** As it was read last. */
  get header(): SbdHeader | undefined {
    return this.#open?.header
  }

  /** What is wrong with it now; a reading that takes longer than `patienceMs` hangs. */
  trouble(patienceMs: number): string | undefined {
    if (this.#error !== undefined) return `${this.path} cannot be used: ${this.#error}`
    const sinceMs = this.#askedAt === undefined ? 0 : monotonicNow() - this.#askedAt
    return sinceMs > patienceMs ? `${this.path} has not answered for ${Math.round(sinceMs / 1000)} s` : undefined
  }

  /** Takes a message away, unless another one has come. */
  async clear(received: SlotMessage): Promise<void> {
    const open = this.#open
    if (open && (await this.#received(open)).message === received.message) await this.#writeClear(open)
  }

  close(): void {
    this.#closed.abort()
    this.#disk.close()
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closed
    while (!signal.aborted) {
      const error = await this.#look()
      if (error !== this.#error && !signal.aborted) {
        if (error === undefined) this.#ports.log.info('a disk of SBD is read', { disk: this.path })
        else this.#ports.log.error('a disk of SBD cannot be used', { disk: this.path, error })
        this.#error = error
        this.#ports.onChange()
      }
      const pauseMs = this.#open?.header.loopMs ?? retryMs
      await delay(pauseMs, undefined, { signal }).catch(() => undefined)
    }
  }

  /** What went wrong. */
  async #look(): Promise<string | undefined> {
    this.#askedAt = monotonicNow()
    try {
      const header = await this.#readHeader()
      // Set up anew, it has no slot for this node, or another one.
      if (JSON.stringify(header) !== JSON.stringify(this.#open?.header)) this.#open = await this.#openSlot(header)
      else if (this.#open && !(await this.#isOurs(this.#open))) this.#open = await this.#openSlot(header)
      const at = monotonicNow()
      if (this.#open) {
        const received = await this.#received(this.#open)
        const proves = this.#provesFrom === undefined || at >= this.#provesFrom
        if (!this.#closed.signal.aborted && (proves || endingOf(received) !== undefined))
          this.#ports.onReading({ disk: this.path, header, received, at })
      }
      return undefined
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
      return error.message
    } finally {
      this.#askedAt = undefined
    }
  }

  async #readHeader(): Promise<SbdHeader> {
    const header = parseSbdHeader(await this.#disk.read(0, headerBytes))
    if (header) return header
    throw new DiskError('it is not initialized for SBD (systole stonith sbd device setup)')
  }

  async #openSlot(header: SbdHeader): Promise<OpenSlot> {
    const { log, hadSinceBoot, node, misfit, isCountedOn } = this.#ports
    // Without a slot nobody can send a message that would count too soon.
    const obstacle = misfit(header)
    if (obstacle !== undefined) {
      this.#open = undefined
      throw new DiskError(obstacle)
    }
    const open = { header, slot: await this.#ownSlot(header) }
    const received = await this.#received(open)
    const { message, from } = received
    const ends = endingOf(received) !== undefined
    if (message !== 'clear' && !(ends && hadSinceBoot.has(header.uuid))) {
      log.info('an old message on a disk of SBD is cleared', { disk: this.path, message, from })
      await this.#writeClear(open)
      if (ends && isCountedOn()) this.#provesFrom = monotonicMs(monotonicNow() + header.msgwaitMs)
    }
    this.#noteHaving(header)
    log.info('this node has a slot on a disk of SBD', { disk: this.path, node, slot: open.slot })
    return open
  }

  /** Without the note the next daemon of this boot would take a message for it for an old one. */
  #noteHaving({ uuid }: SbdHeader): void {
    try {
      this.#ports.hadSinceBoot.add(uuid)
    } catch (error) {
      if (!takesNoChange(error)) throw error
      this.#open = undefined
      throw new DiskError(`that this boot has a slot there cannot be noted (${String(error)})`)
    }
  }

  /** Several nodes may take the same one at once: whoever wrote last has it. */
  async #ownSlot(header: SbdHeader): Promise<number> {
    const { node } = this.#ports
    for (;;) {
      const names = await this.#slotNames(header)
      const own = names.findIndex((name) => isSameName(name, node))
      if (own !== -1) return own
      const free = names.indexOf(undefined)
      if (free === -1) throw new DiskError(`all of its ${header.slots} slots are taken`)
      await this.#writeClear({ header, slot: free })
      await this.#disk.write(slotOffset(header, free), slotOf(header, node))
      await delay(header.allocateMs)
    }
  }

  async #slotNames(header: SbdHeader): Promise<readonly (string | undefined)[]> {
    const pairBytes = 2 * header.sectorSize
    const atOnce = Math.floor(longestRequest / pairBytes)
    const names: (string | undefined)[] = []
    while (names.length < header.slots) {
      const count = Math.min(atOnce, header.slots - names.length)
      const bytes = await this.#disk.read(slotOffset(header, names.length), count * pairBytes)
      for (let slot = 0; slot < count; slot++) names.push(parseSlot(bytes.subarray(slot * pairBytes)))
    }
    return names
  }

  async #isOurs({ header, slot }: OpenSlot): Promise<boolean> {
    const sector = await this.#disk.read(slotOffset(header, slot), header.sectorSize)
    return isSameName(parseSlot(sector), this.#ports.node)
  }

  async #received({ header, slot }: OpenSlot): Promise<SlotMessage> {
    return parseSlotMessage(await this.#disk.read(slotOffset(header, slot) + header.sectorSize, header.sectorSize))
  }

  async #writeClear({ header, slot }: OpenSlot): Promise<void> {
    const mailbox = slotOffset(header, slot) + header.sectorSize
    await this.#disk.write(mailbox, letterOf(header, 'clear', this.#ports.node))
  }
}
