/** An XML file piece by piece: a CIB with its history may be longer than anybody wants to hold. */
import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs'
import { isGzip, mostOfCib, readTextFile, TooLongError } from '../../tools/index.ts'

const pieceBytes = 0x10000
const endOfTag = 0x3e

/** To be read as often as one likes, so what gives its text only once, such as a pipe, is read here and kept. */
export function xmlPieces(path: string): () => Iterable<string> {
  const facts = statSync(path)
  if (facts.isFile()) {
    if (facts.size > mostOfCib) throw new TooLongError(mostOfCib)
    accessSync(path, constants.R_OK)
    return isPacked(path) ? whole(path) : () => readPieces(path)
  }
  return whole(path)
}

function whole(path: string): () => Iterable<string> {
  // By its number: what programs hand over may be a socket, which cannot be opened by a path.
  const text = readTextFile(path === '/dev/stdin' ? 0 : path)
  return () => [text]
}

function isPacked(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const first = Buffer.alloc(2)
    readSync(file, first)
    return isGzip(first)
  } finally {
    closeSync(file)
  }
}

/** What comes after the last `>` so far waits for the next piece: it is the beginning of a tag, or white space before one. */
function* readPieces(path: string): Generator<string> {
  const file = openSync(path, 'r')
  try {
    let bytes = Buffer.alloc(pieceBytes)
    let filled = 0
    for (;;) {
      const size = readSync(file, bytes, { offset: filled })
      filled += size
      const end = size === 0 ? filled : bytes.lastIndexOf(endOfTag, filled - 1) + 1
      if (end > 0) yield bytes.toString('utf8', 0, end)
      if (size === 0) return
      bytes.copyWithin(0, end, filled)
      filled -= end
      if (filled === bytes.length) bytes = Buffer.concat([bytes], bytes.length * 2)
    }
  } finally {
    closeSync(file)
  }
}
