/** What the store says of a node that is fenced through its disks (SBD): whoever does that writes it there first. */

export interface DiskFencingRecord {
  /** Left out: it is not known which boot of the node is meant. */
  readonly bootId?: string
  readonly action?: string
}

/** How it says that this boot is to end; undefined: it does not. */
export function endByDiskFencing(
  word: DiskFencingRecord | undefined,
  bootId: string | undefined,
): 'off' | 'reset' | undefined {
  if (word === undefined || !meansBoot(word.bootId, bootId)) return undefined
  return word.action === 'off' ? 'off' : 'reset'
}

/** An earlier version of the daemon would fence through disks without a word; any member may become the DC. */
export const allTellStore = (members: readonly { readonly knowsDisks?: boolean }[]): boolean =>
  members.every(({ knowsDisks }) => knowsDisks === true)

/** Whether a word for that boot is one for this boot; undefined: it is not known which. */
export const meansBoot = (meant: unknown, bootId: string | undefined): boolean =>
  meant === undefined || bootId === undefined || meant === bootId
