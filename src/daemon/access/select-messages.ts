/** Between the main thread and the one that evaluates the XPaths of permissions. */
import type { XmlElement } from '../../cib/index.ts'

export interface ToSelect {
  readonly cib: XmlElement
  readonly xpaths: readonly string[]
}

/** For each XPath the places of the elements that it finds, in the order of the document; undefined where it cannot be evaluated. */
export type Selected = readonly (readonly number[] | undefined)[]
