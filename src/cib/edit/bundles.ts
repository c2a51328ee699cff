/** Bundles: a container, its network and storage, and a place for one primitive inside. */
import { failed, longestId, similarWords } from '../../base/index.ts'
import { childElement, childElements, element, type XmlElement } from '../document.ts'
import { metaOptionsFor } from '../options/lookup.ts'
import { type IdSource, idSource } from '../schema/ids.ts'
import { forms } from '../schema/schema.ts'
import { appended, editSection, replaceElement, withAttributes, withChildren } from '../tree.ts'
import { badNewId, findResource, kindOf, missingResource } from './find.ts'
import { checkMeta } from './meta.ts'
import { type NameValues, setNameValues } from './name-values.ts'
import { type EditReport, type EditResult, edited, unless } from './reports.ts'

export const containerTypes = ['docker', 'podman', 'rkt'] as const
export type ContainerType = (typeof containerTypes)[number]

export interface BundleValues {
  readonly container: NameValues
  readonly network: NameValues
  readonly meta: NameValues
  /** Each with its attributes; `id` among them where it is chosen. */
  readonly ports: readonly NameValues[]
  readonly storage: readonly NameValues[]
  /** Take options that are not known. */
  readonly force?: boolean
}

export interface NewBundle extends BundleValues {
  readonly id: string
  readonly type: ContainerType
  readonly disabled?: boolean
  /** Meta-attributes without a value are written, as pcs writes them. */
  readonly keepsEmpty?: boolean
}

export function createBundle(cib: XmlElement, request: NewBundle): EditResult {
  const ids = idSource(cib)
  return unless([...badNewId(ids, request.id), ...checkValues(request, ids)], () => {
    ids.free(request.id)
    takeChosen(request, ids)
    const bundle = bundleElement(request, ids)
    return edited(
      editSection(cib, 'resources', (section) => appended(section, bundle)),
      { created: [request.id] },
    )
  })
}

/** The same bundle made anew, of the container type that it has; what is inside stays. */
export function resetBundle(
  cib: XmlElement,
  request: BundleValues & { readonly id: string; readonly disabled?: boolean },
): EditResult {
  const found = findBundle(cib, request.id)
  if (found.bundle === undefined) return failed(found.report)
  const { bundle } = found
  const inner = childElements(bundle, 'primitive')
  // Its own parts give up their ids first.
  const emptied = replaceElement(cib, bundle, [withChildren(bundle, inner)])
  const ids = idSource(emptied)
  return unless(checkValues(request, ids), () => {
    takeChosen(request, ids)
    const fresh = bundleElement({ ...request, type: typeOf(bundle) }, ids)
    return edited(replaceElement(cib, bundle, [appended(fresh, ...inner)]))
  })
}

export interface BundleChange extends BundleValues {
  readonly id: string
  readonly removePorts: readonly string[]
  readonly removeStorage: readonly string[]
}

/** An empty value takes an option away. */
export function updateBundle(cib: XmlElement, change: BundleChange): EditResult {
  const found = findBundle(cib, change.id)
  if (found.bundle === undefined) return failed(found.report)
  const { bundle } = found
  const reports = [
    ...checkValues(change, idSource(cib), true),
    ...missingMappings(bundle, 'port-mapping', change.removePorts),
    ...missingMappings(bundle, 'storage-mapping', change.removeStorage),
  ]
  return unless(reports, () => {
    // What is removed gives up its id first.
    const ids = idSource(replaceElement(cib, bundle, (current) => withoutMappings(current, change)))
    takeChosen(change, ids)
    return edited(replaceElement(cib, bundle, (current) => withChange(current, change, ids)))
  })
}

/** Ids that are chosen are taken before others are made. */
function takeChosen({ ports, storage }: BundleValues, ids: IdSource): void {
  for (const { id } of [...ports, ...storage]) if (id !== undefined) ids.free(id)
}

const bundleContainer = (bundle: XmlElement): XmlElement =>
  childElement(bundle, typeOf(bundle)) ?? element(typeOf(bundle))

function withoutMappings(bundle: XmlElement, { removePorts, removeStorage }: BundleChange): XmlElement {
  const leaving = childElements(bundle)
    .flatMap((part) => [...childElements(part, 'port-mapping'), ...childElements(part, 'storage-mapping')])
    .filter(({ name, attributes: { id = '' } }) => (name === 'port-mapping' ? removePorts : removeStorage).includes(id))
  return leaving.reduce((current, one) => replaceElement(current, one, []), bundle)
}

function withChange(bundle: XmlElement, change: BundleChange, ids: IdSource): XmlElement {
  const kept = withoutMappings(bundle, change)
  const network = childElement(kept, 'network')
  const ports = childElements(network ?? kept, 'port-mapping')
  const mappings = childElements(childElement(kept, 'storage') ?? kept, 'storage-mapping')
  const parts = [
    withAttributes(bundleContainer(bundle), unsetEmpty(change.container)),
    ...networkOf(withAttributes(network ?? element('network'), unsetEmpty(change.network)).attributes, [
      ...ports,
      ...change.ports.map((port) => portMapping(change.id, port, ids)),
    ]),
    ...storageOf([...mappings, ...change.storage.map((mapping) => storageMapping(change.id, mapping, ids))]),
  ]
  const own = ['network', 'storage', ...containerTypes] as readonly string[]
  const others = bundle.children.filter((child) => child.kind !== 'element' || !own.includes(child.name))
  const sets = others.filter((child) => child.kind !== 'element' || child.name !== 'primitive')
  const inner = others.filter((child) => child.kind === 'element' && child.name === 'primitive')
  return setNameValues(
    withChildren(bundle, [...sets, ...parts, ...inner]),
    {
      kind: 'meta_attributes',
      setId: `${change.id}-meta_attributes`,
      values: change.meta,
      options: metaOptionsFor('bundle'),
    },
    ids,
  )
}

function bundleElement(request: NewBundle, ids: IdSource): XmlElement {
  const { id, type } = request
  const parts = [
    element(type, withoutEmpty(request.container)),
    ...networkOf(
      withoutEmpty(request.network),
      request.ports.map((port) => portMapping(id, port, ids)),
    ),
    ...storageOf(request.storage.map((mapping) => storageMapping(id, mapping, ids))),
  ]
  const values = request.disabled ? { ...request.meta, 'target-role': 'Stopped' } : request.meta
  const bundle = element('bundle', { id }, parts)
  return setNameValues(
    bundle,
    { kind: 'meta_attributes', setId: `${id}-meta_attributes`, values, keepsEmpty: request.keepsEmpty },
    ids,
  )
}

function networkOf(attributes: NameValues, ports: readonly XmlElement[]): readonly XmlElement[] {
  return Object.keys(attributes).length === 0 && ports.length === 0 ? [] : [element('network', attributes, ports)]
}

function storageOf(mappings: readonly XmlElement[]): readonly XmlElement[] {
  return mappings.length === 0 ? [] : [element('storage', {}, mappings)]
}

function portMapping(bundle: string, { id, ...others }: NameValues, ids: IdSource): XmlElement {
  const wanted = `${bundle}-port-map-${others.port ?? others.range ?? 'all'}`
  return element('port-mapping', { id: id ?? ids.free(wanted), ...others })
}

function storageMapping(bundle: string, { id, ...others }: NameValues, ids: IdSource): XmlElement {
  return element('storage-mapping', { id: id ?? ids.free(`${bundle}-storage-map`), ...others })
}

function unsetEmpty(values: NameValues): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value === '' ? undefined : value]))
}

/** In a new one an empty value is as good as none. */
function withoutEmpty(values: NameValues): NameValues {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
}

function typeOf(bundle: XmlElement): ContainerType {
  return containerTypes.find((type) => childElement(bundle, type) !== undefined) ?? 'podman'
}

function findBundle(
  cib: XmlElement,
  id: string,
): { readonly bundle: XmlElement } | { readonly bundle?: undefined; readonly report: EditReport } {
  const found = findResource(cib, id)
  if (found === undefined) return { report: missingResource(cib, id) }
  if (found.name === 'bundle') return { bundle: found }
  return { report: { code: 'wrong-kind', id, kind: kindOf(found), wanted: 'bundle' } }
}

function missingMappings(bundle: XmlElement, name: string, wanted: readonly string[]): readonly EditReport[] {
  const known = childElements(bundle).flatMap((part) =>
    childElements(part, name).flatMap(({ attributes }) => attributes.id ?? []),
  )
  return wanted
    .filter((id) => !known.includes(id))
    .map((id) => ({ code: 'not-found', what: name.replace('-', ' '), id, similar: similarWords(id, known) }))
}

/** With `unsets` an option without a value is taken away, whatever its name. */
function checkValues(values: BundleValues, ids: IdSource, unsets = false): readonly EditReport[] {
  const set = (given: NameValues): NameValues => (unsets ? withoutEmpty(given) : given)
  const parts = [
    { given: [set(values.container)], form: 'podman', where: 'container option' },
    { given: [set(values.network)], form: 'network', where: 'network option' },
    { given: values.ports, form: 'port-mapping', where: 'option of a port mapping' },
    { given: values.storage, form: 'storage-mapping', where: 'option of a storage mapping' },
  ] as const
  const chosen = [...values.ports, ...values.storage].flatMap(({ id }) => (id === undefined ? [] : [id]))
  return [
    ...checkMeta('bundle', values.meta, values.force),
    ...chosen.flatMap((id) => badNewId(ids, id, longestId)),
    ...parts.flatMap(({ given, form, where }) =>
      given.flatMap((own) => (values.force ? [] : unknownNames(Object.keys(own), form, where))),
    ),
  ]
}

function unknownNames(names: readonly string[], form: string, where: string): readonly EditReport[] {
  const known = ['id', ...Object.keys(forms[form]?.attributes ?? {})]
  return names
    .filter((name) => !known.includes(name))
    .map((name) => {
      const after = sections.find((other) => Object.hasOwn(forms[other.form]?.attributes ?? {}, name))?.word
      const report = { code: 'unknown-option', name, where, similar: similarWords(name, known), known } as const
      return after === undefined ? report : { ...report, after }
    })
}

/** By the words of a command that open them. What several sections have stands in the one that was meant. */
const sections: readonly { readonly word: string; readonly form: string }[] = [
  { word: 'container', form: 'podman' },
  { word: 'network', form: 'network' },
  { word: 'port-map', form: 'port-mapping' },
  { word: 'storage-map', form: 'storage-mapping' },
]
