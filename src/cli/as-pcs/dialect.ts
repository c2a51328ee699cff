/**
 * Whose words the program speaks. pcs has changed its grammar (0.10, 0.12) and what it prints (0.10, 0.11, 0.12); scripts are
 * written for one of them. `--compat` or PCS_COMPAT chooses; called as `pcs` without either, old words are read wherever
 * they cannot mean anything else, and the answers are those of 0.12.
 */

import { Refusal } from '../call/command.ts'
import type { Dialect, Speech } from '../call/speech.ts'

/** Takes `--compat` out of a line and decides. */
export function chooseSpeech(
  line: readonly string[],
  called: { readonly program: 'systole' | 'pcs'; readonly environment: string | undefined },
): { readonly line: readonly string[]; readonly speech: Speech } {
  const end = line.indexOf('--')
  const at = line.findIndex(
    (word, index) => /^--compat(=|$)/.test(word) && (end < 0 || index < end || line[0]?.startsWith('-')),
  )
  const word = line[at]
  const inline = word?.includes('=') === true
  const written = word === undefined ? called.environment : inline ? word.slice('--compat='.length) : line[at + 1]
  const rest = word === undefined ? line : [...line.slice(0, at), ...line.slice(at + (inline ? 1 : 2))]
  if (written === undefined || written === '') {
    if (word !== undefined) throw new Refusal('--compat requires a version of pcs: --compat=0.9, 0.10, 0.11 or 0.12.')
    const readsOldWords = called.program === 'pcs'
    return { line: rest, speech: { program: called.program, dialect: '0.12', readsOldWords } }
  }
  const dialect = asDialect(written)
  return { line: rest, speech: { program: called.program, dialect, readsOldWords: dialect !== '0.12' } }
}

function asDialect(text: string): Dialect {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(text) ?? []
  const known = (['0.9', '0.10', '0.11', '0.12'] as const).find((dialect) => dialect === `${major}.${minor}`)
  if (known) return known
  throw new Refusal(
    `'${text}' is not a supported version of pcs. Set --compat or PCS_COMPAT to 0.9, 0.10, 0.11 or 0.12.`,
  )
}
