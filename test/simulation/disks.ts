/**
 * SBD's disks that all hosts share: a header, slots, and mailboxes. A disk may be lost to everybody, or all of them to one host, which gets an error or no
 * answer at all. What is sent through them is what `sbd message` does: it is written to a majority of the disks, and counts when the msgwait is over.
 */
import type { NodeName } from '../../src/base/index.ts'
import { isSameName, type SbdHeader, type SlotMessage } from '../../src/fencing/index.ts'
import type { SlotAnswer, SlotRequest } from '../../src/node/index.ts'
import type { Host } from './host.ts'
import type { Chance, Timeline } from './timeline.ts'

/** As seconds on a disk are, but for the time that two nodes give each other to take a slot. */
const times = { watchdogMs: 3000, allocateMs: 500, loopMs: 1000, msgwaitMs: 6000 }

interface Slot {
  name: string
  received: SlotMessage
}

export class SimDisks {
  readonly paths: readonly string[]
  /** Whose reading of all disks fails, or does not end. */
  readonly trouble = new Map<NodeName, 'fails' | 'hangs'>()
  readonly lost = new Set<string>()
  readonly #slots: ReadonlyMap<string, Slot[]>
  readonly #timeline: Timeline
  readonly #chance: Chance

  constructor(count: number, timeline: Timeline, chance: Chance) {
    this.paths = ['/dev/a', '/dev/b', '/dev/c'].slice(0, count)
    this.#slots = new Map(this.paths.map((path) => [path, []]))
    this.#timeline = timeline
    this.#chance = chance
  }

  repair(): void {
    this.trouble.clear()
    this.lost.clear()
  }

  /** Of a daemon of that host, which is called back in this boot only. */
  ask(host: Host, path: string, request: SlotRequest, answer: (answer: SlotAnswer) => void): void {
    const attempt = (): void => {
      if (this.trouble.get(host.name) === 'hangs') host.after(200, attempt)
      else answer(this.#answerTo(host, path, request))
    }
    host.after(this.#chance.between(1, 15), attempt)
  }

  /** `sbd message`: false where it does not reach a majority of the disks. */
  send(from: NodeName, target: NodeName, message: 'off' | 'reset', answer: (sent: boolean) => void): void {
    const reached = this.paths.filter((path) => this.#reaches(from, path))
    const isMajority = reached.length * 2 > this.paths.length
    for (const path of reached) {
      const slot = this.#slots.get(path)?.find(({ name }) => isSameName(name, target))
      if (slot !== undefined) slot.received = { message, from }
    }
    this.#timeline.after(isMajority ? times.msgwaitMs : this.#chance.between(100, 800), () => answer(isMajority))
  }

  #reaches(host: NodeName, path: string): boolean {
    return !this.lost.has(path) && !this.trouble.has(host)
  }

  #answerTo(host: Host, path: string, request: SlotRequest): SlotAnswer {
    if (request.kind === 'note') {
      host.slots = new Set([...(host.slots ?? []), request.uuid])
      return { kind: 'done' }
    }
    const slots = this.#slots.get(path)
    if (slots === undefined || !this.#reaches(host.name, path)) return { kind: 'failed', why: 'it cannot be read' }
    switch (request.kind) {
      case 'read-header':
        return { kind: 'header', header: headerOf(path) }
      case 'read-names':
        return { kind: 'names', names: [...slots.map(({ name }) => name), undefined] }
      case 'take':
        slots[request.slot] = { name: host.name, received: { message: 'clear', from: host.name } }
        return { kind: 'done' }
      case 'read-name':
        return { kind: 'name', name: slots[request.slot]?.name }
      case 'read-message':
        return { kind: 'message', received: slots[request.slot]?.received ?? { message: 'clear', from: '' } }
      case 'clear': {
        const slot = slots[request.slot]
        if (slot !== undefined) slot.received = { message: 'clear', from: host.name }
        return { kind: 'done' }
      }
    }
  }
}

const headerOf = (path: string): SbdHeader => ({
  sectorSize: 512,
  slots: 16,
  ...times,
  uuid: path.slice(-1).repeat(32),
})
