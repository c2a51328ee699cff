/** Values of a bundle that the schema lets through, or refuses in words of its own. */
import { findResource } from '../../cib/index.ts'
import { type Call, Refusal } from '../call/command.ts'
import { type Message, saidByPcs } from '../call/message.ts'
import { parsePairs, splitSections } from '../grammar/words.ts'

interface Rule {
  readonly takes: (value: string) => boolean
  readonly wanted: string
  /** --force takes other values. */
  readonly forced?: boolean
}

const within =
  (from: number, to: number) =>
  (value: string): boolean =>
    /^[+-]?\d+$/.test(value) && Number(value) >= from && Number(value) <= to

const port: Rule = { takes: within(1, 65535), wanted: 'a port number (1..65535)' }
const positive: Rule = { takes: within(1, Number.POSITIVE_INFINITY), wanted: 'a positive integer' }
const rules: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  container: {
    replicas: positive,
    'replicas-per-host': positive,
    'promoted-max': { takes: within(0, Number.POSITIVE_INFINITY), wanted: 'a non-negative integer' },
  },
  network: {
    'control-port': port,
    'host-netmask': { takes: within(1, 32), wanted: 'a number of bits of the mask (1..32)', forced: true },
  },
  'storage-map': {
    'source-dir': { takes: (value) => value !== '', wanted: 'a path' },
    'source-dir-root': { takes: (value) => value !== '', wanted: 'a path' },
    'target-dir': { takes: (value) => value !== '', wanted: 'a path' },
  },
  'port-map': {
    port,
    'internal-port': port,
    range: { takes: isRange, wanted: 'port-port', forced: true },
  },
}

function isRange(value: string): boolean {
  const [from = '', to = '', ...more] = value.split('-')
  return more.length === 0 && port.takes(from) && port.takes(to)
}

const sectionNames = ['container', 'network', 'port-map', 'storage-map', 'meta']
const mapping = (what: string): string =>
  `When using '${what}' you must specify either 'add' and options or either of 'delete' or 'remove' and id(s)`

/** What every bundle needs, in pcs's order. */
export async function refuseBundleCall(call: Call, name: string): Promise<void> {
  const { words, cluster } = call
  const [id = '', ...rest] = words
  const sections = splitSections(rest, sectionNames)
  const own = sections.filter(({ keyword }) => keyword === 'container').flatMap((section) => section.words)
  if (id !== '' && !name.endsWith(' create')) await refuseOtherThanBundle(cluster, id)
  if (name.endsWith(' update')) {
    for (const {
      keyword,
      words: [verb, ...more],
    } of sections)
      if (keyword.endsWith('-map') && !(['add', 'delete', 'remove'].includes(verb ?? '') && more.length > 0))
        throw new Refusal(mapping(keyword))
    return
  }
  if (name.endsWith(' create') && id !== '') {
    const type = own[0]?.includes('=') === false ? own[0] : ''
    if (type !== 'docker' && type !== 'podman')
      throw new Refusal(saidByPcs(`'${type}' is not a valid container type value, use 'docker', 'podman'`))
  }
  if (id !== '' && !own.some((word) => word.startsWith('image=')))
    throw new Refusal(saidByPcs("required container option 'image' is missing"))
  const errors = sections.flatMap(({ keyword, words: given }) => {
    const has = (option: string): boolean => given.some((word) => word.startsWith(`${option}=`))
    return keyword === 'port-map' ? portErrors(has) : keyword === 'storage-map' ? storageErrors(has) : []
  })
  if (errors.length > 0) throw new Refusal(saidByPcs(...errors))
}

async function refuseOtherThanBundle(cluster: Call['cluster'], id: string): Promise<void> {
  const { cib } = await cluster.readCib()
  const kind = findResource(cib, id)?.name
  if (kind === undefined) throw new Refusal(`bundle '${id}' does not exist`)
  if (kind !== 'bundle') throw new Refusal(`'${id}' is not a bundle`)
}

type Has = (option: string) => boolean

const portErrors = (has: Has): readonly string[] => [
  ...(has('internal-port') && !has('port')
    ? ["If port-map option 'internal-port' is specified, port-map option 'port' must be specified as well"]
    : []),
  ...eitherOf(has, 'port-map', ['port', 'range']),
]

const storageErrors = (has: Has): readonly string[] => [
  ...(has('target-dir') ? [] : ["required storage-map option 'target-dir' is missing"]),
  ...eitherOf(has, 'storage-map', ['source-dir', 'source-dir-root']),
]

function eitherOf(has: Has, kind: string, [one, other]: readonly [string, string]): readonly string[] {
  if (has(one) && has(other)) return [`Only one of ${kind} options '${one}' and '${other}' can be used`]
  return has(one) || has(other) ? [] : [`${kind} option '${one}' or '${other}' has to be specified`]
}

export function refuseBundleValues({ words, flags }: Call, name: string): void {
  const mistakes = splitSections(words.slice(1), sectionNames).flatMap((section) =>
    mistakesOf(section, { unsets: name.endsWith(' update'), force: flags.has('force') }),
  )
  if (mistakes.length > 0) throw new Refusal(...mistakes)
}

function mistakesOf(
  { keyword, words }: { readonly keyword: string; readonly words: readonly string[] },
  { unsets, force }: { readonly unsets: boolean; readonly force: boolean },
): readonly (string | Message)[] {
  // The older name may go while the present one gets a value.
  const values = words.filter((word) => word.includes('=') && !(unsets && word === 'masters='))
  const pairs = parsePairs(
    values.map((word) => word.replace(/^masters=/, 'promoted-max=')),
    'options',
  )
  const noImage = keyword === 'container' && pairs.get('image') === ''
  return [
    ...(noImage ? ['image cannot be empty, use image name'] : []),
    ...[...pairs].flatMap(([option, value]): readonly Message[] => {
      const rule = rules[keyword]?.[option]
      const isUnset = unsets && value === '' && !keyword.endsWith('-map')
      if (rule === undefined || isUnset || rule.takes(value) || (rule.forced && force)) return []
      const choices = `${rule.wanted}${rule.forced ? ', use --force to override' : ''}`
      return [
        {
          own: `'${value}' is not a valid value for ${option}: expected ${rule.wanted}.`,
          about: { code: 'bad-choice', name: option, value, choices },
        },
      ]
    }),
  ]
}
