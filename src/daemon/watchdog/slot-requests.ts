/** What a node's core asks of one of SBD's disks (`node/own-slot.ts`), in sectors. */
import { takesNoChange } from '../../base/index.ts'
import {
  headerBytes,
  messageSectorOf,
  parseSbdHeader,
  parseSlot,
  parseSlotMessage,
  type SbdHeader,
  slotOf,
  slotOffset,
} from '../../fencing/index.ts'
import type { SlotAnswer, SlotRequest } from '../../node/index.ts'
import { type Disk, DiskError } from './disk.ts'
import { longestRequest } from './disk-messages.ts'

export interface SlotPorts {
  readonly node: string
  readonly disk: Disk
  /** That this boot has had a slot on that disk; throws where it cannot be noted. */
  readonly note: (uuid: string) => void
}

/** Waits for as long as the disk does. */
export async function performSlotRequest(ports: SlotPorts, request: SlotRequest): Promise<SlotAnswer> {
  try {
    return await answerTo(ports, request)
  } catch (error) {
    if (!(error instanceof DiskError)) throw error
    return { kind: 'failed', why: error.message }
  }
}

async function answerTo({ node, disk, note }: SlotPorts, request: SlotRequest): Promise<SlotAnswer> {
  switch (request.kind) {
    case 'read-header': {
      const header = parseSbdHeader(await disk.read(0, headerBytes))
      return header === undefined ? { kind: 'header' } : { kind: 'header', header }
    }
    case 'read-names':
      return { kind: 'names', names: await namesOn(disk, request.header) }
    case 'take':
      await writeClear(disk, node, request)
      await disk.write(slotOffset(request.header, request.slot), slotOf(request.header, node))
      return { kind: 'done' }
    case 'read-name': {
      const { header, slot } = request
      return { kind: 'name', name: parseSlot(await disk.read(slotOffset(header, slot), header.sectorSize)) }
    }
    case 'read-message':
      return {
        kind: 'message',
        received: parseSlotMessage(await disk.read(mailboxOf(request), request.header.sectorSize)),
      }
    case 'clear':
      await writeClear(disk, node, request)
      return { kind: 'done' }
    case 'note':
      return noted(note, request.uuid)
  }
}

function noted(note: SlotPorts['note'], uuid: string): SlotAnswer {
  try {
    note(uuid)
    return { kind: 'done' }
  } catch (error) {
    if (!takesNoChange(error)) throw error
    return { kind: 'failed', why: `that this boot has a slot there cannot be noted (${String(error)})` }
  }
}

async function namesOn(disk: Disk, header: SbdHeader): Promise<readonly (string | undefined)[]> {
  const pairBytes = 2 * header.sectorSize
  const atOnce = Math.floor(longestRequest / pairBytes)
  const names: (string | undefined)[] = []
  while (names.length < header.slots) {
    const count = Math.min(atOnce, header.slots - names.length)
    const bytes = await disk.read(slotOffset(header, names.length), count * pairBytes)
    for (let slot = 0; slot < count; slot++) names.push(parseSlot(bytes.subarray(slot * pairBytes)))
  }
  return names
}

interface Mailbox {
  readonly header: SbdHeader
  readonly slot: number
}

const mailboxOf = ({ header, slot }: Mailbox): number => slotOffset(header, slot) + header.sectorSize

async function writeClear(disk: Disk, node: string, mailbox: Mailbox): Promise<void> {
  await disk.write(mailboxOf(mailbox), messageSectorOf(mailbox.header, 'clear', node))
}
