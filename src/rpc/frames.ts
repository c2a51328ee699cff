/** Cuts what arrives into messages that each stand behind their length. Nothing is kept but what the message under way needs. */
import { BadMessageError } from './forms/words.ts'

/** Pieces of one message: more are joined, so that a message which comes byte by byte does not take a buffer for each. */
const mostPieces = 1024

export class FrameReader {
  readonly #lengthBytes: 2 | 4
  #pieces: Buffer[] = []
  #bytes = 0

  constructor(lengthBytes: 2 | 4) {
    this.#lengthBytes = lengthBytes
  }

  /** The messages that are whole now. `longest` is asked before each. Throws a BadMessageError where one is longer. */
  *read(chunk: Buffer, longest: () => number): Generator<Buffer, void> {
    this.#pieces.push(chunk)
    this.#bytes += chunk.length
    if (this.#pieces.length > mostPieces) this.#join()
    while (this.#bytes >= this.#lengthBytes) {
      const length = this.#length()
      if (length > longest()) throw new BadMessageError(`a message of ${length} bytes`)
      if (this.#bytes < this.#lengthBytes + length) return
      this.#join()
      const [whole = chunk] = this.#pieces
      const end = this.#lengthBytes + length
      this.#pieces = whole.length === end ? [] : [whole.subarray(end)]
      this.#bytes -= end
      yield whole.subarray(this.#lengthBytes, end)
    }
  }

  #length(): number {
    if ((this.#pieces[0]?.length ?? 0) < this.#lengthBytes) this.#join()
    const [first] = this.#pieces
    return (this.#lengthBytes === 2 ? first?.readUInt16BE(0) : first?.readUInt32BE(0)) ?? 0
  }

  #join(): void {
    if (this.#pieces.length > 1) this.#pieces = [Buffer.concat(this.#pieces)]
  }
}

export function frame(lengthBytes: 2 | 4, message: Uint8Array): Buffer {
  const head = Buffer.alloc(lengthBytes)
  if (lengthBytes === 2) head.writeUInt16BE(message.length)
  else head.writeUInt32BE(message.length)
  return Buffer.concat([head, message])
}
