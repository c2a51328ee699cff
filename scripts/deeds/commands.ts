/** Whether an option stands in one and the same command with what it is an option of. */
import type { TextGroup } from './literals.ts'

export interface CommandOption {
  /** `resource create`, and its other spellings; `crm_mon`. */
  readonly paths: readonly (readonly string[])[]
  readonly isTool: boolean
  /** Whether this word of a command is the option. */
  readonly stands: (word: string) => boolean
}

/** `hasShims`: programs are looked for in a PATH in which ours come first. */
export function hasOption({ texts, callee }: TextGroup, option: CommandOption, hasShims: boolean): boolean {
  // Pacemaker's own programs, called for the sake of comparison.
  if (texts.some((text) => text.startsWith('/usr/sbin/'))) return false
  if (/^(?:spawn|exec)/.test(callee) && !hasShims && option.isTool) return false
  if (texts.length === 1) return linesOf(texts[0] ?? '').some((words) => isOneLine(words, option))
  return option.paths.some((path) => {
    const apart = texts.findIndex((_, at) => path.every((word, offset) => texts[at + offset] === word))
    if (apart >= 0) return texts.slice(apart + path.length).some((text) => option.stands(text))
    const together = texts.findIndex((text) => path.length > 1 && text === path.join(' '))
    return together >= 0 && texts.slice(together + 1).some((text) => option.stands(text))
  })
}

function isOneLine(words: readonly string[], option: CommandOption): boolean {
  return option.paths.some((path) => {
    const at = words.findIndex((_, begin) => path.every((word, offset) => words[begin + offset] === word))
    if (at < 0 || !words.slice(at + path.length).some((word) => option.stands(word))) return false
    return option.isTool || words.slice(0, at).every((word, index, all) => isBefore(word, all[index - 1]))
  })
}

/** What may stand before the words of a command of ours: its name, options of every command, variables. */
const isBefore = (word: string, previous = ''): boolean =>
  /(?:^|\/)(?:systole|pcs)$|^-|^\w+=/.test(word) || previous.startsWith('-')

/** Lines of a shell, each in words. */
const linesOf = (text: string): readonly (readonly string[])[] =>
  text.split(/\n|; ?|&&|\|\|?|\$\(|`/).map((line) => line.split(/[\s'"()]+/).filter((word) => word !== ''))
