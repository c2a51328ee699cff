/**
 * The end of a stopped etcd member's write-ahead log. `--force-new-cluster` throws away the entries after the last commit that
 * the member itself has noted. The leader confirms a change as soon as this member has *written* it, and tells of the commit
 * only afterwards, in a note that etcd does not flush: a confirmed change would be lost. So the commit of all that is written is
 * noted here first. That is what this member would do as the next leader; a change that nobody confirmed may be among it,
 * which is one of the two things that may become of such a change.
 *
 * The format is etcd's package `wal`, the same from 3.0 on: segments `<sequence>-<index>.wal` of frames. A frame is a length (8 bytes,
 * little endian; the top byte says how much padding follows) and a `Record{type=1, crc=2, data=3}`; the checksum runs over the
 * data of all records. A segment begins with a record of the checksum so far and ends with zeros.
 */
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const recordTypes = { entry: 2, state: 3, checksum: 4 } as const

interface LogEnd {
  /** Where the next frame goes in the last segment. */
  readonly offset: number
  readonly checksum: number
  readonly lastIndex: number
  readonly state: { readonly term: bigint; readonly vote: bigint; readonly commit: bigint }
}

export class UnreadableLogError extends Error {
  override readonly name = 'UnreadableLogError'
  constructor(file: string, what: string) {
    super(`etcd's write-ahead log ${file} cannot be read to its end: ${what}.`)
  }
}

/** Of a member that does not run. Returns how many entries are now noted as committed that were not before. */
export function noteCommitOfAll(directory: string): number {
  const segments = readdirSync(directory)
    .filter((name) => name.endsWith('.wal'))
    .sort()
  const last = segments.at(-1)
  if (last === undefined) throw new UnreadableLogError(directory, 'it has no segment')
  let end: LogEnd = { offset: 0, checksum: 0, lastIndex: 0, state: { term: 0n, vote: 0n, commit: 0n } }
  const checksum = castagnoli()
  for (const name of segments) end = readSegment(join(directory, name), { ...end, offset: 0 }, checksum)
  const behind = end.lastIndex - Number(end.state.commit)
  if (behind <= 0) return 0
  append(join(directory, last), end, checksum)
  return behind
}

function append(path: string, end: LogEnd, checksum: Checksum): void {
  const { term, vote } = end.state
  const data = Buffer.from([
    ...[0x08, ...varint(term)],
    ...[0x10, ...varint(vote)],
    ...[0x18, ...varint(BigInt(end.lastIndex))],
  ])
  const crc = checksum(data, end.checksum)
  const record = Buffer.from([
    ...[0x08, recordTypes.state],
    ...[0x10, ...varint(BigInt(crc))],
    ...[0x1a, data.length, ...data],
  ])
  const padding = (8 - (record.length % 8)) % 8
  const frame = Buffer.alloc(8 + record.length + padding)
  frame.writeBigUInt64LE(BigInt(record.length) | (padding === 0 ? 0n : BigInt(0x80 | padding) << 56n))
  record.copy(frame, 8)
  const file = openSync(path, 'r+')
  try {
    writeSync(file, frame, 0, frame.length, end.offset)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function readSegment(path: string, from: LogEnd, checksum: Checksum): LogEnd {
  const bytes = readFileSync(path)
  let end = from
  while (end.offset + 8 <= bytes.length) {
    const head = bytes.readBigUInt64LE(end.offset)
    if (head === 0n) break
    const length = Number(head & 0x00ff_ffff_ffff_ffffn)
    const padding = Number((head >> 56n) & 0x7n)
    const start = end.offset + 8
    if (start + length + padding > bytes.length) throw new UnreadableLogError(path, `a record at ${end.offset} is torn`)
    const record = readRecord(bytes.subarray(start, start + length))
    if (record.type !== recordTypes.checksum && checksum(record.data, end.checksum) !== record.crc)
      throw new UnreadableLogError(path, `a checksum at ${end.offset} is wrong`)
    end = { ...take(end, record), offset: start + length + padding }
  }
  return end
}

interface LogRecord {
  readonly type: number
  readonly crc: number
  readonly data: Buffer
}

function take(end: LogEnd, { type, crc, data }: LogRecord): LogEnd {
  const next = { ...end, checksum: crc }
  if (type !== recordTypes.entry && type !== recordTypes.state) return next
  const fields = numbersOf(data)
  if (type === recordTypes.entry) return { ...next, lastIndex: Number(fields.get(3) ?? 0n) }
  const [term = 0n, vote = 0n, commit = 0n] = [fields.get(1), fields.get(2), fields.get(3)]
  return { ...next, state: { term, vote, commit } }
}

function readRecord(bytes: Buffer): LogRecord {
  const numbers = numbersOf(bytes)
  return { type: Number(numbers.get(1) ?? 0n), crc: Number(numbers.get(2) ?? 0n), data: dataOf(bytes) }
}

/** The fields of a protobuf message that are numbers. */
function numbersOf(bytes: Buffer): ReadonlyMap<number, bigint> {
  const numbers = new Map<number, bigint>()
  for (const { field, value } of fieldsOf(bytes)) if (typeof value === 'bigint') numbers.set(field, value)
  return numbers
}

function dataOf(bytes: Buffer): Buffer {
  for (const { field, value } of fieldsOf(bytes)) if (field === 3 && typeof value !== 'bigint') return value
  return Buffer.alloc(0)
}

function* fieldsOf(bytes: Buffer): Generator<{ readonly field: number; readonly value: bigint | Buffer }> {
  let at = 0
  const number = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  while (at < bytes.length) {
    const key = Number(number())
    const field = key >> 3
    if ((key & 7) === 0) yield { field, value: number() }
    else {
      const length = Number(number())
      yield { field, value: bytes.subarray(at, at + length) }
      at += length
    }
  }
}

function varint(value: bigint): readonly number[] {
  const bytes: number[] = []
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 0x80n) return [...bytes, Number(rest)]
    bytes.push(Number(rest & 0x7fn) | 0x80)
  }
}

type Checksum = (data: Buffer, before: number) => number

/** Castagnoli's, as Go's `crc32.Update` continues it. */
function castagnoli(): Checksum {
  const table = Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1
    return crc
  })
  return (data, before) => {
    let crc = ~before >>> 0
    for (const byte of data) crc = (table[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8)
    return ~crc >>> 0
  }
}
