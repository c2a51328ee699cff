/**
 * Who may command a remote node: the cluster node with the highest token. A token is the revision of the store at which its owner was
 * recorded, so that whoever was recorded later has the higher one, and an owner that wakes from a pause is refused.
 */
export interface Ownership {
  readonly highestToken: number
  readonly owner?: string
}

export const nobody: Ownership = { highestToken: 0 }

/** Undefined where it is refused. The same token is the same owner, which connects again. */
export function ownedBy(before: Ownership, asked: Required<Ownership>): Ownership | undefined {
  if (asked.highestToken < before.highestToken) return undefined
  return { highestToken: asked.highestToken, owner: asked.owner }
}
