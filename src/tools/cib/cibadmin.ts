/**
 * cibadmin: asks for the CIB or a part of it and changes it (cibadmin(8)). A change is made to the CIB that it was asked of, so that
 * `--modify --xpath "//nvpair[@name='lock' and @value='mine']/.."` compares and swaps: 105 where nothing matches.
 */
import {
  childElement,
  configurationElement,
  element,
  parseXml,
  printXml,
  sameDocument,
  superusers,
  upgradeToNewest,
  type XmlElement,
} from '../../cib/index.ts'
import { commandLine } from '../command-line.ts'
import { exitCodes } from '../exit-codes.ts'
import {
  always,
  flag,
  type GivenOption,
  hasOption,
  lastOf,
  type OptionSpec,
  optionValue,
  plainWords,
  valued,
  valueNotDone,
} from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import type { ParsedCall, Tool } from '../tool.ts'
import { emptySchema, featureSet } from '../version.ts'
import type { ToolWorld } from '../world.ts'
import { created, deleted, modified, replacedBy } from './changes.ts'
import { conforming, requiredSections } from './conforming.ts'
import { versionedText, writtenText } from './digest-text.ts'
import { applyPatch, describePatchFailure } from './patch.ts'
import { asksForAccess, shownAccess, whyNoAccess } from './show-access.ts'
import { appended, removed, sectionOf, withSection } from './tree.ts'
import { closed } from './unclosed.ts'
import { compareVersions, versionOf, withVersion } from './version.ts'
import { tellingOfEffect } from './without-effect.ts'
import { elementPath, selectXpath } from './xpath.ts'

const commands = [
  'query',
  'create',
  'modify',
  'replace',
  'delete',
  'delete-all',
  'patch',
  'erase',
  'upgrade',
  'bump',
  'empty',
  'md5-sum',
  'md5-sum-versioned',
] as const

const options: readonly OptionSpec[] = [
  flag('query,Q', 'Show the CIB, a section of it, or what a path finds'),
  flag('create,C', 'Put in an element that is not there yet'),
  flag('modify,M', 'Change the element of this name and id; children that it lacks are added'),
  flag('replace,R', 'Put an element in the place of the one of its name and id, or replace a section or the whole'),
  flag('delete,D', 'Delete the first element of this name that has these attributes, or that the path finds'),
  flag('delete-all,d', 'Delete all that the path finds (with --xpath and --force)'),
  flag('patch,P', 'Apply a difference made by crm_diff'),
  flag('upgrade,u', 'Write the configuration as the newest schema has it (with --force)'),
  flag('bump,B', "Increase the CIB's epoch by 1"),
  flag('erase,E', 'Empty the configuration (with --force)'),
  { ...valued('empty,a', 'SCHEMA', 'Print an empty CIB'), value: 'optional' },
  flag('md5-sum,5', 'Print the digest of the given XML as it is in a file'),
  flag('md5-sum-versioned,6', 'Print its digest as a difference of crm_diff has it'),
  valued('xml-text,X', 'XML', 'The element, as text'),
  { ...valued('xml-file,x', 'FILE', 'The element, in a file'), file: 'read' },
  flag('xml-pipe,p', 'The element, from standard input'),
  valued(
    'scope,o,obj_type',
    'SECTION',
    'Within this section: configuration, nodes, resources, constraints, crm_config, rsc_defaults, op_defaults, tags, acls, fencing-topology, alerts, status',
  ),
  valued('xpath,A', 'PATH', 'An XPath for the elements to use, instead of --scope'),
  flag('node-path,e', 'Print the paths of what a query with --xpath finds'),
  flag('no-children,n', 'Print elements without what is in them'),
  flag('allow-create,c', 'Let --modify put in what is not there'),
  flag('force,f', 'Do what is dangerous'),
  always('score', 'name++ and name+=N count up (with --modify)'),
  valued('user,U', 'USER', 'With the rights of this user, for root and hacluster'),
  {
    ...valued(
      'show-access,S',
      'HOW',
      'With --query and --user, mark what this user may read and change: text, namespace, color or auto',
    ),
    value: 'optional',
  },
  always('sync-call,s', 'the answer comes once the change is saved'),
  always('local,l', 'this node answers, and a change is for the whole cluster'),
  valueNotDone('node,N', 'NODE', 'every node has the whole CIB'),
  valueNotDone('host,h', 'NODE', 'every node has the whole CIB'),
  // Kept by shims/systole-tool, so that it holds where this node does not answer at all.
  {
    ...valued('timeout,t', 'TIME', 'Give up after this time (default: 30s); what was begun may still be done'),
    checked: 'duration',
  },
  valueNotDone('call-id,i', 'NUMBER', 'no answer is awaited by its number'),
]

export const cibadmin: Tool = {
  name: 'cibadmin',
  exits: { noInput: exitCodes.configuration },
  summary: 'Show and change the CIB',
  options,
  // Permissions may have paths that take long, and colours are for terminals. What is installed for the caller to read the empty CIB with is seen there.
  needsTerminal: (given) => hasOption(given, 'xml-pipe') || hasOption(given, 'empty') || asksForAccess(given),
  run: async (call, world) => await run(call, world),
}

async function run(call: ParsedCall, world: ToolWorld): Promise<ToolReply> {
  const words = plainWords(call.given)
  if (words.length > 0)
    return refused(exitCodes.usage, `cibadmin: unexpected arguments: ${words.join(' ')}. --help lists the options.`)
  const noAccess = whyNoAccess(call.given)
  if (noAccess !== undefined) return noAccess
  if (asksForAccess(call.given)) return await perform(call, world)
  const user = optionValue(call.given, 'user')
  const acting = user === undefined || superusers.includes(user) ? world : await asUser(world, user)
  if ('exitCode' in acting) return acting
  const xpath = optionValue(call.given, 'xpath')
  const refusal = xpath === undefined ? undefined : await acting.refuseXpath?.(xpath)
  return refusal ?? (await perform(call, acting))
}

async function asUser(world: ToolWorld, user: string): Promise<ToolWorld | ToolReply> {
  const acting = await world.asUser?.(user)
  return acting ?? refused(exitCodes.unimplemented, 'cibadmin: only a running cluster knows what another user may do.')
}

async function perform(call: ParsedCall, world: ToolWorld): Promise<ToolReply> {
  const command = lastOf(call.given, commands)?.name
  if (command === undefined)
    return refused(exitCodes.usage, 'cibadmin: a command is needed, such as --query. --help names them.')
  if (isDangerous(command) && !hasOption(call.given, 'force')) return unsafe()
  if (command === 'query') {
    // Nothing is done with it, but it has to be XML.
    const unused = givenXml(call)
    return unused !== undefined && 'exitCode' in unused ? unused : query(call, world)
  }
  if (command === 'empty')
    return printed(printXml(emptyCib(optionValue(call.given, 'empty') ?? call.files?.newestSchema?.())))
  const given = givenXml(call)
  if (given !== undefined && 'exitCode' in given) return given
  if (command === 'md5-sum' || command === 'md5-sum-versioned')
    return given === undefined
      ? refused(exitCodes.usage, 'Please supply XML to process with -X, -x or -p')
      : digest(command, given, world)
  // A patch that is not there changes nothing.
  if (command === 'patch' && given === undefined) return printed('')
  const bump = command === 'bump'
  const effect = tellingOfEffect(
    call.tool,
    bump
      ? (cib) => withVersion(cib, { epoch: versionOf(cib).epoch + 1 })
      : conforming((cib) => notOlder(cib, change(cib, { command, written: given, call, isCluster: world.isCluster }))),
  )
  const how = {
    command: commandLine(call),
    whole: true,
    ...((command === 'replace' || command === 'erase') && { replaces: true }),
    ...(command === 'replace' ? replaces(call, given) : {}),
    ...(command === 'upgrade' && !world.isCluster ? { counts: 'made' as const } : {}),
  }
  const refusal = await world.edit(effect.change, how)
  return refusal ?? effect.told(printed(''))
}

/** A part that takes its own place counts as a change of the configuration, the configuration or the state as one of the state, and the CIB as none. */
function replaces({ given }: ParsedCall, written: XmlElement | undefined): { readonly counts?: 'epoch' | 'updates' } {
  const { scope } = chosen(given)
  const isWhole = scope === undefined || !sections.has(scope)
  if (isWhole && written?.name === 'cib') return {}
  return { counts: scope === 'configuration' || scope === 'status' ? 'updates' : 'epoch' }
}

/** What a change writes into the version may not take it back, but for updates of the recorded state, which are counted anyway. */
function notOlder(before: XmlElement, after: XmlElement | ToolReply): XmlElement | ToolReply {
  if ('exitCode' in after) return after
  const [was, is] = [versionOf(before), versionOf(after)]
  return compareVersions({ ...is, numUpdates: 0 }, { ...was, numUpdates: 0 }) < 0 ? isOld() : after
}

/** What it is stands on standard error, so that scripts read the digest alone. */
function digest(command: 'md5-sum' | 'md5-sum-versioned', given: XmlElement, world: ToolWorld): ToolReply {
  if (command === 'md5-sum-versioned') return printed(`${world.md5(versionedText(given))}\n`)
  return { ...printed(`${world.md5(writtenText(given))}\n`), errors: 'Digest: ' }
}

const isOld = (): ToolReply => callFailed(exitCodes.old, 'Update was older than existing configuration')

function isDangerous(command: string): boolean {
  return command === 'erase' || command === 'upgrade' || command === 'delete-all'
}

function unsafe(): ToolReply {
  return refused(
    exitCodes.unsafe,
    'The supplied command is considered dangerous.  To prevent accidental destruction of the cluster, the --force flag is required in order to proceed.',
  )
}

function callFailed(exitCode: number, why: string): ToolReply {
  return refused(exitCode, `Call failed: ${why}`)
}

const nothing = (): ToolReply => callFailed(exitCodes.noSuchObject, 'No such device or address')

/** Undefined where none was given. */
function givenXml(call: ParsedCall): XmlElement | ToolReply | undefined {
  const file = optionValue(call.given, 'xml-file')
  const source = file ?? (hasOption(call.given, 'xml-pipe') ? 'STDIN' : 'the command line')
  const text =
    optionValue(call.given, 'xml-text') ??
    (file === undefined ? undefined : call.files?.read(file)) ??
    (hasOption(call.given, 'xml-pipe') ? call.files?.input() : undefined)
  if (text === undefined) return undefined
  const parsed = parseXml(text)
  if (parsed.ok) return parsed.value
  const ended = source === 'the command line' ? closed(text) : undefined
  const repaired = ended === undefined ? undefined : parseXml(ended)
  if (repaired?.ok) return repaired.value
  const [report] = parsed.reports
  return refused(
    exitCodes.configuration,
    `Couldn't parse input from ${source}: line ${report?.place.line}, column ${report?.place.column}: ${report?.message}.`,
  )
}

/** Of a section and a path the one that is given last counts. */
function chosen(given: readonly GivenOption[]): { readonly scope?: string; readonly xpath?: string } {
  const last = lastOf(given, ['scope', 'xpath'])
  return last?.value === undefined ? {} : { [last.name]: last.value }
}

function query(call: ParsedCall, world: ToolWorld): ToolReply {
  const { given } = call
  const cib = world.cib()
  const { scope, xpath } = chosen(given)
  const bare = (found: XmlElement): XmlElement => (hasOption(given, 'no-children') ? { ...found, children: [] } : found)
  if (xpath === undefined) {
    const section = scoped(cib, scope)
    if (section === undefined) return nothing()
    return asksForAccess(given) ? withAccess(call, [bare(section)]) : printed(printXml(bare(section)))
  }
  const found = selectXpath(cib, xpath, { onlyFromRoot: true })
  if (!found.ok) return refused(exitCodes.noSuchObject, `cibadmin: ${found.reports.join(' ')}`)
  if (found.value.length === 0) return nothing()
  if (asksForAccess(given)) return withAccess(call, found.value.map(bare))
  if (hasOption(given, 'node-path')) {
    // Without children, a path is the last thing in it that has a name.
    const told = (one: XmlElement): string | undefined =>
      hasOption(given, 'no-children') ? one.attributes.id : elementPath(cib, one)
    return printed(
      found.value
        .flatMap((one) => told(one) ?? [])
        .map((line) => `${line}\n`)
        .join(''),
    )
  }
  const shown = found.value.map(bare)
  const [only] = shown
  // Several are wrapped, as Pacemaker does.
  return printed(printXml(shown.length === 1 && only ? only : element('xpath-query', {}, shown)))
}

const withAccess = ({ given, files }: ParsedCall, found: readonly XmlElement[]): ToolReply =>
  shownAccess(given, found, files?.isTerminal === true)

const sections = new Set(
  'configuration nodes resources constraints crm_config rsc_defaults op_defaults tags acls fencing-topology alerts status'.split(
    ' ',
  ),
)

/** A name that is no section's stands for the whole. */
function scoped(cib: XmlElement, scope: string | undefined): XmlElement | undefined {
  return scope === undefined || !sections.has(scope) ? cib : sectionOf(cib, scope)
}

function change(
  cib: XmlElement,
  {
    command,
    written,
    call,
    isCluster,
  }: {
    readonly command: string
    readonly written: XmlElement | undefined
    readonly call: ParsedCall
    readonly isCluster: boolean
  },
): XmlElement | ToolReply {
  if (command === 'erase') return isCluster ? erased(cib) : erased(withoutStatus(cib))
  if (command === 'upgrade') return upgraded(cib, isCluster)
  const { scope, xpath } = chosen(call.given)
  // To create knows sections alone: what a path says is one that is not there, and the new element comes into the root.
  if (xpath !== undefined && command === 'create' && written !== undefined) return appended(cib, written)
  if (xpath !== undefined && command !== 'patch') return changeFound(command, cib, { xpath, given: written, call })
  if (written === undefined) return callFailed(exitCodes.software, 'Invalid argument')
  if (command === 'patch') return patched(cib, written)
  const isWhole = scope === undefined || !sections.has(scope)
  // Of a whole CIB that is given, the section is meant.
  const given = !isWhole && written.name === 'cib' ? (sectionOf(written, scope) ?? written) : written
  const there = isWhole || sectionOf(cib, scope) !== undefined
  if (!there && command === 'create') return notCreated(given, 'Invalid argument', exitCodes.software)
  // Who may not see the section is told that he may not write it.
  if (!there && command === 'replace') return { ...nothing(), instead: withGiven(cib, scope, given) }
  // A name that is no section's does not keep what is new out of the root, where it makes no sense.
  if (scope !== undefined && isWhole && command === 'create') return appended(cib, given)
  if (command === 'replace' && given.name === 'cib') return replacedWhole(cib, given)
  // A section that is not there yet is made for what comes into it.
  const base = !isWhole && command !== 'delete' ? withSection(cib, scope) : cib
  const from = scoped(base, scope)
  if (from === undefined) return cib
  const into = (next: XmlElement): XmlElement => (from === base ? next : removedAndPut(base, from, next))
  switch (command) {
    case 'create':
      if (!isWhole) return createIn(base, from, given)
      // Of the whole CIB, to create is to modify: a section gets its new children.
      return modified(from, given) ?? nothing()
    case 'modify': {
      const next = modified(from, given)
      if (next !== undefined) return into(next)
      return hasOption(call.given, 'allow-create') ? into(appended(from, given)) : nothing()
    }
    case 'replace': {
      const next = replacedBy(from, given)
      return next === undefined ? nothing() : into(next)
    }
    default:
      return into(deleted(from, given))
  }
}

function withGiven(cib: XmlElement, scope: string, given: XmlElement): XmlElement {
  const base = withSection(cib, scope)
  const made = sectionOf(base, scope)
  return made === undefined ? base : removedAndPut(base, made, { ...given, name: made.name })
}

function removedAndPut(base: XmlElement, from: XmlElement, next: XmlElement): XmlElement {
  const swap = (node: XmlElement): XmlElement =>
    node === from
      ? next
      : { ...node, children: node.children.map((child) => (child.kind === 'element' ? swap(child) : child)) }
  return swap(base)
}

function createIn(cib: XmlElement, parent: XmlElement, given: XmlElement): XmlElement | ToolReply {
  const outcome = created(parent, given)
  return outcome.kind === 'created' ? removedAndPut(cib, parent, outcome.parent) : exists(outcome.element)
}

const exists = (given: XmlElement): ToolReply => notCreated(given, 'File exists', exitCodes.exists)

function notCreated(given: XmlElement, reason: string, exitCode: number): ToolReply {
  const { id } = given.attributes
  const failure = element(
    'failed_update',
    { ...(id === undefined ? {} : { id }), 'object-type': given.name, operation: 'cib_create', reason },
    [given],
  )
  const refusal = callFailed(exitCode, reason)
  return { ...refusal, output: printXml(element('failed', {}, [failure])) }
}

/** With a path, the first that it finds is meant; `--delete-all` means all. */
function changeFound(
  command: string,
  cib: XmlElement,
  how: { readonly xpath: string; readonly given: XmlElement | undefined; readonly call: ParsedCall },
): XmlElement | ToolReply {
  const selected = selectXpath(cib, how.xpath, { onlyFromRoot: true })
  if (!selected.ok) return refused(exitCodes.noSuchObject, `cibadmin: ${selected.reports.join(' ')}`)
  const [target] = selected.value
  if (selected.value.includes(cib) && command.startsWith('delete'))
    return callFailed(exitCodes.software, 'Invalid argument')
  // What is not there is deleted already.
  if (command === 'delete' || command === 'delete-all') {
    const gone = command === 'delete' ? selected.value.slice(0, 1) : selected.value
    return gone.reduce((current, one) => removed(current, one), cib)
  }
  if (target === undefined) return nothing()
  const { given } = how
  if (given === undefined) return command === 'modify' ? nothing() : callFailed(exitCodes.software, 'Invalid argument')
  switch (command) {
    case 'modify': {
      const next = modified(target, given)
      return next === undefined ? nothing() : removedAndPut(cib, target, next)
    }
    default: {
      const parent = parentOf(cib, target)
      if (parent === undefined) return replacedWhole(cib, given)
      return removedAndPut(cib, parent, appended(removed(parent, target), given))
    }
  }
}

function parentOf(root: XmlElement, target: XmlElement): XmlElement | undefined {
  for (const child of root.children) {
    if (child.kind !== 'element') continue
    if (child === target) return root
    const below = parentOf(child, target)
    if (below !== undefined) return below
  }
  return undefined
}

function replacedWhole(cib: XmlElement, given: XmlElement): XmlElement | ToolReply {
  if (compareVersions(versionOf(given), versionOf(cib)) < 0) return isOld()
  if (childElement(given, 'configuration') === undefined)
    return callFailed(exitCodes.configuration, 'Update does not conform to the configured schema')
  return given
}

function patched(cib: XmlElement, patch: XmlElement): XmlElement | ToolReply {
  const outcome = applyPatch(cib, patch)
  return outcome.kind === 'applied' ? outcome.document : callFailed(...describePatchFailure(outcome))
}

function emptyCib(schema = emptySchema): XmlElement {
  const attributes = {
    crm_feature_set: featureSet,
    'validate-with': schema,
    epoch: '1',
    num_updates: '0',
    admin_epoch: '0',
  }
  return element('cib', attributes, [
    element(
      'configuration',
      {},
      requiredSections.map((name) => element(name)),
    ),
    element('status'),
  ])
}

/** In a file nothing runs. */
const withoutStatus = (cib: XmlElement): XmlElement => ({
  ...cib,
  children: cib.children.map((child) =>
    child.kind === 'element' && child.name === 'status' ? element('status') : child,
  ),
})

/** The recorded state stays: what runs goes on running, as orphans that the cluster stops. */
function erased(cib: XmlElement): XmlElement {
  const configuration = element(
    'configuration',
    {},
    requiredSections.map((name) => element(name)),
  )
  const next = removedAndPut(cib, configurationElement(cib), configuration)
  return withVersion(next, { adminEpoch: versionOf(cib).adminEpoch + 1 })
}

/** In a file the administrator's number is counted, and what Pacemaker does in two steps after that. */
function upgraded(cib: XmlElement, isCluster: boolean): XmlElement | ToolReply {
  if (cib.attributes['validate-with'] === 'none') return cib
  const outcome = upgradeToNewest(cib)
  if (!outcome.ok) {
    const isOfLast3 = cib.attributes['validate-with'] === 'pacemaker-3.10'
    const code = isOfLast3 ? exitCodes.configuration : exitCodes.unimplemented
    return refused(code, `cibadmin: ${outcome.reports.join(' ')}`)
  }
  const next = outcome.value
  if (isCluster || sameDocument(next.cib, cib)) return next.cib
  const steps = next.rewritten ? { epoch: 2, numUpdates: 0 } : { epoch: 1, numUpdates: 2 }
  return withVersion(next.cib, { adminEpoch: versionOf(cib).adminEpoch + 1, ...steps })
}
