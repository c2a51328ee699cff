/** Calls that the cluster would understand and pcs refuses: words too few, too many or twice, and names of what is not there. */
import {
  childElements,
  configurationElement,
  elementWithId,
  findResource,
  readConfiguration,
  type XmlElement,
} from '../../cib/index.ts'
import { type Call, Refusal } from '../call/command.ts'
import { type Message, saidByPcs } from '../call/message.ts'
import { parsePairs, splitSections, wrongCall } from '../grammar/words.ts'
import { quoted } from '../pcs-words/said.ts'
import { refuseGroupAdd } from './group-add.ts'
import { refuseQuery } from './queries.ts'

type Check = (call: Call) => void | Promise<void>

const checks: Readonly<Record<string, Check>> = {
  'resource delete': async (call) => {
    // Since 0.12 several go at once, and tags are changed.
    if (call.speech.dialect === '0.11') refuseUnless(call.words.length === 1)
    refuseTwice(call)
    if (call.speech.dialect === '0.11') await refuseTagged(call)
  },
  'property unset': (call) => {
    if (!call.flags.has('force')) refuseTwice(call)
  },
  'constraint delete': (call) =>
    /^constraint (delete|remove)$/.test(call.typedName) ? refuseTwice(call) : refuseOtherKinds(call),
  status: refuseStatusOfFile,
  'status query resource': refuseQuery,
  'alert config': ({ words }) => refuseUnless(words.length === 0),
  'acl config': ({ words }) => refuseUnless(words.length === 0),
  'acl role create': ({ words }) => refuseUnless(words[1] !== 'description='),
  'acl role assign': ({ words }) => refuseUnless(isAssignment(words, 'to')),
  'acl role unassign': ({ words }) => refuseUnless(isAssignment(words, 'from')),
  'alert recipient add': ({ words }) => refuseUnless(words.length !== 1),
  // Until 0.11 a word without a keyword is a target or a list of devices.
  'stonith level remove': ({ words, speech: { dialect } }) =>
    refuseUnless(words.length > 0 && (dialect === '0.11' || [undefined, 'target', 'stonith'].includes(words[1]))),
  'stonith level clear': ({ words, speech: { dialect } }) =>
    refuseUnless((dialect === '0.11' && words.length === 1) || [undefined, 'target', 'stonith'].includes(words[0])),
  'tag update': refuseTagChange,
  'resource defaults': (call) => refuseManySets(call, 'rsc_defaults'),
  'resource op defaults': (call) => refuseManySets(call, 'op_defaults'),
  'resource clear': refuseClear,
  'resource ban': refusePromoted,
  'resource move-with-constraint': refusePromoted,
  'resource failcount': ({ words, typedName }) => {
    refuseUnless(/show$/.test(typedName) || words.length === 0)
    refuseStray(words.slice(1))
  },
  'tag create': refuseTagMembers,
  'resource group add': refuseGroupAdd,
  'alert delete': refuseNamedTwice('alert'),
  'alert recipient delete': refuseNamedTwice('recipient'),
  'constraint colocation delete': (call) => refuseUnless(call.words.length === 2 || /colocation$/.test(call.typedName)),
  'constraint location config': ({ words: [first] }) => {
    if (first !== undefined && first !== 'nodes' && first !== 'resources')
      throw new Refusal(`Unknown keyword '${first}'. Allowed keywords: 'nodes', 'resources'`)
  },
  'constraint location': ({ words: [resource] }) => refuseSubject(resource, ['regexp', 'resource']),
  'constraint location add': ({ words }) => {
    refuseUnless(words.length >= 4)
    refuseSubject(words[1], ['regexp', 'resource'])
    // A score stands before the options.
    refuseStray(words.slice(4))
  },
  'stonith level add': ({ words }) => refuseSubject(words[1], ['attrib', 'node', 'regexp']),
  'stonith create': ({ words: [, agent = ''] }) => {
    if (agent.includes(':'))
      throw saidTogether([
        `Invalid stonith agent name '${agent}'. Agent name cannot contain the ':' character, do not use the 'stonith:' prefix. List of agents can be obtained by using command 'pcs stonith list'.`,
      ])
  },
  'resource defaults set create': refuseSectionsTwice,
  'resource op defaults set create': refuseSectionsTwice,
  'resource defaults set update': ({ words }) => refuseUnless(words.length < 2 || words[1] === 'meta'),
  'resource op defaults set update': ({ words }) => refuseUnless(words.length < 2 || words[1] === 'meta'),
  'resource bundle create': refuseEmptySections,
  'resource bundle update': refuseEmptySections,
  'resource bundle reset': refuseEmptySections,
}

export async function refuseCall(call: Call, name: string): Promise<void> {
  await checks[name]?.(call)
}

/** Half of what the status shows is in corosync.conf. */
function refuseStatusOfFile({ cluster, flags }: Call): void {
  if (cluster.live === undefined && !flags.has('corosync_conf'))
    throw new Refusal("When '-f' is specified, '--corosync_conf' must be specified as well")
}

async function refuseTagged({ words: [id = ''], cluster }: Call): Promise<void> {
  const tags = readConfiguration((await cluster.readCib()).cib).tags.filter(({ members }) => members.includes(id))
  if (tags.length === 0) return
  const them = `tag${tags.length > 1 ? 's' : ''}: ${listed(tags.map((tag) => tag.id))}`
  throw new Refusal(`Unable to remove resource '${id}' because it is referenced in the ${them}`)
}

/** After the role: `to user anna`, or one name by itself. */
function isAssignment([, ...rest]: readonly string[], keyword: string): boolean {
  const [kind, ...more] = rest[0] === keyword ? rest.slice(1) : rest
  return more.length === 0 || (more.length === 1 && (kind === 'user' || kind === 'group'))
}

function refuseStray(options: readonly string[]): void {
  const stray = options.find((word) => !word.includes('='))
  if (stray !== undefined)
    throw new Refusal({ own: `'${stray}' is not of the form name=value.`, about: { code: 'no-pair', word: stray } })
}

function refuseUnless(isRight: boolean): void {
  if (!isRight) throw new Refusal(wrongCall('The words are not those of this command.'))
}

const listed = (names: readonly string[]): string => quoted([...new Set(names)])

export function refuseTwice({ words }: Call): void {
  const twice = words.filter((word, index) => words.indexOf(word) !== index)
  if (twice.length > 0) throw new Refusal(`duplicate argument${new Set(twice).size > 1 ? 's' : ''}: ${listed(twice)}`)
}

/** `constraint location delete` is about location constraints. */
async function refuseOtherKinds({ words, cluster }: Call): Promise<void> {
  const { cib } = await cluster.readCib()
  const wrong = words.filter((id) => elementWithId(cib, id)?.name !== 'rsc_location')
  if (wrong.length === 0) return
  throw new Refusal(`Unable to find location constraints: ${quoted([...new Set(wrong)].sort())}`)
}

/** Of one that is deleted already the second mention finds nothing. */
function refuseNamedTwice(what: 'alert' | 'recipient'): Check {
  return async ({ words, cluster }) => {
    const { cib } = await cluster.readCib()
    const missing = words.filter((id, index) => words.indexOf(id) !== index || elementWithId(cib, id)?.name !== what)
    if (missing.length > 0) throw saidTogether(missing.map((id) => `${what} '${id}' does not exist`))
  }
}

/** `regexp%…`: a kind before the name. */
function refuseSubject(subject: string | undefined, kinds: readonly string[]): void {
  const [, kind] = /^([^%]*)%/.exec(subject ?? '') ?? []
  if (kind !== undefined && kind !== '' && !kinds.includes(kind))
    throw new Refusal(`'${kind}' is not an allowed type for '${subject}', use ${kinds.join(', ')}`)
}

function refuseSectionsTwice({ words }: Call): void {
  const sections = splitSections(words, ['meta', 'rule']).map(({ keyword }) => keyword)
  const twice = ['meta', 'rule'].find((keyword) => sections.filter((one) => one === keyword).length > 1)
  if (twice !== undefined) throw new Refusal(`'${twice}' cannot be used more than once`)
}

const saidTogether = (errors: readonly string[]): Refusal => new Refusal(saidByPcs(...errors))

/** Constraints and other elements have ids as well. */
async function refuseTagMembers({ words, cluster }: Call): Promise<void> {
  const [tag, ...members] = words
  refuseOthers((await cluster.readCib()).cib, members)
  if (tag !== undefined && members.includes(tag))
    throw saidTogether(['Tag cannot contain itself', `bundle/clone/group/resource '${tag}' does not exist`])
}

function refuseOthers(cib: XmlElement, members: readonly string[]): void {
  const others = members.filter((id) => findResource(cib, id) === undefined && elementWithId(cib, id) !== undefined)
  if (others.length > 0) throw saidTogether(others.map((id) => `'${id}' is not a bundle/clone/group/resource`))
}

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
  const { cib } = await cluster.readCib()
  const tag = readConfiguration(cib).tags.find((one) => one.id === id)
  if (tag === undefined) return
  const side = flags.get('before') ?? flags.get('after')
  if (typeof side === 'string' && tag.members.includes(side) && add.includes(side))
    throw saidTogether([`Cannot put id '${side}' next to itself.`])
  const repeated = add.filter((member, index) => add.indexOf(member) !== index)
  const both = add.filter((member) => remove.includes(member))
  const stays = flags.has('before') || flags.has('after') ? [] : add.filter((member) => tag.members.includes(member))
  const errors = [
    ...(repeated.length > 0 ? [`Ids to add must be unique, duplicate ids: ${listed(repeated)}`] : []),
    ...(both.length > 0 ? [`Ids cannot be added and removed at the same time: ${listed(both)}`] : []),
    ...(stays.length > 0
      ? [
          `Cannot add reference id${new Set(stays).size > 1 ? 's' : ''} already in the tag '${tag.id}': ${listed(stays)}`,
        ]
      : []),
  ]
  if (errors.length > 0) throw saidTogether(errors)
  refuseOthers(cib, add)
}

/** Which of several sets is meant is not guessed. */
async function refuseManySets(call: Call, section: string): Promise<void> {
  const [first] = call.words
  if (first === undefined) return
  // A listing takes no names, and sets nothing.
  if (/ config$/.test(call.typedName)) throw usage(defaultsHeading(call))
  if (!/ update$/.test(call.typedName) && !first.includes('=')) throw usage(defaultsHeading(call))
  const { cib } = await call.cluster.readCib()
  const sets = childElements(configurationElement(cib), section).flatMap((found) =>
    childElements(found, 'meta_attributes'),
  )
  const path = call.command.path.join(' ')
  // The word without update is older than sets are: with one set it means what it meant.
  if (sets.length > 1 && call.speech.dialect === '0.12' && !/ update$/.test(call.typedName))
    throw new Refusal(`This command has been replaced with 'pcs ${path} update'. See 'man pcs' -> Changes in pcs-0.12.`)
  if (sets.length > 1)
    throw saidTogether([
      `Several options sets exist, please use the 'pcs ${path} set update' command and specify an option set ID`,
    ])
}

/** `defaults set bogus`, `defaults bogus` and `defaults config bogus` have different headings. */
function defaultsHeading({ typedName, words: [first, second] }: Call): string {
  if (typedName.endsWith(' config')) return `${typedName.replace(/ config$/, '')}...`
  if (first !== 'set') return `${typedName} ...`
  return second === undefined ? `${typedName} set...` : `${typedName} set ...`
}

const usage = (heading: string): Refusal =>
  new Refusal({
    own: `The words are not those of this command.`,
    about: { code: 'said-by-pcs', errors: [], after: ['', `Usage: pcs ${heading}`] },
  })

async function refuseClear(call: Call): Promise<void> {
  await refusePromoted(call)
  const [resource = '', node] = call.words
  const { cib } = await call.cluster.readCib()
  const isKnown = readConfiguration(cib).nodes.some(({ name }) => name === node)
  if (node !== undefined && !isKnown && findResource(cib, resource) !== undefined)
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

function refuseEmptySections(call: Call): void {
  const { words, flags, command } = call
  for (const { keyword, words: own } of splitSections(words.slice(1), bundleSections)) {
    if (keyword !== '' && own.length === 0) throw new Refusal(`No ${keyword} options specified`)
    const values = parsePairs(
      own.filter((word) => word.includes('=')),
      `${keyword} options`,
    )
    const masters = keyword === 'container' ? values.get('masters') : undefined
    // What is there from older versions may be taken away.
    if (masters === undefined || (masters === '' && command.path.at(-1) === 'update')) continue
    if (!flags.has('force')) throw new Refusal(noMasters)
    call.tell({ code: 'forced', messages: [noMasters] })
  }
}

const containerOptions = ['image', 'network', 'options', 'promoted-max', 'replicas', 'replicas-per-host', 'run-command']

const noMasters: Message = {
  own: "'masters' is called promoted-max.",
  about: {
    code: 'unknown-option',
    name: 'masters',
    where: 'container option',
    similar: [],
    known: containerOptions,
  },
}
