/** What the daemon and the process that reads a disk for it say to each other. Offsets and lengths are whole sectors, in bytes. */
export type DiskRequest =
  | { readonly id: number; readonly kind: 'read'; readonly offset: number; readonly length: number }
  /** `data`: in base64, as in the answer. */
  | { readonly id: number; readonly kind: 'write'; readonly offset: number; readonly data: string }

export type DiskAnswer =
  | { readonly id: number; readonly data: string }
  | { readonly id: number; readonly error: string }

/** At most so many bytes in a request. */
export const longestRequest = 65_536

export const parseAnswer = (line: string): DiskAnswer => JSON.parse(line) as DiskAnswer
