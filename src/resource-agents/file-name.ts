/** The name of a resource as the name of a file. No file system takes more than 255 bytes: a longer one is cut, and told apart by its digest. */
import { createHash } from 'node:crypto'

/** With `.json` behind it. */
const longest = 250

export function fileNameOf(name: string): string {
  const whole = encoded(name)
  return isCut(whole) ? `${whole.slice(0, 100).replaceAll('%', '_')}~${digestOf(name)}` : whole
}

/** Its file name does not tell the name. */
export const isFileNameCut = (name: string): boolean => isCut(encoded(name))

const isCut = (whole: string): boolean => whole.length > longest

/** Half of a surrogate pair cannot be encoded, and no name has one but by mistake. */
const encoded = (name: string): string => encodeURIComponent(Buffer.from(name).toString())

const digestOf = (name: string): string => createHash('sha256').update(name).digest('hex')
