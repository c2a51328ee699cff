/**
 * Packets of DNS: the questions that are read, and the answers that fit into what the asker takes. Records are encoded by `dns-packet`, the question is
 * copied as it came. Whoever sends a packet is a stranger: its counts are looked at before anything is decoded.
 */
import dnsPacket, { type OptAnswer } from 'dns-packet'
import type { DnsAnswer, DnsRecord } from '../../services/index.ts'

export interface Query {
  readonly id: number
  readonly name: string
  readonly type: string
  readonly class: string
  /** Whether the asker wants names of others resolved as well. */
  readonly recursion: boolean
  /** As it came: name, type and class. */
  readonly question: Buffer
  /** What the asker takes by UDP, where it says so. */
  readonly edns?: { readonly size: number; readonly version: number; readonly wantsSignatures: boolean }
}

export type ReadPacket =
  /** It asks nothing, and is answered by nothing: an answer could be one more answer to an answer. */
  | { readonly kind: 'ignored' }
  | { readonly kind: 'wrong'; readonly reply: Buffer }
  | { readonly kind: 'query'; readonly query: Query }

/** No question needs more. */
export const longestQuery = 4096
export const headerBytes = 12
/** Longer packets are fragmented by networks, and lost by some (DNS flag day 2020). */
export const longestUdp = 1232
export const shortestUdp = 512
export const longestTcp = 65_535

interface Options extends Omit<OptAnswer, 'options'> {
  readonly options: readonly { readonly code: number; readonly data: Buffer }[]
}

/** What it has for one record, which its types do not mention. */
interface RecordCodec {
  readonly encode: ((record: DnsRecord | Options, into?: Buffer, at?: number) => Buffer) & { readonly bytes: number }
}

const { answer: recordCodec } = dnsPacket as unknown as { readonly answer: RecordCodec }

const response = 0x8000
const authoritativeBit = 0x0400
const truncatedBit = 0x0200
const recursionDesired = 0x0100
const recursionAvailable = 0x0080
const codes = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5, BADVERS: 16 } as const
export type Code = keyof typeof codes

export function readQuery(packet: Buffer): ReadPacket {
  if (packet.length < headerBytes || (packet.readUInt16BE(2) & response) !== 0) return { kind: 'ignored' }
  const flags = packet.readUInt16BE(2)
  if (((flags >> 11) & 15) !== 0) return { kind: 'wrong', reply: bare(packet, 'NOTIMP') }
  const [questions, answers, authorities, additionals] = [4, 6, 8, 10].map((at) => packet.readUInt16BE(at))
  const end = questionEnd(packet)
  const isOdd = questions !== 1 || answers !== 0 || authorities !== 0 || (additionals ?? 0) > 2
  if (packet.length > longestQuery || isOdd || end === undefined)
    return { kind: 'wrong', reply: bare(packet, 'FORMERR') }
  try {
    const decoded = dnsPacket.decode(packet)
    const [asked] = decoded.questions ?? []
    const options = (decoded.additionals ?? []).filter((one) => one.type === 'OPT')
    const [edns] = options
    if (asked === undefined || options.length > 1) return { kind: 'wrong', reply: bare(packet, 'FORMERR') }
    const query: Query = {
      id: packet.readUInt16BE(0),
      name: asked.name,
      type: asked.type,
      class: asked.class ?? 'IN',
      recursion: (flags & recursionDesired) !== 0,
      question: packet.subarray(headerBytes, end),
      ...(edns?.type === 'OPT' && {
        edns: { size: edns.udpPayloadSize, version: edns.ednsVersion, wantsSignatures: edns.flag_do },
      }),
    }
    return { kind: 'query', query }
  } catch {
    return { kind: 'wrong', reply: bare(packet, 'FORMERR') }
  }
}

/** After name, type and class. The first name of a packet points nowhere. */
function questionEnd(packet: Buffer): number | undefined {
  let at = headerBytes
  for (let length = packet[at]; length !== 0; length = packet[at]) {
    if (length === undefined || length > 63) return undefined
    at += length + 1
  }
  return at + 5 <= packet.length && at - headerBytes < 255 ? at + 5 : undefined
}

function bare(packet: Buffer, code: Code): Buffer {
  const reply = Buffer.alloc(headerBytes)
  reply.writeUInt16BE(packet.readUInt16BE(0), 0)
  const kept = packet.readUInt16BE(2) & (0x7800 | recursionDesired)
  reply.writeUInt16BE(response | kept | codes[code], 2)
  return reply
}

export interface Manner {
  readonly limit: number
  readonly authoritative: boolean
  /** Names of others are resolved for this asker. */
  readonly recursion: boolean
  /** An extended error (RFC 8914), where the asker knows of such things. */
  readonly note?: ExtendedError
}

export interface ExtendedError {
  readonly code: number
  readonly text: string
}

export const staleAnswer: ExtendedError = { code: 3, text: 'this node has no quorum' }
export const notReady: ExtendedError = { code: 14, text: 'this node has no quorum' }

/** Records are written here one after the other, until one does not fit. */
const scratch = Buffer.alloc(longestTcp + 1024)

/** Answers that do not fit are left out, and the packet says that it is truncated; of the additional ones nothing is said. */
export function writeAnswer(
  query: Query,
  { code, answers, authorities, additionals }: Omit<DnsAnswer, 'code' | 'kind'> & { readonly code: Code },
  manner: Manner,
): Buffer {
  query.question.copy(scratch, headerBytes)
  const start = headerBytes + query.question.length
  const option = query.edns === undefined ? undefined : optionBytes(code, manner.note)
  const limit = manner.limit - (option?.length ?? 0)
  const main = writeRecords(answers, { from: start, limit, owner: query.name })
  const negative = writeRecords(main.isWhole ? authorities : [], { from: main.end, limit })
  const more = writeRecords(main.isWhole && negative.isWhole ? additionals : [], { from: negative.end, limit })
  let end = more.end
  if (option) end += option.copy(scratch, end)
  const isTruncated = !main.isWhole || !negative.isWhole
  scratch.writeUInt16BE(query.id, 0)
  scratch.writeUInt16BE(
    response |
      (manner.authoritative ? authoritativeBit : 0) |
      (isTruncated ? truncatedBit : 0) |
      (query.recursion ? recursionDesired : 0) |
      (manner.recursion ? recursionAvailable : 0) |
      (codes[code] & 15),
    2,
  )
  const counts = [1, main.count, negative.count, more.count + (option ? 1 : 0)]
  for (const [index, count] of counts.entries()) scratch.writeUInt16BE(count, 4 + 2 * index)
  return Buffer.from(scratch.subarray(0, end))
}

interface Written {
  readonly end: number
  readonly count: number
  readonly isWhole: boolean
}

/** `owner`: the name of the question, which the records of that name point back to. */
function writeRecords(
  records: readonly DnsRecord[],
  { from, limit, owner }: { readonly from: number; readonly limit: number; readonly owner?: string },
): Written {
  let end = from
  for (const [count, record] of records.entries()) {
    const after = writeRecord(record, end, record.name === owner)
    if (after > limit) return { end, count, isWhole: false }
    end = after
  }
  return { end, count: records.length, isWhole: true }
}

/** The same few records go into most answers, and encoding one takes longer than all the rest of an answer. */
const encoded = new Map<string, Buffer>()
const mostEncoded = 10_000

function writeRecord(record: DnsRecord, at: number, pointsBack: boolean): number {
  const name = pointsBack ? '' : record.name
  const key = keyOf(record, name)
  const known = key === undefined ? undefined : encoded.get(key)
  const bytes = known ?? encode(record, name)
  if (key !== undefined && known === undefined) {
    if (encoded.size >= mostEncoded) encoded.clear()
    encoded.set(key, bytes)
  }
  return at + bytes.copy(scratch, at)
}

/** All that its bytes are made of. Of the records that are rare there is none. */
function keyOf(record: DnsRecord, name: string): string | undefined {
  switch (record.type) {
    case 'SRV': {
      const { priority, weight, port, target } = record.data
      return `${name} SRV ${record.ttl} ${priority} ${weight} ${port} ${target}`
    }
    case 'A':
    case 'AAAA':
      return `${name} ${record.type} ${record.ttl} ${record.data}`
    default:
      return undefined
  }
}

/** Without a name: as a record of the name of the question. */
function encode(record: DnsRecord, name: string): Buffer {
  if (name !== '') return recordCodec.encode(record)
  // The name of the root is a single byte: it and one before it become the pointer.
  const bytes = Buffer.concat([Buffer.alloc(1), recordCodec.encode({ ...record, name: '.' })])
  bytes.writeUInt16BE(0xc000 | headerBytes, 0)
  return bytes
}

function optionBytes(code: Code, note: ExtendedError | undefined): Buffer {
  const data = note && Buffer.concat([Buffer.from([note.code >> 8, note.code & 255]), Buffer.from(note.text)])
  return recordCodec.encode({
    type: 'OPT',
    name: '.',
    udpPayloadSize: longestUdp,
    extendedRcode: codes[code] >> 4,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: data === undefined ? [] : [{ code: 15, data }],
  })
}

/** The same question for another server: without what the asker said beside it. */
export function writeQuery(
  { question, edns }: Pick<Query, 'question' | 'edns'>,
  { id, recursion, size }: { readonly id: number; readonly recursion: boolean; readonly size: number },
): Buffer {
  const option =
    edns &&
    recordCodec.encode({
      type: 'OPT',
      name: '.',
      udpPayloadSize: size,
      extendedRcode: 0,
      ednsVersion: 0,
      flags: edns.wantsSignatures ? dnsPacket.DNSSEC_OK : 0,
      flag_do: edns.wantsSignatures,
      options: [],
    })
  const header = Buffer.alloc(headerBytes)
  header.writeUInt16BE(id, 0)
  header.writeUInt16BE(recursion ? recursionDesired : 0, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(option ? 1 : 0, 10)
  return Buffer.concat([header, question, ...(option ? [option] : [])])
}

/** Whether a packet answers that question: the same number, and the question as it was asked. */
export function answersTo(packet: Buffer, { id, question }: Pick<Query, 'id' | 'question'>): boolean {
  return (
    packet.length >= headerBytes + question.length &&
    packet.readUInt16BE(0) === id &&
    (packet.readUInt16BE(2) & response) !== 0 &&
    packet.readUInt16BE(4) === 1 &&
    packet.subarray(headerBytes, headerBytes + question.length).equals(question)
  )
}

export const isTruncated = (packet: Buffer): boolean => (packet.readUInt16BE(2) & truncatedBit) !== 0
