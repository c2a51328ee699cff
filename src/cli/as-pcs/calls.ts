/** Calls that the cluster would understand and pcs refuses: words too few, too many or twice, and names of what is not there. */
import {
  childElements,
  configurationElement,
  findResource,
  readConfiguration,
  type XmlElement,
} from '../../cib/index.ts'
import { type Call, Refusal } from '../command.ts'
import { quoted } from '../pcs-words/sentences.ts'
import { parsePairs, splitSections, wrongCall } from '../words.ts'

type Check = (call: Call) => void | Promise<void>

const checks: Readonly<Record<string, Check>> = {
  'resource delete': refuseTwice,
  'constraint delete': (call) => (/^constraint (delete|remove)$/.test(call.typedName) ? refuseTwice(call) : undefined),
  'status query resource': refuseMembersOfOne,
  'alert config': ({ words }) => refuseUnless(words.length === 0),
  'acl role create': ({ words }) => refuseUnless(words[1] !== 'description='),
  'constraint location add': ({ words }) => refuseUnless(words.length >= 4),
  'stonith level remove': ({ words }) =>
    refuseUnless(words.length > 0 && [undefined, 'target', 'stonith'].includes(words[1])),
  'stonith level clear': ({ words }) => refuseUnless([undefined, 'target', 'stonith'].includes(words[0])),
  'tag update': refuseTagChange,
  'resource defaults': (call) => refuseManySets(call, 'rsc_defaults'),
  'resource op defaults': (call) => refuseManySets(call, 'op_defaults'),
  'resource clear': refuseClear,
  'resource ban': refusePromoted,
  'resource move-with-constraint': refusePromoted,
  'resource failcount': ({ words }) => refuseUnless(['show', 'reset', undefined].includes(words[0])),
  'resource bundle create': refuseEmptySections,
  'resource bundle update': refuseEmptySections,
  'resource bundle reset': refuseEmptySections,
}

export async function refuseCall(call: Call, name: string): Promise<void> {
  await checks[name]?.(call)
}

function refuseUnless(isRight: boolean): void {
  if (!isRight) throw new Refusal(wrongCall('The words are not those of this command.'))
}

const listed = (names: readonly string[]): string => quoted([...new Set(names)])

function refuseTwice({ words }: Call): void {
  const twice = words.filter((word, index) => words.indexOf(word) !== index)
  if (twice.length > 0) throw new Refusal(`duplicate argument${new Set(twice).size > 1 ? 's' : ''}: ${listed(twice)}`)
}

/** What holds nothing has no members; an empty list would say that it could have some. */
async function refuseMembersOfOne({ words, cluster }: Call): Promise<void> {
  const [id = '', question] = words
  if (question !== 'get-members') return
  const { cib } = await cluster.readCib()
  if (findResource(cib, id)?.name === 'primitive')
    throw new Refusal(
      `Resource '${id}' has unexpected type 'primitive'. This command works only for resources of type 'bundle', 'clone', 'group'`,
    )
}

const saidTogether = (errors: readonly string[]): Refusal =>
  new Refusal({ own: errors.join(' '), about: { code: 'said-by-pcs', errors, closes: true } })

async function refuseTagChange({ words, flags, cluster }: Call): Promise<void> {
  const [id, ...rest] = words
  const sections = splitSections(rest, ['add', 'remove'])
  const twice = ['add', 'remove'].find((verb) => sections.filter(({ keyword }) => keyword === verb).length > 1)
  if (twice !== undefined) throw new Refusal(`'${twice}' cannot be used more than once`)
  const named = (verb: string): readonly string[] =>
    sections.filter(({ keyword }) => keyword === verb).flatMap((section) => section.words)
  const [add, remove] = [named('add'), named('remove')]
  if (id !== undefined && sections[0]?.words.length === 0 && add.length + remove.length === 0)
    throw new Refusal({
      ...wrongCall('Specify what to add or remove.'),
      about: { code: 'wrong-call', hint: "Specify at least one id for 'add' or 'remove' arguments." },
    })
  const tag = readConfiguration((await cluster.readCib()).cib).tags.find((one) => one.id === id)
  if (tag === undefined) return
  const both = add.filter((member) => remove.includes(member))
  const stays = flags.has('before') || flags.has('after') ? [] : add.filter((member) => tag.members.includes(member))
  const errors = [
    ...(both.length > 0 ? [`Ids cannot be added and removed at the same time: ${listed(both)}`] : []),
    ...(stays.length > 0
      ? [`Cannot add reference id${stays.length > 1 ? 's' : ''} already in the tag '${tag.id}': ${listed(stays)}`]
      : []),
  ]
  if (errors.length > 0) throw saidTogether(errors)
}

/** Which of several sets is meant is not guessed. */
async function refuseManySets(call: Call, section: string): Promise<void> {
  if (call.words.length === 0) return
  const { cib } = await call.cluster.readCib()
  const sets = childElements(configurationElement(cib), section).flatMap((found) =>
    childElements(found, 'meta_attributes'),
  )
  const path = call.command.path.join(' ')
  if (sets.length > 1)
    throw saidTogether([
      `Several options sets exist, please use the 'pcs ${path} set update' command and specify an option set ID`,
    ])
}

async function refuseClear(call: Call): Promise<void> {
  await refusePromoted(call)
  const [resource = '', node] = call.words
  const { cib } = await call.cluster.readCib()
  const isKnown = readConfiguration(cib).nodes.some(({ name }) => name === node)
  if (node !== undefined && !isKnown && !node.includes('=') && findResource(cib, resource) !== undefined)
    throw new Refusal({
      own: `There is no node '${node}'.`,
      about: {
        code: 'said-by-pcs',
        errors: [
          `cannot clear resource '${resource}'\ncrm_resource: Node '${node}' not found\nError performing operation: No such object`,
        ],
      },
    })
}

async function refusePromoted({ words, flags, cluster }: Call): Promise<void> {
  const { cib } = await cluster.readCib()
  const resource = findResource(cib, words[0] ?? '')
  if (flags.has('promoted') && resource !== undefined && !isPromotableClone(resource))
    throw saidTogether(['when specifying --promoted you must use the promotable clone id'])
}

function isPromotableClone(resource: XmlElement): boolean {
  if (resource.name === 'bundle' || resource.name === 'master') return true
  const pairs = childElements(resource, 'meta_attributes').flatMap((set) => childElements(set, 'nvpair'))
  return (
    resource.name === 'clone' &&
    pairs.some(({ attributes }) => attributes.name === 'promotable' && attributes.value === 'true')
  )
}

const bundleSections = ['container', 'network', 'port-map', 'storage-map', 'meta']

function refuseEmptySections({ words }: Call): void {
  for (const { keyword, words: own } of splitSections(words.slice(1), bundleSections)) {
    if (keyword !== '' && own.length === 0) throw new Refusal(`No ${keyword} options specified`)
    const values = parsePairs(
      own.filter((word) => word.includes('=')),
      `${keyword} options`,
    )
    if (keyword === 'container' && values.has('masters'))
      throw new Refusal({
        own: "'masters' is called promoted-max.",
        about: {
          code: 'unknown-option',
          name: 'masters',
          where: 'container option',
          similar: [],
          known: containerOptions,
        },
      })
  }
}

const containerOptions = ['image', 'network', 'options', 'promoted-max', 'replicas', 'replicas-per-host', 'run-command']
