/** How the program was called, and whose words it speaks. */

export type Dialect = '0.9' | '0.10' | '0.11' | '0.12'

export interface Speech {
  readonly program: 'systole' | 'pcs'
  readonly dialect: Dialect
  /** Words that pcs has given up are read. */
  readonly readsOldWords: boolean
}

/** What `--version` says: installers refuse what they do not know by its first two numbers. */
const versions: Readonly<Record<Dialect, string>> = {
  '0.9': '0.9.169',
  '0.10': '0.10.18',
  '0.11': '0.11.5',
  '0.12': '0.12.0',
}

export const pcsVersion = ({ dialect }: Speech): string => versions[dialect]
