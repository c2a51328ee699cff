/**
 * Whether a configuration may be written under its `validate-with`: Pacemaker and its tools refuse a CIB that its own schema does not allow,
 * to the letter. `validateCib` is about what the cluster understands, which is more; this is about what others will take.
 */
import { childElement, childElements, type XmlElement } from '../document.ts'
import { descendants } from '../tree.ts'
import { isReference } from './ids.ts'
import { forms } from './schema.ts'
import {
  attributeSpans,
  described,
  elementSpans,
  nameless,
  neverWritten,
  referable,
  type SchemaNumber,
  type Span,
  scoreForm,
  valueForms,
  values,
} from './schema-words.ts'
import { shapeMistakes } from './shapes.ts'

/** Undefined for `none` and for what is not one of Pacemaker's. */
export function schemaNumber(name: string | undefined): SchemaNumber | undefined {
  const [, major, minor] = /^pacemaker-(\d+)\.(\d+)$/.exec(name ?? '') ?? []
  return major === undefined ? undefined : Number(major) * 100 + Number(minor)
}

/** Sentences about what the CIB's own schema does not allow; none for a CIB without a schema. */
export function schemaMistakes(cib: XmlElement): readonly string[] {
  const schema = schemaNumber(cib.attributes['validate-with'])
  const configuration = childElement(cib, 'configuration')
  if (schema === undefined || configuration === undefined) return []
  return [...elementMistakes(configuration, schema), ...idMistakes(configuration, schema)]
}

function elementMistakes(parent: XmlElement, schema: SchemaNumber): readonly string[] {
  return [
    ...attributeMistakes(parent, schema),
    ...shapeMistakes(parent, schema),
    ...childElements(parent).flatMap((child) =>
      isKnownChild(parent, child) && isIn(elementSpans[child.name], schema)
        ? elementMistakes(child, schema)
        : [`${nameOf(parent)} cannot hold <${child.name}>`],
    ),
  ]
}

function isKnownChild({ name }: XmlElement, child: XmlElement): boolean {
  return Object.hasOwn(forms, name) && forms[name]?.children.includes(child.name) === true
}

function attributeMistakes(element: XmlElement, schema: SchemaNumber): readonly string[] {
  return Object.entries(element.attributes).flatMap(([attribute, value]) => {
    const word = `${element.name} ${attribute}`
    if (attribute.startsWith('xmlns') || attribute.includes(':')) return []
    if (!isKnownAttribute(element, attribute) || !isIn(attributeSpans[word], schema))
      return [`${nameOf(element)} cannot have the attribute '${attribute}'`]
    return isValue(word, value, schema) ? [] : [`${nameOf(element)} cannot have ${attribute}="${value}"`]
  })
}

function isKnownAttribute({ name, attributes }: XmlElement, attribute: string): boolean {
  if (neverWritten.has(`${name} ${attribute}`)) return false
  if (attribute === 'id-ref') return referable.has(name)
  // A reference stands for the whole other element.
  if (attributes['id-ref'] !== undefined && name !== 'operations') return name === 'nvpair' && attribute === 'name'
  if (attribute === 'id') return !nameless.has(name)
  if (attribute === 'description') return described.has(name)
  return Object.hasOwn(forms[name]?.attributes ?? {}, attribute) || oldAttributes.has(`${name} ${attribute}`)
}

/** Of schemas that nobody writes any more. */
const oldAttributes = new Set(['rsc_colocation score-attribute', 'rsc_colocation score-attribute-mangle'])

function isValue(word: string, value: string, schema: SchemaNumber): boolean {
  if (word.endsWith(' score')) return scoreForm.test(value)
  const known = values[word]
  if (known !== undefined)
    return Object.hasOwn(known, value) && isIn(known[value], schema) && !neverWritten.has(`${word} ${value}`)
  return valueForms[word]?.test(value) ?? true
}

function isIn(span: Span | undefined, schema: SchemaNumber): boolean {
  return (span?.since ?? 0) <= schema && schema < (span?.until ?? Number.POSITIVE_INFINITY)
}

/** Of nodes and users of ACLs the id is any text. */
const freeIds = new Set(['node', 'acl_target'])

function idMistakes(configuration: XmlElement, schema: SchemaNumber): readonly string[] {
  const seen = new Set<string>()
  const mistakes: string[] = []
  const all = descendants(configuration)
  for (const element of all) {
    const { id } = element.attributes
    if (id === undefined || freeIds.has(element.name) || isReference(element)) continue
    if (!/^[\p{L}_][\p{L}\p{N}\p{M}_.·-]*$/u.test(id)) mistakes.push(`'${id}' cannot be an id`)
    else if (seen.has(id)) mistakes.push(`the id '${id}' is used twice`)
    seen.add(id)
  }
  for (const element of all)
    for (const id of referencesOf(element, schema))
      if (!seen.has(id)) mistakes.push(`${nameOf(element)} names '${id}', which does not exist`)
  return mistakes
}

/** The ids of other elements that an element names; a tag may name anything since the schema 3.3. */
function referencesOf(element: XmlElement, schema: SchemaNumber): readonly string[] {
  const { name, attributes } = element
  const names = ['id-ref', ...(references[name] ?? [])].flatMap((attribute) => attributes[attribute] ?? [])
  return isReference(element) && (name !== 'obj_ref' || schema < 303) ? [...names, attributes.id ?? ''] : names
}

const references: Readonly<Record<string, readonly string[]>> = {
  primitive: ['template'],
  rsc_location: ['rsc'],
  rsc_colocation: ['rsc', 'with-rsc'],
  rsc_order: ['first', 'then'],
  rsc_ticket: ['rsc'],
  acl_permission: ['reference'],
}

const nameOf = ({ name, attributes: { id } }: XmlElement): string =>
  id === undefined ? `<${name}>` : `${name} '${id}'`
