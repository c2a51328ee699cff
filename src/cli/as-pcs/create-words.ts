/**
 * How pcs 0.12 reads what follows the agent in `resource create`: without --future a `meta` or `op` after `clone` is the resource's own, and it
 * says so; with it the clone has `meta` alone. Gives back the words in an order that our grammar reads in the same way.
 */
import { type Call, Refusal } from '../call/command.ts'
import { type Section, splitSections } from '../grammar/words.ts'

const outer = ['clone', 'promotable', 'bundle']

export function wordsOfCreate(call: Call, words: readonly string[]): readonly string[] {
  if (call.command.path[0] === 'stonith') return refuseWords(words, [...outer, 'group', 'master'])
  return call.flags.has('future') ? ofFuture(words) : ofToday(call, words)
}

/** Where pcs has no such keyword, it is a parameter without a value. */
function refuseWords(words: readonly string[], keywords: readonly string[]): readonly string[] {
  const [parameters] = splitSections(words, ['op', 'meta', ...outer])
  const start = (parameters?.words ?? []).find((word) => keywords.includes(word))
  const word = start ?? words.find((one) => outer.includes(one) && keywords.includes(one))
  if (word === undefined) return words
  throw new Refusal({ own: `'${word}' is not of the form name=value.`, about: { code: 'no-pair', word } })
}

function ofToday(call: Call, words: readonly string[]): readonly string[] {
  const [own, ...around] = splitSections(refuseWords(words, ['group']), outer)
  const kept: string[] = [...(own?.words ?? [])]
  const rest: string[] = []
  for (const section of around) {
    const [first, ...inner] = splitSections(section.words, ['op', 'meta'])
    const options = optionsOf(first)
    if (options.length > 0 && section.keyword !== 'bundle')
      deprecated(
        call,
        `Configuring ${section.keyword} meta attributes without specifying the 'meta' keyword after the '${section.keyword}' keyword is deprecated and will be removed in a future release.`,
      )
    for (const keyword of ['op', 'meta'] as const)
      if (inner.some((one) => one.keyword === keyword)) deprecated(call, adviceOf(keyword, section.keyword))
    kept.push(...inner.flatMap((one) => [one.keyword, ...one.words]))
    rest.push(section.keyword, ...(first?.words ?? []))
  }
  return [...kept, ...rest]
}

function adviceOf(keyword: 'op' | 'meta', around: string): string {
  const what = keyword === 'op' ? 'operations' : 'meta options'
  if (keyword === 'meta' && around !== 'bundle')
    return `Specifying 'meta' after '${around}' now defines meta attributes for the base resource. In a future release, this will define meta attributes for the ${around}.`
  return `Specifying '${keyword}' after '${around}' now defines ${what} for the base resource. In a future release, this will be removed and ${what} will have to be specified before '${around}'.`
}

function deprecated(call: Call, text: string): void {
  call.tell({ code: 'deprecated', text: `${text} Specify --future to switch to the future behavior.` })
}

/** Without the clone's id. */
function optionsOf(section: Section | undefined): readonly string[] {
  const words = section?.words ?? []
  return words[0]?.includes('=') === false ? words.slice(1) : words
}

function ofFuture(words: readonly string[]): readonly string[] {
  const [, ...around] = splitSections(words, [...outer, 'group'])
  for (const { keyword, words: all } of around) {
    const [first, ...inner] = splitSections(all, ['op', 'meta'])
    const has = (name: string): boolean => inner.some((one) => one.keyword === name)
    const isClone = keyword === 'clone' || keyword === 'promotable'
    if (isClone && optionsOf(first).length > 0)
      throw new Refusal(
        `Specifying instance attributes for a ${keyword} is not supported. Use 'meta' after '${keyword}' if you want to specify meta attributes.`,
      )
    if (!isClone && has('meta'))
      throw new Refusal(`meta options must be defined on the base resource, not the ${keyword}`)
    if (has('op')) throw new Refusal(`op settings must be defined on the base resource, not the ${keyword}`)
    if (keyword === 'group') refuseGroup(all)
  }
  return words
}

function refuseGroup(words: readonly string[]): void {
  const [id, ...beside] = splitSections(words, ['before', 'after'])
  if (id?.words.length !== 1) throw new Refusal("You have to specify exactly one group after 'group'")
  for (const { keyword, words: names } of beside)
    if (names.length !== 1) throw new Refusal(`You have to specify exactly one resource after '${keyword}'`)
  if (new Set(beside.map(({ keyword }) => keyword)).size > 1)
    throw new Refusal("you cannot specify both 'before' and 'after'")
}

/** `resource clone R id a=b`: what stands before `meta`. */
export function adviseClone(call: Call, words: readonly string[]): void {
  const [first] = splitSections(words, ['op', 'meta'])
  if (optionsOf(first).length > 0)
    call.tell({
      code: 'deprecated',
      text: "configuring meta attributes without specifying the 'meta' keyword is deprecated and will be removed in a future release",
    })
}
