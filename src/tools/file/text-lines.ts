/** Texts line by line: a log may be longer than a string can be. */
import { closeSync, openSync, readSync, writeFileSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'

const pieceBytes = 0x10000

/** Without their ends. */
export function* linesOf(path: string): Generator<string> {
  const file = openSync(path, 'r')
  try {
    const decoder = new StringDecoder('utf8')
    const piece = Buffer.alloc(pieceBytes)
    let rest = ''
    for (;;) {
      const size = readSync(file, piece)
      const lines = (rest + (size === 0 ? decoder.end() : decoder.write(piece.subarray(0, size)))).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
      if (size > 0) continue
      if (rest !== '') yield rest
      return
    }
  } finally {
    closeSync(file)
  }
}

/** Readable for its owner alone. */
export function writeLines(path: string, lines: Iterable<string>): void {
  const file = openSync(path, 'w', 0o600)
  try {
    let piece = ''
    for (const line of lines) {
      piece += `${line}\n`
      if (piece.length < pieceBytes) continue
      writeFileSync(file, piece)
      piece = ''
    }
    writeFileSync(file, piece)
  } finally {
    closeSync(file)
  }
}
