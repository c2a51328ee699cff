/** Called as pcs, a long option may be written by as many letters as tell it from the others (`--forc`), as getopt reads it. */
import type { Dialect } from '../call/speech.ts'
import { takesNext } from '../pcs-words/command-options.ts'
import { isLongOption, optionsBegunBy } from '../pcs-words/long-options.ts'

interface Known {
  readonly dialect: Dialect
  /** An option that a command of ours has besides those of pcs. */
  readonly own: (name: string) => boolean
}

export function withWholeOptions(line: readonly string[], { dialect, own }: Known): readonly string[] {
  const end = line.indexOf('--')
  const whole = line.map((word, index) => {
    const [, name, value = ''] = /^--([a-z][\w-]*)(=.*)?$/s.exec(word) ?? []
    if (name === undefined || (end >= 0 && index > end) || takesNext(line[index - 1])) return word
    if (own(name) || isLongOption(name, dialect)) return word
    const [only, another] = optionsBegunBy(name, dialect)
    // The number of seconds is read before options are made whole: as `--wai=1` it is none.
    const isNone = only === undefined || another !== undefined || (only === 'wait' && value !== '')
    return isNone ? word : `--${only}${value}`
  })
  // What keeps words with a dash from being options means nothing where there are none, and may stand anywhere: `constraint -- location web …`.
  const keepsNothing = end >= 0 && !line.slice(end + 1).some((word) => word.startsWith('-'))
  return keepsNothing ? whole.filter((_, index) => index !== end) : whole
}
