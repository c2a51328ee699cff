/** Values that people and agents give to records (attributes, tickets): what the composed CIB, being XML, could not hold, and what is too long, is refused before it is stored. */
import { firstNotInXml } from '../../base/index.ts'
import { refuse } from '../../rpc/index.ts'
import { longestValue } from './limits.ts'

/** Without its name, which costs more than the look: most values are short, and a document has thousands. `longest`: as `longestValue` says. */
export const isFit = (text: string, longest: number): boolean =>
  text.length * bytesOfCharacter <= longest && firstNotInXml(text) === undefined

/** Of UTF-8 for one of JavaScript, at most. */
const bytesOfCharacter = 3

/** By what each is: `The value of ping`. */
export function refuseUnfit(texts: Readonly<Record<string, string | undefined>>): void {
  for (const [what, text = ''] of Object.entries(texts)) {
    const character = firstNotInXml(text)
    if (character !== undefined)
      throw refuse('unfit-value', `${what} holds the control character ${character}, which a CIB cannot hold.`)
    const bytes = Buffer.byteLength(text)
    if (bytes > longestValue()) throw refuse('too-long', `${what} has ${bytes} bytes. The limit is ${longestValue()}.`)
  }
}
