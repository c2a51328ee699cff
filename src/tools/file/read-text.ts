/** A CIB of the caller as text: packed with gzip too, as the daemon keeps what its transitions were computed from. */
import { gunzipSync } from 'node:zlib'
import { mostOfCib, mostOfFile, readUpTo } from './bounded-read.ts'

export function readTextFile(path: string | number): string {
  const bytes = readUpTo(path, mostOfFile, mostOfCib)
  return (isGzip(bytes) ? gunzipSync(bytes, { maxOutputLength: mostOfCib }) : bytes).toString('utf8')
}

export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b
