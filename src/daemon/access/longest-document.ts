/**
 * How long a document of a user with roles may be. To read one keeps the main thread busy, whether or not its sender may change anything, so that it is
 * measured by the CIB that there is, which everybody's questions cost.
 */
import { printXml, type XmlElement } from '../../cib/index.ts'
import { refuse } from '../../rpc/index.ts'

const alwaysTaken = 256 * 1024
const timesTheCib = 2
const known = new WeakMap<XmlElement, number>()

export function refuseLongDocument(cib: XmlElement, length: number): void {
  if (length <= alwaysTaken) return
  const present = known.get(cib) ?? printXml(cib).length
  known.set(cib, present)
  const most = Math.max(alwaysTaken, timesTheCib * present)
  if (length > most)
    throw refuse(
      'too-large',
      `The document has ${length} characters. While access control is enabled, users with roles may send ${most}, twice the size of the CIB.`,
    )
}
