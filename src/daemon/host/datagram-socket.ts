/** Datagrams to a Unix socket of the host, which Node.js cannot send: to the journal and to syslog. Each is sent to the path, so that a receiver that restarts gets the next. */
import koffi from 'koffi'

/** Linux's numbers. */
const afUnix = 1
const sockDgramCloexec = 2 | 0o2000000
const dontWaitNoSignal = 0x40 | 0x4000
const longestPath = 107

/** As the C library has it. */
type Sendto = (
  ...given: [fd: number, data: Buffer, length: number, flags: number, address: Buffer, addressLength: number]
) => number

/** Whether it was taken: a receiver that is gone or full takes none, and nobody waits for it. */
export type SendDatagram = (data: Buffer) => boolean

/** Undefined where this platform has none. */
export function openDatagrams(path: string): SendDatagram | undefined {
  if (process.platform !== 'linux' || Buffer.byteLength(path) > longestPath) return undefined
  try {
    const library = koffi.load(null)
    const socket = library.func('int socket(int, int, int)') as unknown as (...given: readonly number[]) => number
    const sendto = library.func(
      'int64_t sendto(int, const void *, size_t, int, const void *, uint32_t)',
    ) as unknown as Sendto
    const fd = socket(afUnix, sockDgramCloexec, 0)
    if (fd < 0) return undefined
    const address = Buffer.alloc(2 + Buffer.byteLength(path) + 1)
    address.writeUInt16LE(afUnix)
    address.write(path, 2)
    return (data) => Number(sendto(fd, data, data.length, dontWaitNoSignal, address, address.length)) === data.length
  } catch {
    // Without its native part for this platform.
    return undefined
  }
}
