import {
  type ContainerType,
  containerTypes,
  createBundle,
  type EditResult,
  resetBundle,
  updateBundle,
  type XmlElement,
} from '../../../cib/index.ts'
import { tellForcedOptions } from '../../as-pcs/forced-parts.ts'
import { judgesAsPcs } from '../../as-pcs/speech.ts'
import { type Call, type Command, changeFlags, Refusal } from '../../call/command.ts'
import { changeCib } from '../../change/change.ts'
import { expectWords, parsePairs, splitSections } from '../../grammar/words.ts'

const keywords = ['container', 'network', 'port-map', 'storage-map', 'meta']
const parts =
  '[network <option>=<value>...] [port-map <option>=<value>...]... [storage-map <option>=<value>...]... [meta <name>=<value>...]'
const bundleFlags = [...changeFlags, { name: 'disabled', summary: 'Create it disabled' }]

export const bundleCreate: Command = {
  path: ['resource', 'bundle', 'create'],
  usage: `<bundle> container docker|podman <option>=<value>... ${parts} [--disabled]`,
  summary: 'Create a bundle: containers that run the same image on several nodes',
  details:
    'Container options: image, replicas, replicas-per-host, promoted-max, network, options, run-command. ' +
    'A port-map has port, internal-port or range; a storage-map source-dir or source-dir-root, target-dir and options.',
  examples: [
    'systole resource bundle create web container podman image=nginx replicas=2 network ip-range-start=10.0.0.10 port-map port=80',
  ],
  flags: bundleFlags,
  completes: ['anything', { words: keywords }],
  run: async (call) => {
    expectWords(call.words, {
      atLeast: 3,
      usage: 'resource bundle create <bundle> container docker|podman image=<image>',
    })
    const [id = '', ...rest] = call.words
    const { type, ...values } = readBundle(call, rest)
    if (type === undefined)
      throw new Refusal(`Expected 'container' and its type after the bundle name: ${containerTypes.join(', ')}.`)
    if (values.container.image === undefined) throw new Refusal('The image of the container is missing: image=<image>.')
    const request = { id, type, ...values, disabled: call.flags.has('disabled'), keepsEmpty: judgesAsPcs(call.speech) }
    await tellUnknown(call, (cib) => createBundle(cib, { ...request, force: false }))
    return await changeCib(call, {
      edit: (cib) => createBundle(cib, { ...request, force: call.flags.has('force') }),
      message: ({ created }) => `Created: ${created.join(', ')}.`,
      facts: ({ created }) => ({ created }),
    })
  },
}

export const bundleReset: Command = {
  path: ['resource', 'bundle', 'reset'],
  usage: `<bundle> container <option>=<value>... ${parts} [--disabled]`,
  summary: 'Redefine a bundle; the resource inside is kept',
  flags: bundleFlags,
  completes: ['resource', { words: keywords }],
  run: async (call) => {
    expectWords(call.words, { atLeast: 3, usage: 'resource bundle reset <bundle> container image=<image> …' })
    const [id = '', ...rest] = call.words
    const { type, ...values } = readBundle(call, rest)
    if (type !== undefined) throw new Refusal('The container type of a bundle cannot be changed. Omit it.')
    if (values.container.image === undefined) throw new Refusal('The image of the container is missing: image=<image>.')
    return await changeCib(call, {
      edit: (cib) =>
        resetBundle(cib, { id, ...values, disabled: call.flags.has('disabled'), force: call.flags.has('force') }),
      message: () => `Redefined the bundle ${id}.`,
    })
  },
}

export const bundleUpdate: Command = {
  path: ['resource', 'bundle', 'update'],
  usage:
    '<bundle> [container <option>=<value>...] [network <option>=<value>...] [port-map (add <option>=<value>...) | (delete <id>...)]... [storage-map (add <option>=<value>...) | (delete <id>...)]... [meta <name>=<value>...]',
  summary: 'Change a bundle, such as its image; an empty value removes an option',
  examples: ['systole resource bundle update web container image=nginx:1.27'],
  flags: changeFlags,
  completes: ['resource', { words: keywords }],
  run: async (call) => {
    expectWords(call.words, {
      // Called as pcs, a bundle of which nothing is said stays as it is.
      atLeast: judgesAsPcs(call.speech) ? 1 : 3,
      usage: 'resource bundle update <bundle> container image=<image> …',
    })
    const [id = '', ...rest] = call.words
    const sections = splitSections(rest, keywords)
    const values = readBundle(call, rest, true)
    if (values.type !== undefined) throw new Refusal('The container type of a bundle cannot be changed. Omit it.')
    const removed = (keyword: string): readonly string[] =>
      sections
        .filter((section) => section.keyword === keyword && isRemoval(section.words[0]))
        .flatMap(({ words }) => words.slice(1))
    const change = { id, ...values, removePorts: removed('port-map'), removeStorage: removed('storage-map') }
    await tellUnknown(call, (cib) => updateBundle(cib, { ...change, force: false }))
    return await changeCib(call, {
      edit: (cib) => updateBundle(cib, { ...change, force: call.flags.has('force') }),
      message: () => `Changed the bundle ${id}.`,
    })
  },
}

/** Options that nobody knows are written with --force, not in silence. */
async function tellUnknown(call: Call, attempt: (cib: XmlElement) => EditResult): Promise<void> {
  if (!call.flags.has('force')) return
  const attempted = attempt((await call.cluster.readCib()).cib)
  if (!attempted.ok) tellForcedOptions(call, attempted.reports)
}

interface WrittenBundle {
  readonly type?: ContainerType
  readonly container: Readonly<Record<string, string>>
  readonly network: Readonly<Record<string, string>>
  readonly meta: Readonly<Record<string, string>>
  readonly ports: readonly Readonly<Record<string, string>>[]
  readonly storage: readonly Readonly<Record<string, string>>[]
}

const isRemoval = (word: string | undefined): boolean => word === 'delete' || word === 'remove'

/** With `verbs`, mappings begin with add, delete or remove; only what is added is returned. */
function readBundle({ speech }: Call, words: readonly string[], verbs = false): WrittenBundle {
  const sections = splitSections(words, keywords)
  const [before] = sections
  const [extra] = before?.words ?? []
  if (extra !== undefined) throw new Refusal(`Unexpected argument '${extra}'. Begin with ${keywords.join(', ')}.`)
  const of = (keyword: string): readonly (readonly string[])[] =>
    sections.filter((section) => section.keyword === keyword).map((section) => section.words)
  const containers = of('container').flat()
  const type = containerTypes.find((known) => known === containers[0])
  const mappings = (keyword: string): readonly Readonly<Record<string, string>>[] =>
    of(keyword)
      .filter(([verb]) => !verbs || !isRemoval(verb))
      .map((own) => {
        if (verbs && own[0] !== 'add')
          throw new Refusal(`After '${keyword}' comes 'add' or 'delete', not '${own[0] ?? ''}'.`)
        return Object.fromEntries(parsePairs(verbs ? own.slice(1) : own, `options of a ${keyword}`))
      })
  // With --force pcs writes the older name as it is.
  const asWritten = (own: readonly string[]): readonly string[] => (judgesAsPcs(speech) ? own : own.map(presentName))
  const pairs = (own: readonly string[], what: string): Readonly<Record<string, string>> =>
    Object.fromEntries(parsePairs(own, what))
  return {
    ...(type === undefined ? {} : { type }),
    container: pairs(asWritten(type === undefined ? containers : containers.slice(1)), 'container options'),
    network: pairs(of('network').flat(), 'network options'),
    meta: pairs(of('meta').flat(), 'meta-attributes'),
    ports: mappings('port-map'),
    storage: mappings('storage-map'),
  }
}

/** What pcs called it up to 0.10; the newest schema does not know it any more. */
const presentName = (word: string): string => word.replace(/^masters=/, 'promoted-max=')
