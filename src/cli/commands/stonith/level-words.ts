/** Which levels of the fencing topology a command is about: `[target <node>] [stonith <fence device>...]`, in either order. */
import type { FencingLevel } from '../../../cib/index.ts'
import { Refusal } from '../../call/command.ts'

export type Target = FencingLevel['target']

export interface LevelWords {
  readonly target?: Target
  readonly devices: readonly string[]
  /** Words without a keyword before them, as older scripts write them. */
  readonly bare: readonly string[]
}

/** A keyword without what it is about would select more levels than were meant, and so would a word that is passed over. */
export function readLevelWords(words: readonly string[]): LevelWords {
  const after: { readonly target: string[]; readonly stonith: string[] } = { target: [], stonith: [] }
  const typed = new Set<'target' | 'stonith'>()
  const bare: string[] = []
  let into = bare
  for (const word of words)
    if (word === 'target' || word === 'stonith') {
      typed.add(word)
      into = after[word]
    } else into.push(word)
  const empty = [...typed].filter((keyword) => after[keyword].length === 0).sort((a, b) => (a > b ? -1 : 1))
  if (empty.length > 0) throw said(`Missing value after ${empty.map((word) => `'${word}'`).join(' and ')}`)
  if (after.target.length > 1) throw said('At most one target can be specified')
  const [target] = after.target
  return {
    ...(target === undefined ? {} : { target: readTarget(target) }),
    devices: asDevices(after.stonith),
    bare,
  }
}

export const asDevices = (words: readonly string[]): readonly string[] => words.flatMap((word) => word.split(','))

/** In pcs's words, with what to do where they are ours. */
function said(sentence: string): Refusal {
  return new Refusal({
    own: `${sentence}. Write 'target <node>' or 'stonith <fence device>...'. Nothing was removed.`,
    about: { code: 'said-by-pcs', errors: [sentence] },
  })
}

export const onlyOne = (): Refusal => said("Only one of 'target' and 'stonith' can be used")

export function readTarget(text: string): Target {
  if (text.startsWith('regexp%')) return { by: 'pattern', pattern: text.slice('regexp%'.length) }
  const attribute = /^attrib%([^=]+)=(.*)$/.exec(text)
  if (attribute) return { by: 'attribute', name: attribute[1] ?? '', value: attribute[2] ?? '' }
  return { by: 'node', node: text.replace(/^(?:node)?%/, '') }
}
