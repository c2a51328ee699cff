import type { Speech } from '../speech.ts'

/** Called as pcs, and nobody asked for the words of a version. */
export const judgesAsPcs = ({ program, dialect, readsOldWords }: Speech): boolean =>
  program === 'pcs' && dialect === '0.12' && readsOldWords
