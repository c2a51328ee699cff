/**
 * The one way in which a file that a caller names is read: up to a bound. What never ends (`/dev/zero`, a pipe that somebody fills) would fill the memory
 * of the host on which it is typed, by root most often.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

const mebibyte = 1024 * 1024
const pieceBytes = 0x10000

/** A configuration has 8 MiB at most. */
export const mostOfFile = 64 * mebibyte
/** A CIB in a file may have a status of any length: what a large cluster has seen. */
export const mostOfCib = 512 * mebibyte

export class TooLongError extends Error {
  override readonly name = 'TooLongError'

  constructor(most: number) {
    super(`it is longer than ${most / mebibyte} MiB`)
  }
}

/** `whole`: so much of a file whose length is known before it is read. */
export function readUpTo(from: string | number, most = mostOfFile, whole = most): Buffer {
  const file = typeof from === 'number' ? from : openSync(from, 'r')
  try {
    const facts = fstatSync(file)
    const bound = facts.isFile() ? whole : most
    if (facts.isFile() && facts.size > bound) throw new TooLongError(bound)
    const pieces: Buffer[] = []
    let total = 0
    for (;;) {
      const piece = Buffer.allocUnsafe(pieceBytes)
      const size = readSync(file, piece)
      if (size === 0) return Buffer.concat(pieces, total)
      total += size
      if (total > bound) throw new TooLongError(bound)
      pieces.push(piece.subarray(0, size))
    }
  } finally {
    if (typeof from === 'string') closeSync(file)
  }
}

export const textUpTo = (from: string | number, most = mostOfFile): string => readUpTo(from, most).toString('utf8')

/** The same of what comes when it comes, such as standard input. */
export async function textOfStream(stream: AsyncIterable<string | Uint8Array>, most = mostOfFile): Promise<string> {
  const pieces: Uint8Array[] = []
  let total = 0
  for await (const piece of stream) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
    total += bytes.length
    if (total > most) throw new TooLongError(most)
    pieces.push(bytes)
  }
  return Buffer.concat(pieces, total).toString('utf8')
}
