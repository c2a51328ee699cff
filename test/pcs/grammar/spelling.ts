/**
 * The same line as people type it: pcs takes a long option by as many letters as tell it from others (`--forc`), and wherever it stands, also
 * before the command.
 */
import type { Draw } from '../draw.ts'

/** Their value may be the next word. */
const withValue: ReadonlySet<string> = new Set([
  '--after',
  '--before',
  '--from',
  '--group',
  '--name',
  '--node',
  '--output-format',
  '--request-timeout',
  '--to',
])

const isLong = (word: string): boolean => /^--\w/.test(word)

/** Now and then one option is shortened, or goes to the front; of a line without any, now and then one is there. */
export function asTyped(line: readonly string[], draw: Draw): readonly string[] {
  const end = line.indexOf('--')
  const options = line.flatMap((word, index) => (isLong(word) && (end < 0 || index < end) ? [index] : []))
  if (options.length === 0)
    return draw.chance(6) ? [draw.one('--force', '--forc', '--full', '--wait', '--wai=1', '--all'), ...line] : line
  const at = Number(draw.one(...options.map(String)))
  const short = draw.chance(15) ? shortened(line, at, draw) : line
  return draw.chance(20) ? inFront(short, at) : short
}

function shortened(line: readonly string[], at: number, draw: Draw): readonly string[] {
  const [name = '', ...value] = (line[at] ?? '').split('=')
  const cut = Number(draw.one('1', '1', '2', '3', '5'))
  const short = name.slice(0, Math.max(4, name.length - cut))
  return line.map((word, index) => (index === at ? [short, ...value].join('=') : word))
}

function inFront(line: readonly string[], at: number): readonly string[] {
  const word = line[at] ?? ''
  const takesNext = !word.includes('=') && [...withValue].some((name) => name.startsWith(word))
  const moved = line.slice(at, at + (takesNext ? 2 : 1))
  return [...moved, ...line.slice(0, at), ...line.slice(at + moved.length)]
}

/** What the line is about, for whoever looks at its command: the options in front go behind. */
export function fromCommand(line: readonly string[]): readonly string[] {
  let front = 0
  while (isLong(line[front] ?? '')) {
    const word = line[front] ?? ''
    front += !word.includes('=') && [...withValue].some((name) => name.startsWith(word)) ? 2 : 1
  }
  return front === 0 ? line : [...line.slice(front), ...line.slice(0, front)]
}
