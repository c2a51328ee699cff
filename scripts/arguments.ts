/** What a script is called with. What it cannot use ends it before anything is done: one sentence, and the exit code 2. */
import { type ParseArgsConfig, parseArgs } from 'node:util'

/** The options of this call by their names. */
export function readOptions<const Options extends NonNullable<ParseArgsConfig['options']>>(options: Options) {
  try {
    return parseArgs({ options }).values
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

export function wholeNumber(name: string, text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : refuse(`--${name} is a whole number, not '${text}'.`)
}

/** One of the words that an option takes; undefined where it is not given. */
export function oneOf<Word extends string>(
  name: string,
  text: string | undefined,
  words: readonly Word[],
): Word | undefined {
  if (text === undefined) return undefined
  return words.find((word) => word === text) ?? refuse(`--${name} is one of ${words.join(', ')}, not '${text}'.`)
}

/** Those that an option lists with commas between them. */
export function someOf<Word extends string>(name: string, text: string, words: readonly Word[]): readonly Word[] {
  return text.split(',').flatMap((part) => oneOf(name, part, words) ?? [])
}

export function refuse(sentence: string): never {
  console.error(sentence)
  process.exit(2)
}
