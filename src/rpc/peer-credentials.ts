/**
 * Who is at the other end of a Unix socket, by the kernel's word: SO_PEERCRED, which Node.js does not offer. The credentials are those of the
 * process that connected, at that moment.
 */
import type { Socket } from 'node:net'
import koffi from 'koffi'
import type { UserCaller } from './caller.ts'

/** Linux's numbers, on all processors that Debian knows as `linux-any` but a few that Node.js does not run on. */
const solSocket = 1
const soPeercred = 17
/** `struct ucred`: pid, uid, gid. */
const bytesOfUcred = 12

/** As the C library has it. */
type Getsockopt = (...given: [fd: number, level: number, option: number, value: Int32Array, length: number[]]) => number

export class PeerCredentials {
  readonly #getsockopt: Getsockopt

  private constructor(getsockopt: Getsockopt) {
    this.#getsockopt = getsockopt
  }

  /** Undefined where this platform does not tell them. */
  static open(): PeerCredentials | undefined {
    if (process.platform !== 'linux') return undefined
    try {
      const library = koffi.load(null)
      const declared = 'int getsockopt(int, int, int, _Out_ void *, _Inout_ uint32_t *)'
      return new PeerCredentials(library.func(declared) as unknown as Getsockopt)
    } catch {
      // Without its native part for this platform; whoever asks serves root alone then.
      return undefined
    }
  }

  of(socket: Socket): UserCaller | undefined {
    // Node.js keeps the descriptor to itself.
    const { _handle: handle } = socket as unknown as { readonly _handle?: { readonly fd?: number } | null }
    const fd = handle?.fd
    if (fd === undefined || fd < 0) return undefined
    const value = new Int32Array(bytesOfUcred / 4)
    const length = [bytesOfUcred]
    if (this.#getsockopt(fd, solSocket, soPeercred, value, length) !== 0 || length[0] !== bytesOfUcred) return undefined
    const [pid = 0, uid = 0, gid = 0] = value
    // Numbers of users and groups have no sign.
    return { kind: 'user', pid, uid: uid >>> 0, gid: gid >>> 0 }
  }
}
