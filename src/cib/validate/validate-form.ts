/** The form of each element by the schema table: unknown elements and attributes, missing attributes, values, ids. */
import { firstNotInXml, similarWords } from '../../base/index.ts'
import { childElements, type XmlElement } from '../document.ts'
import { describeValues, isValueOf, type OptionDefinition, type OptionType } from '../options/definition.ts'
import { isReference, isValidId } from '../schema/ids.ts'
import { attributesWithoutEffect, type ElementForm, forgivenAttributes, forms } from '../schema/schema.ts'
import type { AddReport } from './report.ts'
import { isObsoleteAttribute, isObsoleteElement } from './validate-obsolete.ts'

/** Elements whose id is a name, not an XML id: nodes have the membership's ids, references those of others. */
const freeIds = new Set(['node', 'role', 'role_ref', 'acl_target', 'acl_group'])

export function validateForm(element: XmlElement, add: AddReport): void {
  const form = Object.hasOwn(forms, element.name) ? forms[element.name] : undefined
  if (form === undefined) return
  checkAttributes(element, form, add)
  for (const child of childElements(element)) {
    if (form.children.includes(child.name)) {
      validateForm(child, add)
      continue
    }
    if (isObsoleteElement(element, child)) continue
    const similar = similarWords(child.name, form.children)
    add('error', child, { code: 'unknown-element', element: child.name, parent: element.name, similar })
  }
}

function checkAttributes(element: XmlElement, form: ElementForm, add: AddReport): void {
  const known = [...Object.keys(form.attributes), 'id', 'id-ref', 'description']
  for (const [attribute, value] of Object.entries(element.attributes)) {
    const character = firstNotInXml(value)
    if (character !== undefined) add('error', element, { code: 'control-character', name: attribute, character })
    const type = Object.hasOwn(form.attributes, attribute) ? form.attributes[attribute] : undefined
    if (type) {
      checkValue(element, { attribute, value, type }, add)
      checkEffect(element, { attribute, value }, add)
    } else if (isObsoleteAttribute(element, attribute)) continue
    else if (!known.includes(attribute) && !attribute.includes(':') && attribute !== 'xmlns') {
      const similar = similarWords(attribute, known)
      add('warning', element, { code: 'unknown-attribute', attribute, element: element.name, similar })
    }
  }
  const { id } = element.attributes
  // Old CIBs have ids that begin with a digit or hold a colon: they work, though no edit makes them.
  if (
    id !== undefined &&
    !freeIds.has(element.name) &&
    !isReference(element) &&
    !isValidId(id) &&
    !/^[\w.:-]+$/.test(id)
  )
    add('error', element, { code: 'bad-id', id })
  // A reference stands for the whole other element.
  if (element.attributes['id-ref'] !== undefined) return
  for (const attribute of form.required)
    if (element.attributes[attribute] === undefined)
      add('error', element, { code: 'missing-attribute', attribute, element: element.name })
}

function checkEffect(
  element: XmlElement,
  { attribute, value }: { readonly attribute: string; readonly value: string },
  add: AddReport,
): void {
  const word = `${element.name} ${attribute}`
  const reason = Object.hasOwn(attributesWithoutEffect, word) ? attributesWithoutEffect[word] : undefined
  if (reason !== undefined) add('warning', element, { code: 'without-effect', name: attribute, value, reason })
}

function checkValue(
  element: XmlElement,
  of: { readonly attribute: string; readonly value: string; readonly type: OptionType },
  add: AddReport,
): void {
  const definition: OptionDefinition = { name: of.attribute, type: of.type, description: '' }
  if (isValueOf(definition, of.value)) return
  const forgiven = forgivenAttributes.has(`${element.name} ${of.attribute}`)
  add(forgiven ? 'warning' : 'error', element, {
    code: 'bad-value',
    name: of.attribute,
    value: of.value,
    expected: describeValues(definition),
    similar: of.type.kind === 'one-of' ? similarWords(of.value, of.type.values) : [],
  })
}
