/** The answer to one question of the form "what if". */
import type { XmlElement } from '../../cib/index.ts'

export interface Supposed {
  readonly cib: XmlElement
  /** What was changed, a line each. */
  readonly lines: readonly string[]
}
