/**
 * The grammar of `resource create` and its kin: parameters, then sections opened by `op`, `meta`, `clone`, `promotable`, `group`, `bundle`.
 * Both of pcs's dialects are read: `group web` and `--group web`, `clone` and `--clone`, `promotable` and `--master`.
 */
import { parseDurationMs } from '../../base/index.ts'
import { parseBoolean } from '../../cib/index.ts'
import { Refusal } from '../call/command.ts'
import type { Message } from '../call/message.ts'
import { presentName } from './old-create.ts'
import { parsePairs, type Section, splitSections } from './words.ts'

export interface WrittenOperation {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
}

export interface WrittenClone {
  readonly id?: string
  readonly meta: ReadonlyMap<string, string>
}

export interface WrittenResource {
  readonly parameters: ReadonlyMap<string, string>
  readonly operations: readonly WrittenOperation[]
  readonly meta: ReadonlyMap<string, string>
  readonly clone?: WrittenClone
  readonly promotable?: WrittenClone
  readonly group?: { readonly id: string; readonly before?: string; readonly after?: string }
  readonly bundle?: string
}

/** `promotable promotable=true`. */
export const promotableTwice: Message = {
  own: "'promotable' already makes the clone promotable. Omit the option promotable=.",
  about: { code: 'promotable-twice' },
}

const keywords = ['op', 'meta', 'clone', 'promotable', 'master', 'group', 'bundle'] as const
const cloneKeywords = ['clone', 'promotable', 'master']

/** Which durations an operation may have: those of Pacemaker, or whatever is written. */
export type Durations = 'pacemaker' | 'any'

/** Reads everything after the resource's id and agent. Throws a Refusal with every mistake of the first wrong section. */
export function readResourceWords(
  words: readonly string[],
  flags: ReadonlyMap<string, string | true>,
  durations: Durations = 'pacemaker',
): WrittenResource {
  const sections = withCloneMeta(splitSections(words, keywords))
  const meta = new Map<string, string>()
  const operations: WrittenOperation[] = []
  let parameters: ReadonlyMap<string, string> = new Map()
  let clone: WrittenClone | undefined
  let promotable: WrittenClone | undefined
  let group: WrittenResource['group']
  let bundle: string | undefined
  for (const section of sections) {
    if (section.keyword === '') parameters = parsePairs(section.words, 'parameters')
    else if (section.keyword === 'op') operations.push(...readOperations(section.words, durations))
    else if (section.keyword === 'meta')
      for (const [name, value] of parsePairs(section.words, 'meta-attributes')) meta.set(name, value)
    else if (section.keyword === 'clone') clone = readClone(section.words)
    else if (section.keyword === 'promotable' || section.keyword === 'master') promotable = readClone(section.words)
    else if (section.keyword === 'group') group = readGroup(section.words)
    else bundle = oneName(section.words, 'bundle')
  }
  const flagGroup = flags.get('group')
  if (neighbours(flags).length > 0 && typeof flagGroup !== 'string' && group === undefined)
    throw new Refusal({
      own: '--before and --after require --group.',
      about: { code: 'side-without-group', side: flags.has('before') ? 'before' : 'after' },
    })
  if (neighbours(flags).length > 2)
    throw new Refusal({ own: '--before and --after exclude each other.', about: { code: 'before-and-after' } })
  if (typeof flagGroup === 'string') group = readGroup([flagGroup, ...neighbours(flags)])
  if (flags.has('clone')) clone ??= { meta: new Map() }
  if (flags.has('master')) promotable ??= { meta: new Map() }
  refuseContradiction({ clone, promotable, group, bundle }, flags.has('future'))
  if (promotable?.meta.has('promotable')) throw new Refusal(promotableTwice)
  return {
    parameters,
    operations,
    meta,
    ...(clone ? { clone } : {}),
    ...(promotable ? { promotable } : {}),
    ...(group ? { group } : {}),
    ...(bundle === undefined ? {} : { bundle }),
  }
}

/**
 * `clone meta interleave=true`: a `meta` right after a clone is opened is the clone's, as pcs 0.12 reads it with `--future`. After
 * options of the clone, which are its meta-attributes by themselves, it is the resource's.
 */
function withCloneMeta(sections: readonly Section[]): readonly Section[] {
  const joined: Section[] = []
  for (const section of sections) {
    const before = joined.at(-1)
    const opened = before && cloneKeywords.includes(before.keyword) && !before.words.some((word) => word.includes('='))
    if (section.keyword === 'meta' && opened)
      joined.splice(-1, 1, { keyword: before.keyword, words: [...before.words, 'meta', ...section.words] })
    else joined.push(section)
  }
  return joined
}

function neighbours(flags: ReadonlyMap<string, string | true>): readonly string[] {
  return ['before', 'after'].flatMap((side) => {
    const other = flags.get(side)
    return typeof other === 'string' ? [side, other] : []
  })
}

function refuseContradiction(
  where: Readonly<Record<'clone' | 'promotable' | 'group' | 'bundle', unknown>>,
  inWords: boolean,
): void {
  const named = Object.entries(where).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (named.length > 1)
    throw new Refusal({
      own: `A new resource can be only one of ${named.join(' and ')}. Omit the others.`,
      about: { code: 'one-place-only', inWords },
    })
}

/** What is not one of these stays as it is typed, so that an error shows it so. */
const isLowerWord = (word: string): boolean => parseBoolean(word) !== undefined || onFailWords.includes(word)
const onFailWords = ['ignore', 'block', 'stop', 'restart', 'restart-container', 'standby', 'fence', 'demote']

/** `monitor interval=10s timeout=20s start timeout=60s`: an operation's name, then its options, again and again. */
export function readOperations(
  words: readonly string[],
  durations: Durations = 'pacemaker',
): readonly WrittenOperation[] {
  const operations: WrittenOperation[] = []
  let name: string | undefined
  let options: string[] = []
  const finish = (): void => {
    if (name !== undefined) operations.push({ name, attributes: operationAttributes(name, options, durations) })
    options = []
  }
  for (const word of words) {
    if (word.includes('=')) options.push(word)
    else {
      finish()
      name = word
    }
    if (name === undefined)
      throw new Refusal({
        own: `Expected an operation after 'op', such as 'op monitor interval=10s', not '${word}'.`,
        about: { code: 'no-operation-name', word },
      })
  }
  finish()
  if (operations.length === 0)
    throw new Refusal({
      own: "Expected an operation after 'op', such as 'op monitor interval=10s'.",
      about: { code: 'no-operation-given' },
    })
  return operations
}

function operationAttributes(
  name: string,
  options: readonly string[],
  durations: Durations,
): ReadonlyMap<string, string> {
  const attributes = new Map(parsePairs(options, `options of the operation ${name}`))
  if ((attributes.get('name') ?? name) !== name)
    throw new Refusal({
      own: `The operation is called '${name}' and '${attributes.get('name') ?? ''}'. Omit one of them.`,
      about: { code: 'pair-twice', name: 'name', values: [attributes.get('name') ?? '', name] },
    })
  attributes.delete('name')
  for (const word of ['on-fail', 'enabled', 'record-pending']) {
    const text = attributes.get(word)
    if (text !== undefined && isLowerWord(text.toLowerCase())) attributes.set(word, text.toLowerCase())
  }
  for (const duration of ['interval', 'timeout', 'start-delay']) {
    const text = attributes.get(duration)
    if (text !== undefined && !isDuration(text, durations))
      throw new Refusal({
        own: `'${text}' is not a valid ${duration} for the operation ${name}. Specify a duration such as 10s, 500ms or 2min.`,
        about: { code: 'bad-duration', name: duration, value: text },
      })
  }
  return attributes
}

function isDuration(text: string, durations: Durations): boolean {
  return durations === 'any' || parseDurationMs(text) !== undefined
}

/** `[<clone id>] [meta] <name>=<value>...`. */
export function readClone(words: readonly string[]): WrittenClone {
  const rest = words.filter((word) => word !== 'meta').map(presentName)
  const [first] = rest
  const named = first !== undefined && !first.includes('=')
  const meta = parsePairs(named ? rest.slice(1) : rest, 'clone options')
  return named ? { id: first, meta } : { meta }
}

function readGroup(words: readonly string[]): NonNullable<WrittenResource['group']> {
  const [id, side, neighbour, ...extra] = words
  if (id === undefined) throw new Refusal("Expected the group's name after 'group'.")
  if (side === undefined) return { id }
  if ((side !== 'before' && side !== 'after') || neighbour === undefined || extra.length > 0)
    throw new Refusal(
      `Expected 'before <member>' or 'after <member>' after 'group ${id}', not '${words.slice(1).join(' ')}'.`,
    )
  return side === 'before' ? { id, before: neighbour } : { id, after: neighbour }
}

function oneName(words: readonly string[], what: string): string {
  const [name] = words
  if (name === undefined || words.length > 1)
    throw new Refusal({ own: `Expected exactly one name after '${what}'.`, about: { code: 'one-bundle' } })
  return name
}
