/** The disks of SBD's that this node reads, each by itself. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { NodeName } from '../../base/index.ts'
import type { DiskWatch } from '../../controller/index.ts'
import { endingOf, type SlotMessage } from '../../fencing/index.ts'
import { type DiskTimes, diskPatienceMs, disksToRead } from '../../quorum/index.ts'
import { readIfThere, writeWhole } from '../host/files.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { type SlotReading, SlotWatch, type SlotWatchPorts } from './slot-watch.ts'

export interface SbdDisksPorts {
  readonly self: NodeName
  readonly log: Log
  readonly paths: Paths
  readonly misfit: SlotWatchPorts['misfit']
  readonly isCountedOn: SlotWatchPorts['isCountedOn']
  /** A disk holds no message for this node that ends it. */
  readonly onClean: (reading: SlotReading) => void
  readonly onMessage: (received: SlotMessage, disk: string) => void
  /** Their times, or which of them are read, may be others now. */
  readonly onChange: () => void
}

/** Before any of them could be read. */
const firstPatienceMs = 5000

export class SbdDisks {
  readonly #ports: SbdDisksPorts
  readonly #watches: readonly SlotWatch[]
  readonly #clean = new Map<string, SlotReading>()
  #shown = ''
  /** What was told last of each. */
  readonly #messages = new Map<string, string>()

  constructor(paths: readonly string[], ports: SbdDisksPorts) {
    this.#ports = ports
    const { self: node, log, misfit, isCountedOn } = ports
    const hadSinceBoot = slotsSinceBoot(ports.paths)
    const onReading = (reading: SlotReading): void => this.#take(reading)
    const onChange = (): void => this.#look()
    const slotPorts = { node, log, hadSinceBoot, misfit, isCountedOn, onReading, onChange }
    this.#watches = paths.map((path) => new SlotWatch(path, slotPorts))
  }

  get count(): number {
    return this.#watches.length
  }

  /** The shortest of each, so that no disk is read too late; undefined: too few of them were read until now. */
  get times(): DiskTimes | undefined {
    const headers = this.#watches.flatMap(({ header }) => (header === undefined ? [] : [header]))
    if (headers.length < disksToRead(this.count)) return undefined
    return {
      watchdogMs: Math.min(...headers.map(({ watchdogMs }) => watchdogMs)),
      msgwaitMs: Math.min(...headers.map(({ msgwaitMs }) => msgwaitMs)),
      loopMs: Math.max(...headers.map(({ loopMs }) => loopMs)),
    }
  }

  /** What the others are told of them. */
  get reported(): DiskWatch['disks'] {
    return this.#watches.map(({ path, header }) => ({ path, ...(header === undefined ? {} : { uuid: header.uuid }) }))
  }

  /** The last readings of those without a message. */
  get clean(): readonly SlotReading[] {
    return [...this.#clean.values()]
  }

  /** What is wrong with any of them now. */
  troubles(): readonly string[] {
    const patienceMs = this.times === undefined ? firstPatienceMs : (diskPatienceMs(this.times) ?? firstPatienceMs)
    return this.#watches.flatMap((watch) => watch.trouble(patienceMs) ?? [])
  }

  async clear(received: SlotMessage, disk: string): Promise<void> {
    await this.#watches.find(({ path }) => path === disk)?.clear(received)
  }

  close(): void {
    for (const watch of this.#watches) watch.close()
  }

  #take(reading: SlotReading): void {
    const { disk, received } = reading
    this.#look()
    this.#tell(received, disk)
    if (endingOf(received) === undefined) {
      this.#clean.set(disk, reading)
      this.#ports.onClean(reading)
    }
  }

  #look(): void {
    const shown = JSON.stringify([this.times, this.reported])
    if (shown === this.#shown) return
    this.#shown = shown
    this.#ports.onChange()
  }

  /** Once, however often it is read. */
  #tell(received: SlotMessage, disk: string): void {
    const text = received.message === 'clear' ? '' : JSON.stringify(received)
    if (text === (this.#messages.get(disk) ?? '')) return
    this.#messages.set(disk, text)
    if (text !== '') this.#ports.onMessage(received, disk)
  }
}

/** In the folder of run-time files, which a boot empties. */
const markOf = (paths: Paths): string => join(paths.run, 'sbd-slots')

/** Since this boot, unless it has stopped in order since. */
export const hasSlots = (paths: Paths): boolean => readIfThere(markOf(paths)) !== undefined

/** What was written to the slots of a node that has stopped in order is not meant for what it runs later. */
export const forgetSlots = (paths: Paths): void => rmSync(markOf(paths), { force: true })

function slotsSinceBoot(paths: Paths): {
  readonly has: (uuid: string) => boolean
  readonly add: (uuid: string) => void
} {
  const had = new Set((readIfThere(markOf(paths)) ?? '').split('\n').filter((line) => line !== ''))
  return {
    has: (uuid) => had.has(uuid),
    add: (uuid) => {
      if (had.has(uuid)) return
      writeWhole(markOf(paths), `${[...had, uuid].join('\n')}\n`)
      had.add(uuid)
    },
  }
}
