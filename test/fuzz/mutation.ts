/** A change to a CIB as it happens in a cluster's life: it says what it did, or nothing where the CIB has no place for it. */
import type { Tree } from './cib-tree.ts'
import type { Random } from './random.ts'

export interface Mutation {
  readonly name: string
  /** How often it is drawn, relative to the others. */
  readonly weight: number
  readonly apply: (cib: Tree, random: Random) => string | undefined
}

export interface Drawn {
  readonly mutation: Mutation
  readonly seed: number
}
