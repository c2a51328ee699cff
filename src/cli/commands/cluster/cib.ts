import { ok } from '../../../base/index.ts'
import { childElement, mergeConfiguration, parseXml, printXml, type XmlElement } from '../../../cib/index.ts'
import { compareVersions, versionOf } from '../../../tools/index.ts'
import { type Call, type Command, changeFlags, done, Refusal } from '../../call/command.ts'
import { changeCib } from '../../change/change.ts'
import { expectWords, parsePairs } from '../../grammar/words.ts'

export const clusterCib: Command = {
  path: ['cluster', 'cib'],
  usage: '[<file>] [scope=<section> | --config]',
  flags: [{ name: 'config', summary: 'Only the configuration, without the status' }],
  summary: 'Print the CIB, or save it into a file',
  details:
    'Prints the whole CIB, status included, as XML that Pacemaker’s own tools can read. scope=configuration omits the status.',
  completes: ['file', { words: ['scope=configuration', 'scope=status'] }],
  run: async (call) => {
    const files = call.words.filter((word) => !word.startsWith('scope='))
    const { scope } = Object.fromEntries(
      parsePairs(
        call.words.filter((word) => word.startsWith('scope=')),
        'options',
      ),
    )
    expectWords(files, { atLeast: 0, atMost: 1, usage: 'cluster cib [<file>] [scope=<section>]' })
    const { cib, version } = await call.cluster.readCib()
    const xml = printXml(scoped(cib, scope ?? (call.flags.has('config') ? 'configuration' : undefined)))
    const [file] = files
    if (file === undefined) return done(xml, { version, xml })
    await call.terminal.writeFile(file, xml)
    return done(`Saved the CIB to ${file}.\n`, { version, file })
  },
}

function scoped(cib: XmlElement, scope: string | undefined): XmlElement {
  if (scope === undefined) return cib
  const found = [cib, childElement(cib, 'configuration') ?? cib].flatMap(
    (parent) => childElement(parent, scope) ?? [],
  )[0]
  if (!found)
    throw new Refusal(
      `The CIB has no section '${scope}': sections are configuration, status, resources, constraints, nodes, crm_config.`,
    )
  return found
}

export const clusterCibPush: Command = {
  path: ['cluster', 'cib-push'],
  usage: '<file> [--wait[=<seconds>]] [diff-against=<original file> | scope=<section> | --config]',
  summary: 'Replace the configuration with that of a CIB file, or apply the changes made to the file',
  details:
    'The status in the file is ignored. The push is refused if the file has an error that the running configuration does not have. ' +
    'With diff-against, only the differences between the two files are applied, so changes that others made meanwhile are kept. If they ' +
    'changed the same resource or constraint, the push is refused.',
  flags: [
    ...changeFlags,
    { name: 'config', summary: 'Replace the configuration even if the file has an older version' },
  ],
  completes: ['file'],
  run: async (call) => {
    const isOption = (word: string): boolean => /^(scope|diff-against)=/.test(word)
    const options = parsePairs(call.words.filter(isOption), 'options')
    const words = call.words.filter((word) => !isOption(word))
    expectWords(words, { atLeast: 1, atMost: 1, usage: 'cluster cib-push <file>' })
    const [original, scope] = [options.get('diff-against'), options.get('scope')]
    refuseTwoWays({ original, scope, whole: call.flags.has('config') })
    const file = words[0] ?? ''
    const pushed = await readXml(call, file)
    const from = original === undefined ? undefined : await readXml(call, original)
    if (scope === undefined) for (const document of [pushed, ...(from ? [from] : [])]) refuseOther(document, file)
    const isWhole = from === undefined && scope === undefined && !call.flags.has('config')
    return await changeCib(call, {
      edit: (cib) => {
        if (isWhole) refuseOlder(pushed, { file, than: cib })
        return ok({
          cib: from
            ? merged(cib, from, pushed)
            : scope === undefined
              ? withEpochsOf(withConfiguration(cib, pushed), isWhole ? pushed : cib)
              : withSection(cib, pushed, scope),
          created: [],
          removed: [],
        })
      },
      message: () => `Replaced the configuration with that of ${file}.`,
    })
  },
}

async function readXml(call: Call, file: string): Promise<XmlElement> {
  const parsed = parseXml(await call.terminal.readFile(file))
  if (parsed.ok) return parsed.value
  const [report] = parsed.reports
  throw new Refusal(
    `${file} is not well-formed XML: line ${report?.place.line}, column ${report?.place.column}: ${report?.message}.`,
  )
}

function refuseOther({ name }: XmlElement, file: string): void {
  if (name === 'cib' || name === 'configuration') return
  throw new Refusal(`${file} holds <${name}>, not a CIB: its first element must be <cib> or <configuration>.`)
}

/** pcs looks at its options before it opens the file. */
function refuseTwoWays({
  original,
  scope,
  whole,
}: {
  readonly original: string | undefined
  readonly scope: string | undefined
  readonly whole: boolean
}): void {
  const refusal = (own: string, error: string): Refusal =>
    new Refusal({ own, about: { code: 'said-by-pcs', errors: [error] } })
  if (scope !== undefined && whole)
    throw refusal('scope and --config exclude each other.', 'Cannot use both scope and --config')
  if (original !== undefined && (scope !== undefined || whole))
    throw refusal(
      `diff-against and ${whole ? '--config' : 'scope'} exclude each other.`,
      'Cannot use both scope and diff-against',
    )
}

/** Whoever pushes the whole of an older version would undo what others have changed since. */
function refuseOlder(pushed: XmlElement, { file, than }: { readonly file: string; readonly than: XmlElement }): void {
  if (pushed.name !== 'cib' || pushed.attributes.epoch === undefined) return
  const [ours, running] = [versionOf(pushed), versionOf(than)]
  const order = compareVersions({ ...ours, numUpdates: 0 }, { ...running, numUpdates: 0 })
  if (order > 0 || (order === 0 && wasReadSince(pushed, than))) return
  const text = ({ adminEpoch, epoch }: typeof ours): string => `${adminEpoch}.${epoch}`
  const versions =
    order === 0
      ? `is not newer (${text(ours)}) than the running configuration, which was changed after ${file} was read`
      : `is older (${text(ours)}) than the running configuration (${text(running)})`
  throw new Refusal(
    `${file} ${versions}, so changes made since then would be lost. Push only your own changes with diff-against=<original file>, or replace the configuration with --config.`,
  )
}

/**
 * Whether a document with the epoch of the running configuration was read from it and edited without counting, as in an editor. Whoever counts edits of a copy
 * resets num_updates: that copy comes from the epoch before, which another change has left. Pacemaker compares num_updates alone, so that it also refuses what was
 * read before the status changed; here the configuration's origin tells these apart.
 */
function wasReadSince(pushed: XmlElement, running: XmlElement): boolean {
  const [ours, theirs] = [versionOf(pushed).numUpdates, versionOf(running).numUpdates]
  return ours >= theirs || (ours > mostAfterAnEdit && isOfSameOrigin(pushed, running))
}

/** What Pacemaker's commands leave in `num_updates` of a file that they have changed. */
const mostAfterAnEdit = 2

const isOfSameOrigin = (a: XmlElement, b: XmlElement): boolean =>
  ['cib-last-written', 'update-origin', 'update-client', 'update-user'].every(
    (name) => a.attributes[name] === b.attributes[name],
  )

/** The epoch after a push follows that of what was pushed, as in Pacemaker: of two copies that were edited alike, the second is older then. */
function withEpochsOf(cib: XmlElement, { name, attributes }: XmlElement): XmlElement {
  if (name !== 'cib' || attributes.epoch === undefined) return cib
  const { admin_epoch: adminEpoch = '0', epoch } = attributes
  return { ...cib, attributes: { ...cib.attributes, admin_epoch: adminEpoch, epoch } }
}

function merged(cib: XmlElement, from: XmlElement, to: XmlElement): XmlElement {
  const result = mergeConfiguration(cib, { from, to })
  if (result.ok) return result.value
  throw new Refusal(
    ...result.reports.map(
      ({ section, id }) =>
        `'${id}' in ${section} was changed by another user after the original was saved. Save the CIB again and repeat the change.`,
    ),
  )
}

/** One section of the configuration replaced by that of the file. */
function withSection(cib: XmlElement, pushed: XmlElement, scope: string): XmlElement {
  const section = pushed.name === scope ? pushed : scoped(pushed, scope)
  if (scope === 'configuration') return withConfiguration(cib, section)
  const current = childElement(cib, 'configuration')
  if (!current) throw new Refusal('The CIB has no <configuration>: push the whole configuration first.')
  const others = current.children.filter((child) => child.kind !== 'element' || child.name !== scope)
  return withConfiguration(cib, { ...current, children: [...others, section] })
}

/** The running CIB with another configuration section. */
function withConfiguration(cib: XmlElement, pushed: XmlElement): XmlElement {
  const configuration = pushed.name === 'configuration' ? pushed : childElement(pushed, 'configuration')
  if (!configuration) throw new Refusal('The file has no <configuration> section: nothing to push.')
  const others = cib.children.filter((child) => child.kind !== 'element' || child.name !== 'configuration')
  return { ...cib, children: [configuration, ...others] }
}

export const clusterEdit: Command = {
  path: ['cluster', 'edit'],
  usage: '[scope=<section> | --config]',
  summary: 'Edit the configuration as XML in $EDITOR and push the changes',
  flags: [
    ...changeFlags,
    {
      name: 'config',
      summary: 'Without effect, accepted for compatibility with pcs: the status cannot be edited',
      withoutEffect: 'the status cannot be edited.',
    },
  ],
  run: async (call) => {
    const { scope = 'configuration' } = Object.fromEntries(parsePairs(call.words, 'options'))
    const { cib } = await call.cluster.readCib()
    const before = scoped(cib, scope)
    const text = await call.terminal.edit(printXml(before))
    if (text === undefined) throw new Refusal('No editor is available. Set EDITOR and run the command at a terminal.')
    const parsed = parseXml(text)
    if (!parsed.ok) {
      const [report] = parsed.reports
      throw new Refusal(
        `Line ${report?.place.line}, column ${report?.place.column}: ${report?.message}. Nothing was changed.`,
      )
    }
    const edited = parsed.value
    if (edited.name !== before.name)
      throw new Refusal(`<${before.name}> must remain the first element. Nothing was changed.`)
    return await changeCib(call, {
      edit: (running) => {
        const to = withSection(cib, edited, scope)
        return ok({ cib: merged(running, cib, to), created: [], removed: [] })
      },
      message: () => 'Saved the edited configuration.',
    })
  },
}
