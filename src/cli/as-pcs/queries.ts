/** Queries that pcs 0.12 refuses: words too many, and questions that have no sense for what is asked about. */
import { ancestorsOf, childElements, configurationElement, findResource, type XmlElement } from '../../cib/index.ts'
import { type Call, Refusal } from '../call/command.ts'
import { splitSections } from '../grammar/words.ts'
import { quoted } from '../pcs-words/said.ts'

interface Question {
  /** After the question. */
  readonly fits: (words: readonly string[]) => boolean
  /** What it can be asked about; anything where left out. */
  readonly kinds?: readonly string[]
}

const upTo =
  (most: number) =>
  (words: readonly string[]): boolean =>
    words.length <= most
const primitive = ['primitive']

const questions: Readonly<Record<string, Question>> = {
  exists: { fits: upTo(0) },
  'is-stonith': { fits: upTo(0) },
  'is-type': { fits: fitsType },
  'get-type': { fits: upTo(0) },
  'is-state': { fits: fitsState },
  'is-in-group': { fits: upTo(1), kinds: primitive },
  'is-in-clone': { fits: upTo(1), kinds: ['group', 'primitive'] },
  'is-in-bundle': { fits: upTo(1), kinds: primitive },
  'get-nodes': { fits: upTo(0) },
  'get-members': { fits: upTo(0), kinds: ['bundle', 'clone', 'group'] },
  'get-index-in-group': { fits: upTo(0), kinds: primitive },
}

const types = ['bundle', 'clone', 'group', 'primitive']
const states =
  'active blocked demoting disabled enabled failed failure_ignored locked_to maintenance managed migrating monitoring orphaned pending promoted promoting started starting stopped stopping unmanaged unpromoted'.split(
    ' ',
  )
const quantifiers = ['members', 'instances']
const amounts = ['all', 'any', 'none']
const traits = ['unique', 'promotable']
const canBe: Readonly<Record<string, readonly string[]>> = { clone: traits, bundle: ['unique'] }

/** `clone unique promotable`: a word before the traits, none after one. */
function fitsType(words: readonly string[]): boolean {
  const [type, ...asked] = splitSections(words, traits)
  return type?.words.length === 1 && asked.every((section) => section.words.length === 0)
}

/** `started on-node n1 members all`: one word before the keywords, and one after each. */
function fitsState(words: readonly string[]): boolean {
  const sections = splitSections(words, ['on-node', 'members', 'instances'])
  return sections.every((section) => section.words.length === 1) && sections[0]?.keyword === ''
}

export async function refuseQuery({ words, cluster }: Call): Promise<void> {
  const [id = '', name, ...rest] = words
  const question = name === undefined ? undefined : questions[name]
  if (words.length === 0) throw wrongQuery('')
  if (question === undefined)
    throw wrongQuery(id in questions && words.length === 1 ? ` <resource-id> ${id}` : ' <resource-id> ')
  const twice = name === 'is-type' && traits.find((trait) => rest.filter((word) => word === trait).length > 1)
  if (twice) throw new Refusal(`'${twice}' cannot be used more than once`)
  if (!question.fits(rest)) throw wrongQuery(` <resource-id> ${name}`)
  const [value = ''] = rest
  if (name === 'is-type') refuseType(value, rest.slice(1))
  if (name === 'is-state') {
    if (!states.includes(value.toLowerCase())) throw badValue(value, 'state', states)
    for (const { keyword, words: given } of splitSections(rest, ['on-node', ...quantifiers]))
      if (quantifiers.includes(keyword) && !amounts.includes(given[0] ?? ''))
        throw badValue(given[0] ?? '', keyword, amounts)
  }
  const { cib } = await cluster.readCib()
  const resource = findResource(cib, id)
  if (resource === undefined) return
  const kind = resource.name === 'master' ? 'clone' : resource.name
  if (question.kinds !== undefined && !question.kinds.includes(kind))
    throw new Refusal(
      `Resource '${id}' has unexpected type '${kind}'. This command works only for resources of type ${quoted(question.kinds)}`,
    )
  if (name === 'is-state') refuseQuantifiers(cib, { resource, kind }, rest)
}

function refuseQuantifiers(
  cib: XmlElement,
  { resource, kind }: { readonly resource: XmlElement; readonly kind: string },
  words: readonly string[],
): void {
  const sections = childElements(configurationElement(cib), 'resources')
  const around = ancestorsOf(configurationElement(cib), resource).map(({ name }) => name)
  const isCloned = [kind, ...around].some((name) => name === 'clone' || name === 'master')
  const hasBundles = sections.some((section) => childElements(section, 'bundle').length > 0)
  if (isCloned && hasBundles)
    throw new Refusal('Queries on clone state when bundle resources are present in the cluster are unsupported')
  if (words.includes('members') && kind !== 'group' && kind !== 'clone')
    throw new Refusal("'members' quantifier can be used only on group resources or group instances of cloned groups")
  if (words.includes('instances') && !isCloned && ![kind, ...around].includes('bundle'))
    throw new Refusal(
      "'instances' quantifier can be used only on clone resources and their instances, or on bundle resources and their replicas",
    )
}

function refuseType(type: string, asked: readonly string[]): void {
  if (!types.includes(type)) throw badValue(type, 'resource type', types)
  const wrong = traits.find((trait) => asked.includes(trait) && canBe[type]?.includes(trait) !== true)
  if (wrong !== undefined) throw new Refusal(`type '${type}' cannot be ${wrong}`)
}

const badValue = (value: string, what: string, known: readonly string[]): Refusal =>
  new Refusal(`'${value}' is not a valid ${what} value, use ${quoted(known)}`)

function wrongQuery(after: string): Refusal {
  const heading = `Usage: pcs status query resource${after}...`
  return new Refusal({ own: heading, about: { code: 'said-by-pcs', errors: [], after: ['', heading] } })
}
