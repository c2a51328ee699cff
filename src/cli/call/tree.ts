/** Finds the command that a line means, and what could come next. */
import { didYouMean, similarWords } from '../../base/index.ts'
import { type Command, Refusal } from './command.ts'

export interface Found {
  readonly command: Command
  /** The name that was typed, and the words after it. */
  readonly name: readonly string[]
  readonly rest: readonly string[]
}

function names(command: Command): readonly (readonly string[])[] {
  return [command.path, ...(command.aliases ?? [])]
}

function startsWith(words: readonly string[], start: readonly string[]): boolean {
  return start.every((word, index) => words[index] === word)
}

/** The command with the longest name that the words start with. A bare name counts where nothing but flags follows. */
export function findCommand(commands: readonly Command[], typed: readonly string[]): Found | undefined {
  const words = endAfterName(commands, typed)
  let found: Found | undefined
  let length = 0
  const consider = (command: Command, name: readonly string[]): void => {
    if (name.length <= length || !startsWith(words, name)) return
    found = { command, name, rest: words.slice(name.length) }
    length = name.length
  }
  for (const command of commands)
    for (const name of command.bare ?? [])
      if (startsWith(words, name) && followedByFlags(words, name))
        return { command, name, rest: words.slice(name.length) }
  for (const command of commands) for (const name of names(command)) consider(command, name)
  return found
}

/** As getopt reads it, `--` may stand within the name: `resource op defaults -- set create …`. */
function endAfterName(commands: readonly Command[], line: readonly string[]): readonly string[] {
  const end = line.indexOf('--')
  if (end < 1) return line
  // Flags from before the name stand behind the part of it that comes first.
  const flag = line.findIndex((word) => word.startsWith('-'))
  const joined = [...line.slice(0, flag), ...line.slice(end + 1)]
  const found = findCommand(commands, joined)
  const length = joined.length - (found?.rest.length ?? joined.length)
  return length > flag ? [...joined.slice(0, length), ...line.slice(flag, end), '--', ...joined.slice(length)] : line
}

/** `--help` asks for what there is below the name, so that a bare name does not take it. */
function followedByFlags(words: readonly string[], name: readonly string[]): boolean {
  const next = words[name.length]
  return next === undefined || (next.startsWith('-') && next !== '--help' && next !== '-h' && next !== '--')
}

/** The commands below some words: all of them below none. */
export function commandsBelow(commands: readonly Command[], words: readonly string[]): readonly Command[] {
  return commands.filter((command) => command.refuses === undefined && startsWith(command.path, words))
}

/** The words that may come next after some words of a command's name. */
export function nextWords(commands: readonly Command[], words: readonly string[]): readonly string[] {
  const next = commandsBelow(commands, words).flatMap((command) => command.path.slice(words.length, words.length + 1))
  return [...new Set(next)].sort()
}

/** Says how far the words made sense, and what was probably meant. */
export function unknownCommand(commands: readonly Command[], words: readonly string[]): Refusal {
  let known = 0
  while (known < words.length && commandsBelow(commands, words.slice(0, known + 1)).length > 0) known++
  const before = ['systole', ...words.slice(0, known)].join(' ')
  const wrong = words[known]
  const possible = nextWords(commands, words.slice(0, known))
  const about = { code: 'unknown-command', known: words.slice(0, known), isArea: wrong === undefined } as const
  if (wrong === undefined)
    return new Refusal({ own: `'${before}' is incomplete. Continue with one of ${possible.join(', ')}.`, about })
  const similar = similarWords(wrong, [...possible, ...otherNextWords(commands, words.slice(0, known))])
  const elsewhere = known === 0 ? undefined : findCommand(commands, words.slice(known))?.command
  const meant =
    similar.length > 0
      ? didYouMean(similar)
      : elsewhere !== undefined && elsewhere.refuses === undefined
        ? didYouMean([`systole ${elsewhere.path.join(' ')}`])
        : ` The commands are: ${possible.join(', ')}.`
  return new Refusal({ own: `'${before}' has no command '${wrong}'.${meant}`, about })
}

/** The same as `nextWords` of the other names that commands are known by, which no list shows. */
function otherNextWords(commands: readonly Command[], words: readonly string[]): readonly string[] {
  return commands
    .filter(({ refuses }) => refuses === undefined)
    .flatMap(({ aliases = [] }) => aliases)
    .flatMap((alias) => (startsWith(alias, words) ? alias.slice(words.length, words.length + 1) : []))
}
