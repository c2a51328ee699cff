/** Edits of any element by its id: its description, and whole elements as XML where no other edit says what is meant. */
import { failed, similarWords } from '../../base/index.ts'
import { element, type XmlElement } from '../document.ts'
import { configurationElement } from '../read-configuration.ts'
import { idSource, isReference } from '../schema/ids.ts'
import { appended, descendants, editSection, replaceElement, withAttributes } from '../tree.ts'
import { type NvSetEdit, setNameValues } from './name-values.ts'
import { type EditResult, edited } from './reports.ts'
import { type NewRule, ruleElement } from './rule-element.ts'

/** An empty text takes the description away. */
export function setDescription(
  cib: XmlElement,
  request: { readonly id: string; readonly description: string },
): EditResult {
  const found = elementWithId(cib, request.id)
  if (found === undefined)
    return failed({
      code: 'nothing-has-id',
      id: request.id,
      similar: similarWords(request.id, idSource(cib).all()),
    })
  return edited(
    replaceElement(cib, found, (current) =>
      withAttributes(current, { description: request.description === '' ? undefined : request.description }),
    ),
  )
}

export function elementWithId(cib: XmlElement, id: string): XmlElement | undefined {
  return descendants(configurationElement(cib)).find(
    (candidate) => candidate.attributes.id === id && !isReference(candidate),
  )
}

/** Appends an element to a section. What it means is for validation to say. */
export function appendElement(
  cib: XmlElement,
  request: { readonly section: string; readonly element: XmlElement },
): EditResult {
  const { id } = request.element.attributes
  if (id !== undefined && request.section !== 'nodes' && idSource(cib).isTaken(id))
    return failed({ code: 'id-in-use', id, by: 'another element' })
  return edited(
    editSection(cib, request.section, (section) => appended(section, request.element)),
    { created: id === undefined ? [] : [id] },
  )
}

/** Pairs of an element that stands for itself, so that no id can be taken: ids are made of the set's. An empty value is no pair. */
export function setPairs(parent: XmlElement, edit: NvSetEdit): XmlElement {
  return setNameValues(parent, edit, idSource(element('cib')))
}

/** A rule that stands for itself. */
export function ruleOfNew(rule: NewRule, id: string): XmlElement {
  return ruleElement(rule, id, idSource(element('cib')))
}
