/**
 * What lies on a disk of SBD's (sbd(8); read off disks that Debian's `sbd` 1.5 has made). The first sector is the header; node
 * `n` has two sectors from sector 1 + 2n on: its slot, which names it, and its mailbox with the message of whoever fences it.
 *
 * header   0 `SBD_SBD_`  8 version  9 number of slots  12 size of a sector
 *          16 watchdog  20 allocate  24 loop  28 msgwait: whole seconds, big-endian  33 UUID
 * slot     0 in use  1 name, ended by a zero      mailbox  0 message  1 name of the sender, ended by a zero
 */

export interface SbdHeader {
  readonly sectorSize: number
  readonly slots: number
  readonly watchdogMs: number
  readonly allocateMs: number
  readonly loopMs: number
  readonly msgwaitMs: number
  /** Another one after each `sbd create`. */
  readonly uuid: string
}

/** In the order of the numbers by which they are written. */
export const sbdMessages = ['clear', 'test', 'reset', 'off', 'exit', 'crashdump'] as const
export type SbdMessage = (typeof sbdMessages)[number]

export interface SlotMessage {
  /** Undefined: a number that no message has. */
  readonly message: SbdMessage | undefined
  readonly from: string
}

const endings = ['reset', 'off', 'crashdump'] as const

/** Undefined: the message lets its node live. */
export const endingOf = ({ message }: SlotMessage): (typeof endings)[number] | undefined =>
  endings.find((ending) => ending === message)

const magic = 'SBD_SBD_'
const layoutVersion = 2
/** Longer names are cut off, as `sbd` does it. */
const nameLength = 63

/** Enough for the header, whatever the size of a sector is. */
export const headerBytes = 4096

export function parseSbdHeader(bytes: Buffer): SbdHeader | undefined {
  if (bytes.toString('latin1', 0, magic.length) !== magic || bytes.readUInt8(8) !== layoutVersion) return undefined
  const seconds = (offset: number): number => bytes.readUInt32BE(offset) * 1000
  const sectorSize = bytes.readUInt32BE(12)
  if (sectorSize < 512 || sectorSize > headerBytes || sectorSize % 512 !== 0) return undefined
  return {
    sectorSize,
    slots: bytes.readUInt8(9),
    watchdogMs: seconds(16),
    allocateMs: seconds(20),
    loopMs: seconds(24),
    msgwaitMs: seconds(28),
    uuid: bytes.toString('hex', 33, 49),
  }
}

/** Its mailbox follows. */
export const slotOffset = ({ sectorSize }: Pick<SbdHeader, 'sectorSize'>, slot: number): number =>
  (1 + 2 * slot) * sectorSize

/** Whose it is; undefined: nobody's. */
export function parseSlot(sector: Buffer): string | undefined {
  return sector.readUInt8(0) === 1 ? textAt(sector, 1) : undefined
}

export function parseSlotMessage(sector: Buffer): SlotMessage {
  return { message: sbdMessages[sector.readUInt8(0)], from: textAt(sector, 1) }
}

export function slotOf(header: SbdHeader, name: string): Buffer {
  return sectorOf(header, 1, name)
}

export function messageSectorOf(header: SbdHeader, message: SbdMessage, from: string): Buffer {
  return sectorOf(header, sbdMessages.indexOf(message), from)
}

/** As `sbd` compares them: names of hosts know no capitals. */
export const isSameName = (slot: string | undefined, node: string): boolean =>
  slot?.toLowerCase() === cutName(node).toLowerCase()

const cutName = (name: string): string => Buffer.from(name).toString('latin1', 0, nameLength)

function sectorOf({ sectorSize }: SbdHeader, first: number, name: string): Buffer {
  const sector = Buffer.alloc(sectorSize)
  sector.writeUInt8(first, 0)
  sector.write(cutName(name), 1, 'latin1')
  return sector
}

function textAt(sector: Buffer, offset: number): string {
  const end = sector.indexOf(0, offset)
  return sector.toString('latin1', offset, end === -1 ? offset + nameLength : Math.min(end, offset + nameLength))
}
