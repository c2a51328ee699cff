/** Options as Pacemaker's tools take them: `-N node`, `-Nnode`, `--node node`, `--node=node`, `-1X` for several without a value. */
import { failed, ok, parseDurationMs, type Result } from '../base/index.ts'

export interface OptionSpec {
  /** Its names without dashes; letters are short options. The first one names it in the result. */
  readonly names: readonly string[]
  /** `optional`: the next word is its value if it does not begin with a dash. `inline`: only what stands after `=` is. */
  readonly value: 'none' | 'required' | 'optional' | 'inline'
  /** What the value is, in the help: `NODE`. */
  readonly placeholder?: string
  /** One sentence for the help and the reference. */
  readonly help: string
  /** Its value names a file of the caller (`read`, `written`), so that the command runs in the caller's process. */
  readonly file?: 'read' | 'written'
  /**
   * Accepted and of no effect here, for a reason that the help tells. `holds`: what it asks for is always so. `told`: it asks for something that is
   * not done, which whoever gives it is told.
   */
  readonly ignored?: 'holds' | 'told'
  /**
   * What its value must be. Where Pacemaker takes a number of seconds alone, a duration with a unit is one here, too. `time` and `duration` differ in
   * the words of the refusal: Pacemaker's, or our own.
   */
  readonly checked?: 'integer' | 'time' | 'duration'
}

/** In the order in which they were given: of two commands the later one counts. */
export interface GivenOption {
  readonly name: string
  readonly value?: string
}

/** `flag('quiet,q,Q', 'Print only the value')`. */
export function flag(names: string, help: string): OptionSpec {
  return { names: names.split(','), value: 'none', help }
}

export function valued(names: string, placeholder: string, help: string): OptionSpec {
  return { names: names.split(','), value: 'required', placeholder, help }
}

/** What it asks for is so without it, too: `always('no-curses', 'there are no windows')`. */
export const always = (names: string, why: string): OptionSpec => ({
  ...flag(names, `Always so: ${why}`),
  ignored: 'holds',
})

/** It asks for something that is not done: whoever gives it is told. */
export const notDone = (names: string, why: string): OptionSpec => ({
  ...flag(names, `No effect: ${why}`),
  ignored: 'told',
})

/** The same with a value. */
export const valueNotDone = (names: string, placeholder: string, why: string): OptionSpec => ({
  ...valued(names, placeholder, `No effect: ${why}`),
  ignored: 'told',
})

export function parseOptions(
  specs: readonly OptionSpec[],
  words: readonly string[],
): Result<readonly GivenOption[], string> {
  const given: GivenOption[] = []
  const rest = new Words(words)
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') break
    if (!word.startsWith('-') || word === '-') {
      given.push({ name: '', value: word })
      continue
    }
    const wrong = word.startsWith('--') ? readLong(specs, word, rest, given) : readShort(specs, word, rest, given)
    if (wrong !== undefined) return failed(wrong)
  }
  return ok([...given, ...rest.all().map((value) => ({ name: '', value }))])
}

/** Letters of one word. No command has more options, and each takes some memory. */
const mostLetters = 1000

/** Those that were not read yet. Taking the first one out of a long list takes as long as the list is. */
class Words {
  readonly #words: readonly string[]
  #at = 0

  constructor(words: readonly string[]) {
    this.#words = words
  }

  get first(): string | undefined {
    return this.#words[this.#at]
  }

  shift(): string | undefined {
    return this.#words[this.#at++]
  }

  all(): readonly string[] {
    return this.#words.slice(this.#at)
  }
}

/** The words that belong to no option. */
export function plainWords(given: readonly GivenOption[]): readonly string[] {
  return given.flatMap(({ name, value }) => (name === '' && value !== undefined ? [value] : []))
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

/** An unambiguous beginning of a long name stands for it, as getopt has it; the help is one, whatever part of it is asked for. */
function findLong(specs: readonly OptionSpec[], name: string): OptionSpec | undefined {
  if (name.startsWith('help-')) return find(specs, 'help')
  const exact = find(specs, name)
  if (exact || name.length < 2) return exact
  const begun = specs.filter(({ names }) => names.some((long) => long.length > 1 && long.startsWith(name)))
  return begun.length === 1 ? begun[0] : undefined
}

function readLong(specs: readonly OptionSpec[], word: string, rest: Words, given: GivenOption[]): string | undefined {
  const equals = word.indexOf('=')
  const name = equals === -1 ? word.slice(2) : word.slice(2, equals)
  const spec = findLong(specs, name)
  if (!spec) return `Unknown option ${word}`
  const inline = equals === -1 ? undefined : word.slice(equals + 1)
  return readValue(spec, { written: `--${name}`, inline }, rest, given)
}

function readShort(specs: readonly OptionSpec[], word: string, rest: Words, given: GivenOption[]): string | undefined {
  for (let at = 1; at < word.length; at++) {
    if (at > mostLetters) return `More than ${mostLetters} options in one word`
    const letter = word.charAt(at)
    const spec = find(specs, letter)
    if (!spec) return `Unknown option -${letter}`
    if (spec.value === 'none') {
      given.push({ name: spec.names[0] ?? letter })
      continue
    }
    const inline = at + 1 < word.length ? word.slice(at + 1) : undefined
    return readValue(spec, { written: `-${letter}`, inline }, rest, given)
  }
  return undefined
}

function readValue(
  spec: OptionSpec,
  { written, inline }: { readonly written: string; readonly inline: string | undefined },
  rest: Words,
  given: GivenOption[],
): string | undefined {
  const name = spec.names[0] ?? written
  const next = rest.first
  if (spec.value === 'none') {
    // What follows the sign is passed over, as GLib has it.
    given.push({ name })
    return undefined
  }
  const takesNext =
    inline === undefined &&
    next !== undefined &&
    (spec.value === 'required' || (spec.value === 'optional' && !next.startsWith('-')))
  const value = takesNext ? rest.shift() : inline
  if (value === undefined && spec.value === 'required') return `Missing argument for ${written}`
  if (value !== undefined && spec.checked !== undefined && !isOfKind(spec.checked, value))
    return refusals[spec.checked](written, value)
  given.push(value === undefined ? { name } : { name, value })
  return undefined
}

type Checked = NonNullable<OptionSpec['checked']>

const refusals: Readonly<Record<Checked, (written: string, value: string) => string>> = {
  integer: (written, value) => `Cannot parse integer value “${value}” for ${written}`,
  time: (written) => `Error parsing option ${written}`,
  duration: (written, value) => `The value '${value}' of ${written} is not a time, such as 30 or 2min.`,
}

const isOfKind = (kind: Checked, value: string): boolean =>
  parseDurationMs(value) !== undefined || (kind === 'integer' && /^[+-]?\d+$/.test(value))
