import { didYouMean, similarWords } from '../../../base/index.ts'
import {
  childElements,
  configurationElement,
  hiddenValue,
  type IsSecret,
  type ResourceDefinition,
  readConfiguration,
  secretNames,
  type XmlElement,
} from '../../../cib/index.ts'
import { judgesAsPcs, writesAs011 } from '../../as-pcs/speech.ts'
import { type Call, type Command, type Outcome, Refusal } from '../../call/command.ts'
import { formatFlag, inFormat } from '../../call/output-format.ts'
import { commandsText, levelCommands, resourceCommands } from '../../pcs-form/as-commands.ts'
import { formContext } from '../../pcs-form/nvset.ts'
import { oldResourceLines } from '../../pcs-form/old-resource-text.ts'
import { resourceTextLines } from '../../pcs-form/resource-text.ts'
import { resourcesForm, withInner } from '../../pcs-form/resources.ts'
import { rebuildingCommands } from '../../replay/index.ts'
import { fencingLevelsIn, topologyLines } from '../stonith/level.ts'

const flags = [
  { name: 'show-secrets', summary: 'Show passwords and tokens' },
  {
    name: 'full',
    summary: 'Without effect, accepted for compatibility with pcs: the output is always complete',
    withoutEffect: 'the output is always complete.',
  },
  formatFlag,
] as const

export const resourceConfig: Command = {
  path: ['resource', 'config'],
  usage: '[<resource>...] [--show-secrets] [--output-format text|cmd|json]',
  summary: 'Show the configuration of resources, or print the commands that create them',
  flags,
  completes: ['resource'],
  run: (call) =>
    show(call, {
      listed: (resource) => !isFenceDevice(resource),
      named: (resource) => !judgesAsPcs(call.speech) || !isFenceDevice(resource),
      what: 'resource',
    }),
}

export const stonithConfig: Command = {
  path: ['stonith', 'config'],
  usage: '[<fence device>...] [--show-secrets] [--without-levels] [--output-format text|cmd|json]',
  summary: 'Show the configuration of fence devices and the fencing topology',
  flags: [...flags, { name: 'without-levels', summary: 'Do not show the fencing topology' }],
  completes: ['fence-device'],
  run: (call) =>
    show(call, {
      listed: isFenceDevice,
      named: isFenceDevice,
      what: 'fence device',
      topology: !call.flags.has('without-levels'),
    }),
}

function isFenceDevice(resource: XmlElement): boolean {
  return resource.name === 'primitive' && resource.attributes.class === 'stonith'
}

interface Shown {
  readonly listed: (resource: XmlElement) => boolean
  /** What may be asked for by its id. */
  readonly named: (resource: XmlElement) => boolean
  readonly what: string
  /** The whole fencing topology follows, whichever devices are asked for. */
  readonly topology?: boolean
}

async function show(call: Call, { listed, named, what, topology = false }: Shown): Promise<Outcome> {
  const { cib } = await call.cluster.readCib()
  const top = childElements(configurationElement(cib)).flatMap((part) =>
    part.name === 'resources' ? childElements(part) : [],
  )
  const all = top.flatMap(withInner).filter(named)
  // A fence device is one wherever it stands.
  const listable = what === 'fence device' ? all : top
  const wanted = call.words.length === 0 ? listable.filter(listed) : namedElements(call, all, what)
  const withParts = wanted.flatMap(withInner)
  const shown = call.words.length === 0 ? withParts : [...new Set(withParts)].sort(byId)
  const ids = wanted.map(({ attributes }) => attributes.id ?? '')
  const showSecrets = call.flags.has('show-secrets')
  return await inFormat(call, {
    text: () => {
      const context = formContext(call, cib, showSecrets)
      const { dialect } = call.speech
      const isOld = dialect === '0.9' || dialect === '0.10'
      const lines = isOld
        ? oldResourceLines(wanted, { dialect, context })
        : resourceTextLines(resourcesForm(shown, context), ids, dialect)
      return [...lines, ...(topology ? topologyLines(cib, dialect) : [])].map((line) => `${line}\n`).join('')
    },
    nothing: 'Nothing is configured.',
    json: typedViews(cib, ids, showSecrets),
    pcsJson: () => resourcesForm(shown, formContext(call, cib, showSecrets)),
    pcsCmd: () =>
      commandsText([
        ...resourceCommands(resourcesForm(shown, formContext(call, cib, showSecrets))),
        ...(topology && !writesAs011(call.speech) ? levelCommands(fencingLevelsIn(cib)) : []),
      ]),
    cmd: async () => [
      ...(await rebuildingCommands(call, cib, { sections: ['resources'], ids })),
      ...(topology ? await rebuildingCommands(call, cib, { sections: ['fencing-topology'] }) : []),
    ],
  })
}

/** Each once; what is not there is told, and refused where nothing else is asked for. What is inside another that is named too stands within it and by itself. */
function namedElements(call: Call, all: readonly XmlElement[], what: string): readonly XmlElement[] {
  const ids = call.words
  const known = all.map(({ attributes }) => attributes.id ?? '')
  const missing = ids.filter((id) => !known.includes(id))
  const told = missing.map((id) => ({
    own: `There is no ${what} '${id}'.${didYouMean(similarWords(id, known))}`,
    about: { code: 'no-such-item', what, id } as const,
  }))
  if (missing.length === ids.length) throw new Refusal(...told)
  for (const { own } of told) call.terminal.progress(`Warning: ${own}`)
  if (told.length > 0) call.tell({ code: 'left-out', what, ids: missing })
  return all.filter(({ attributes }) => ids.includes(attributes.id ?? ''))
}

const byId = (a: XmlElement, b: XmlElement): number => ((a.attributes.id ?? '') < (b.attributes.id ?? '') ? -1 : 1)

function typedViews(cib: XmlElement, ids: readonly string[], showSecrets: boolean): unknown {
  const shown = readConfiguration(cib)
    .resources.flatMap(withInnerViews)
    .filter(({ id }) => ids.includes(id))
  const isSecret = secretNames(cib)
  return JSON.parse(JSON.stringify(shown, (_key, value: unknown) => (showSecrets ? value : hidden(value, isSecret))))
}

function withInnerViews(resource: ResourceDefinition): readonly ResourceDefinition[] {
  if (resource.kind === 'group') return [resource, ...resource.members]
  if (resource.kind === 'clone') return [resource, ...withInnerViews(resource.child)]
  return resource.kind === 'bundle' && resource.child ? [resource, resource.child] : [resource]
}

/** A name/value pair whose name says that it is secret loses its value. */
function hidden(value: unknown, isSecret: IsSecret): unknown {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('value' in value)) return value
  return isSecret(String(value.name)) ? { ...value, value: hiddenValue } : value
}
