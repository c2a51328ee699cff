/** A file of the caller as text: packed with gzip too, as the daemon keeps what its transitions were computed from. */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** More is no CIB. */
const longestText = 512 * 1024 * 1024

export function readTextFile(path: string | number): string {
  const bytes = readFileSync(path)
  return (isGzip(bytes) ? gunzipSync(bytes, { maxOutputLength: longestText }) : bytes).toString('utf8')
}

export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b
