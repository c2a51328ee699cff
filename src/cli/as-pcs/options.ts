/**
 * Called as pcs, a line with options that its command does not take, or that do not go together, is refused in pcs's words: ours takes some of
 * them, and who writes for pcs reckons with the answer.
 */
import { Refusal } from '../call/command.ts'
import type { Dialect } from '../call/speech.ts'
import { optionsOf, takesNext } from '../pcs-words/command-options.ts'
import { isLongOption } from '../pcs-words/long-options.ts'
import { inOlderOptions, isOfLater, optionsBefore } from '../pcs-words/options-of-0.11.ts'

type Given = ReadonlyMap<string, string | undefined>

export interface Known {
  readonly dialect: Dialect
  /** An option that our command has besides those of pcs. */
  readonly own: (name: string) => boolean
}

/** Options of which a command takes only one, or the first not together with the others. */
const apart: readonly {
  readonly at: RegExp
  readonly first?: string
  readonly others: readonly string[]
  readonly since?: Dialect
}[] = [
  { at: /^(resource|stonith)( op)? defaults( config)?$/, others: ['--all', '--no-expire-check'], since: '0.12' },
  { at: /^property( config)?$/, others: ['--all', '--defaults', '--output-format'] },
  { at: /^resource disable$/, others: ['-f', '--simulate', '--wait'] },
  { at: /^resource disable$/, first: '--simulate', others: ['-f', '--safe', '--wait'] },
  { at: /^resource disable$/, first: '--safe', others: ['-f', '--simulate'] },
  { at: /^resource disable$/, first: '--no-strict', others: ['-f'] },
  { at: /^resource safe-disable$/, first: '--force', others: ['--no-strict', '--simulate'] },
]

/** The words of the command as typed, and all that follows them. */
export function refuseOptions(typed: string, rest: readonly string[], { dialect, own }: Known): void {
  const { given, plain } = readLine(rest, { dialect, own })
  const command = commandOf(typed, plain)
  if (typed.startsWith('constraint rule') && dialect === '0.12')
    throw new Refusal("This command has been removed. See 'man pcs' -> Changes in pcs-0.12.")
  const now = optionsOf.get(command) ?? (dialect === '0.11' ? optionsBefore(command) : undefined)
  if (now === undefined) return
  refuseUnsupported(
    { command, dialect },
    given,
    dialect === '0.11' ? inOlderOptions(command, now, plain.length > 0) : now,
  )
  if (/^property( config)?$/.test(command) && plain.length > 0) refuseFilter(given, dialect)
  for (const { at, first, others, since = dialect } of apart)
    if (at.test(command) && since === dialect) keepApart(given, first, others)
  refuseFullBeside(command, given)
  if (/^resource (safe-)?disable$/.test(command) && given.has('--brief') && !isTried(command, given))
    throw new Refusal(`'--brief' cannot be used without '--simulate' or '--safe'`)
  if (command === 'constraint location config' && plain.length > 0 && !isText(given.get('--output-format')))
    throw new Refusal(
      "Output formats other than 'text' are not supported together with grouping and filtering by nodes or resources",
    )
}

const isTried = (command: string, given: Given): boolean =>
  command.includes('safe-') || given.has('--simulate') || given.has('--safe')
const isText = (format: string | undefined): boolean => format === undefined || format === 'text'

/** What is found before anything else, also before help and what a command says first: an option that nobody knows, or that lacks its value. */
export function refuseUnreadable(line: readonly string[], known: Known): void {
  readLine(line, known)
}

/** The options with their values, and the words beside them. */
function readLine(
  rest: readonly string[],
  { dialect, own }: Known,
): { readonly given: Given; readonly plain: readonly string[] } {
  const given = new Map<string, string | undefined>()
  const plain: string[] = []
  const twice: string[] = []
  for (let index = 0; index < rest.length; index++) {
    const word = rest[index] ?? ''
    if (word === '--') {
      plain.push(...rest.slice(index + 1))
      break
    }
    if (!/^--?[a-z]/i.test(word)) plain.push(word)
    if (/^-[a-z]$/i.test(word) && !/^-[fhup]$/.test(word) && !own(word.slice(1))) throw unknownOption(word)
    const [, name, , value] = /^--?([a-zA-Z][\w-]*)(=(.*))?$/s.exec(word) ?? []
    if (name === undefined) continue
    if (word.startsWith('--') && !isLongOption(name, dialect) && (!own(name) || isOfLater(name, dialect)))
      throw unknownOption(`--${name}`)
    if (!isLongOption(name, dialect) && !/^[fup]$/.test(name)) continue
    const option = name.length === 1 ? `-${name}` : `--${name}`
    if (given.has(option)) twice.push(option)
    const needsNext = takesNext(word)
    if (needsNext && index + 1 === rest.length)
      throw new Refusal({ own: `${option} needs a value.`, about: { code: 'flag-needs-value', flag: name } })
    given.set(option, needsNext ? rest[index + 1] : value)
    if (needsNext) index++
  }
  if (twice[0] !== undefined) throw new Refusal(`${twice[0]} can only be used once`)
  return { given, plain }
}

const unknownOption = (flag: string): Refusal =>
  new Refusal({ own: `There is no option ${flag}.`, about: { code: 'unknown-flag', flag } })

/** `constraint location` and `constraint order` list without a word, and make one with words; the id of a query stands in its name. */
function commandOf(typed: string, words: readonly string[]): string {
  if (typed === 'status query resource') return `${typed} ${words[1] ?? ''}`
  if (words.length === 0 && /^constraint (location|order)$/.test(typed)) return `${typed} config`
  return typed
}

function refuseUnsupported(
  { command, dialect }: { readonly command: string; readonly dialect: Dialect },
  given: Given,
  known: ReadonlySet<string>,
): void {
  const unknown = [...given.keys()].filter((name) => name !== '--debug' && !known.has(name.replace(/^--?/, ''))).sort()
  if (unknown.length === 0) return
  const list = unknown.map((name) => `'${name}'`).join(', ')
  const [plural, are] = unknown.length === 1 ? ['', 'is'] : ['s', 'are']
  const own = `Specified option${plural} ${list} ${are} not supported in this command`
  const since = changed(command, given, dialect)
  const after =
    since === undefined
      ? []
      : [`Hint: Syntax has changed from previous version. See 'man pcs' -> Changes in pcs-${since}.`]
  throw new Refusal({ own, about: { code: 'said-by-pcs', errors: [own], after } })
}

/** Since which version these are written otherwise. */
function changed(command: string, given: Given, dialect: Dialect): string | undefined {
  if (dialect === '0.12' && /^(resource move|stonith create|stonith disable)$/.test(command)) return '0.12'
  return /^(resource|stonith) refresh$/.test(command) && given.has('--full') ? '0.11' : undefined
}

function keepApart(given: Given, first: string | undefined, others: readonly string[]): void {
  const together = others.filter((name) => given.has(name)).sort()
  const list = together.map((name) => `'${name}'`).join(', ')
  if (first === undefined && together.length > 1) throw new Refusal(`Only one of ${list} can be used`)
  if (first !== undefined && given.has(first) && together.length > 0)
    throw new Refusal(`'${first}' cannot be used with ${list}`)
}

function refuseFilter(given: Given, dialect: Dialect): void {
  if (dialect === '0.11' && (given.has('--all') || given.has('--defaults')))
    throw new Refusal('you cannot specify a property when using --all or --defaults')
  if (['--all', '--defaults', '--output-format'].some((name) => given.has(name)))
    throw new Refusal("cannot specify properties when using '--all', '--defaults', '--output-format'")
}

/** Ids are in every form but the text. */
function refuseFullBeside(command: string, given: Given): void {
  const format = given.get('--output-format')
  if (!given.has('--full') || isText(format)) return
  if (/ defaults( config)?$/.test(command) && (format === 'cmd' || format === 'json'))
    throw new Refusal(`option '--full' is not compatible with '${format}' output format.`)
  if (command.startsWith('constraint') && format === 'json')
    throw new Refusal("Option '--full' is not compatible with 'json' output format.")
}
