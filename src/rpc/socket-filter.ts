/**
 * Whose packets get to a listening socket at all: a program of the kernel's packet filter on the socket itself (SO_ATTACH_FILTER, socket(7)), which
 * needs no privilege, no table of the host's firewall, and no time of this process. Who is not let in gets no answer, as if nobody listened.
 * It holds for new connections; those that are open keep the program under which they came.
 */
import { isIP } from 'node:net'
import koffi from 'koffi'

/** `only`: nobody else. `without`: everybody else. Addresses; an IPv4 address is meant also where a socket of IPv6 hears it. */
export type LetIn =
  | { readonly kind: 'only'; readonly addresses: readonly string[] }
  | { readonly kind: 'without'; readonly addresses: readonly string[] }

/** As the C library has it. */
type Setsockopt = (...given: [fd: number, level: number, option: number, value: Buffer, length: number]) => number

const solSocket = 1
const soAttachFilter = 26
/** A jump of the filter reaches 255 instructions: an address of IPv4 takes one, one of IPv6 eight. */
const most = { 4: 250, 6: 31 } as const

export class SocketFilter {
  readonly #setsockopt: Setsockopt

  private constructor(setsockopt: Setsockopt) {
    this.#setsockopt = setsockopt
  }

  /** Undefined where this platform has none. */
  static open(): SocketFilter | undefined {
    if (process.platform !== 'linux') return undefined
    try {
      const declared = 'int setsockopt(int, int, int, const void *, uint32_t)'
      return new SocketFilter(koffi.load(null).func(declared) as unknown as Setsockopt)
    } catch {
      // Without its native part for this platform: strangers are turned away in this process alone.
      return undefined
    }
  }

  /** Whether it holds now. */
  attach(server: object, letIn: LetIn): boolean {
    const { _handle: handle } = server as { readonly _handle?: { readonly fd?: number } | null }
    const fd = handle?.fd
    if (fd === undefined || fd < 0 || isTooLong(letIn)) return false
    const program = filterProgram(letIn)
    // struct sock_fprog: the number of instructions, and where they are.
    const whole = Buffer.alloc(16)
    whole.writeUInt16LE(program.length / instructionBytes, 0)
    whole.writeBigUInt64LE(BigInt(koffi.address(program)), 8)
    return this.#setsockopt(fd, solSocket, soAttachFilter, whole, whole.length) === 0
  }
}

const isTooLong = ({ addresses }: LetIn): boolean =>
  ([4, 6] as const).some((family) => addresses.filter((address) => isIP(address) === family).length > most[family])

const instructionBytes = 8
/** Instructions of the classic packet filter (linux/filter.h), and where the header of IP begins. */
const load = 0x20
const loadByte = 0x30
const jumpIfEqual = 0x15
const jumpIfAnyBit = 0x45
const answer = 0x06
const ipHeader = 0xfff0_0000
const pass = 0xffff_ffff

export function filterProgram({ kind, addresses }: LetIn): Buffer {
  const four = addresses.flatMap((address) => (isIP(address) === 4 ? [wordOf(address)] : []))
  const six = addresses.flatMap((address) => (isIP(address) === 6 ? [wordsOf(address)] : []))
  const [known, others] = kind === 'only' ? [pass, 0] : [0, pass]
  const program: (readonly [code: number, yes: number, no: number, value: number])[] = []
  const add = (code: number, yes: number, no: number, value: number): void =>
    void program.push([code, yes, no, value >>> 0])
  // Both answers are given after each family, since jumps are short.
  const answers = (): void => {
    add(answer, 0, 0, others)
    add(answer, 0, 0, known)
  }
  add(loadByte, 0, 0, ipHeader)
  // The header begins with the version of IP, 4 or 6, in its upper half.
  add(jumpIfAnyBit, four.length + 3, 0, 0x20)
  add(load, 0, 0, ipHeader + 12)
  for (const [index, word] of four.entries()) add(jumpIfEqual, four.length - index, 0, word)
  answers()
  six.forEach((words, index) => {
    words.forEach((word, at) => {
      add(load, 0, 0, ipHeader + 8 + 4 * at)
      const isLast = at === 3
      const toKnown = (six.length - index - 1) * 8 + 1
      add(jumpIfEqual, isLast ? toKnown : 0, isLast ? 0 : (3 - at) * 2, word)
    })
  })
  answers()
  const bytes = Buffer.alloc(program.length * instructionBytes)
  program.forEach(([code, yes, no, value], index) => {
    const at = index * instructionBytes
    bytes.writeUInt16LE(code, at)
    bytes.writeUInt8(yes, at + 2)
    bytes.writeUInt8(no, at + 3)
    bytes.writeUInt32LE(value, at + 4)
  })
  return bytes
}

const wordOf = (address: string): number => address.split('.').reduce((word, byte) => word * 256 + Number(byte), 0)

/** The four words of an address of IPv6, by the one who knows all ways to write it. */
function wordsOf(address: string): readonly number[] {
  const plain = new URL(`http://[${address.replace(/%.*$/, '')}]/`).hostname.slice(1, -1)
  const [before = '', after] = plain.split('::')
  const groups = (text: string | undefined): readonly string[] => (text ? text.split(':') : [])
  const [head, tail] = [groups(before), groups(after)]
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  const all = after === undefined ? head : [...head, ...zeros, ...tail]
  const numbers = all.map((group) => Number.parseInt(group, 16))
  return [0, 2, 4, 6].map((at) => (numbers[at] ?? 0) * 0x1_0000 + (numbers[at + 1] ?? 0))
}
