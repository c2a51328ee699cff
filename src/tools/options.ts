/** Options as Pacemaker's tools take them: `-N node`, `-Nnode`, `--node node`, `--node=node`, `-1X` for several without a value. */
import { failed, ok, type Result } from '../base/index.ts'

export interface OptionSpec {
  /** Its names without dashes; letters are short options. The first one names it in the result. */
  readonly names: readonly string[]
  /** `optional`: the next word is its value if it does not begin with a dash. */
  readonly value: 'none' | 'required' | 'optional'
}

/** In the order in which they were given: of two commands the later one counts. */
export interface GivenOption {
  readonly name: string
  readonly value?: string
}

export function parseOptions(
  specs: readonly OptionSpec[],
  words: readonly string[],
): Result<readonly GivenOption[], string> {
  const given: GivenOption[] = []
  const rest = [...words]
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith('-') || word === '-') continue
    const wrong = word.startsWith('--') ? readLong(specs, word, rest, given) : readShort(specs, word, rest, given)
    if (wrong !== undefined) return failed(wrong)
  }
  return ok(given)
}

export function optionValue(given: readonly GivenOption[], name: string): string | undefined {
  return given.findLast((option) => option.name === name)?.value
}

export function hasOption(given: readonly GivenOption[], name: string): boolean {
  return given.some((option) => option.name === name)
}

/** The last of these that was given. */
export function lastOf(given: readonly GivenOption[], names: readonly string[]): GivenOption | undefined {
  return given.findLast(({ name }) => names.includes(name))
}

function find(specs: readonly OptionSpec[], name: string): OptionSpec | undefined {
  return specs.find(({ names }) => names.includes(name))
}

function readLong(
  specs: readonly OptionSpec[],
  word: string,
  rest: string[],
  given: GivenOption[],
): string | undefined {
  const equals = word.indexOf('=')
  const name = equals === -1 ? word.slice(2) : word.slice(2, equals)
  const spec = find(specs, name)
  if (!spec) return `Unknown option --${name}`
  const inline = equals === -1 ? undefined : word.slice(equals + 1)
  return readValue(spec, `--${name}`, inline, rest, given)
}

function readShort(
  specs: readonly OptionSpec[],
  word: string,
  rest: string[],
  given: GivenOption[],
): string | undefined {
  for (let at = 1; at < word.length; at++) {
    const letter = word.charAt(at)
    const spec = find(specs, letter)
    if (!spec) return `Unknown option -${letter}`
    if (spec.value === 'none') {
      given.push({ name: spec.names[0] ?? letter })
      continue
    }
    const inline = at + 1 < word.length ? word.slice(at + 1) : undefined
    return readValue(spec, `-${letter}`, inline, rest, given)
  }
  return undefined
}

function readValue(
  spec: OptionSpec,
  written: string,
  inline: string | undefined,
  rest: string[],
  given: GivenOption[],
): string | undefined {
  const name = spec.names[0] ?? written
  const next = rest[0]
  if (spec.value === 'none') {
    given.push({ name })
    return inline === undefined ? undefined : `Option ${written} takes no value`
  }
  const takesNext = inline === undefined && next !== undefined && (spec.value === 'required' || !next.startsWith('-'))
  const value = takesNext ? rest.shift() : inline
  if (value === undefined && spec.value === 'required') return `Missing argument for ${written}`
  given.push(value === undefined ? { name } : { name, value })
  return undefined
}
