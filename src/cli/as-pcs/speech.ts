import type { Speech } from '../call/speech.ts'

/**
 * Called as pcs, for a version that this program was held against: 0.12 where nobody asked for another, and 0.11. The older ones are
 * spoken forgivingly, because nothing here can say what they refused.
 */
export const judgesAsPcs = ({ program, dialect, readsOldWords }: Speech): boolean =>
  program === 'pcs' && readsOldWords && (dialect === '0.12' || dialect === '0.11')

/** Called as pcs 0.11, whose rules have other attributes that mean the same. */
export const writesAs011 = (speech: Speech): boolean => judgesAsPcs(speech) && speech.dialect === '0.11'
