/** What the parts of a cluster file have in common: options, references, XML. */

import { type FieldPath, isMap } from '../../base/index.ts'
import { element, parseXml, type XmlElement } from '../../cib/index.ts'
import type { Fields } from './read-file.ts'

export type Report = (path: FieldPath, sentence: string) => void

export const fieldsOf = (value: unknown): Fields => (isMap(value) ? value : {})
export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Attributes that are given, by the names that they have in the CIB. */
export function attributesOf(body: Fields, names: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([field, name]) => (body[field] === undefined ? [] : [[name, String(body[field])]])),
  )
}

export function optionSet(name: string, body: unknown): readonly XmlElement[] {
  if (body === undefined) return []
  return [
    element(
      name,
      {},
      Object.entries(fieldsOf(body)).map(([option, value]) =>
        element('nvpair', { name: option, value: String(value) }),
      ),
    ),
  ]
}

export const references = (name: string, list: unknown): readonly XmlElement[] =>
  itemsOf(list).map((id) => element(name, { id: String(id) }))

export function elementOfXml(
  text: unknown,
  around: { readonly id: string; readonly body: unknown; readonly path: FieldPath; readonly report: Report },
): XmlElement {
  const { id, body, path, report } = around
  const nothing = element('primitive', { id })
  if (Object.keys(fieldsOf(body)).length > 1) report(path, 'No other field stands beside xml.')
  const parsed = parseXml(String(text).trim())
  if (!parsed.ok) {
    report([...path, 'xml'], `This is not well-formed XML: ${parsed.reports[0]?.message ?? ''}.`)
    return nothing
  }
  const { attributes } = parsed.value
  const name = parsed.value.name === 'node' ? attributes.uname : attributes.id
  if (name !== id) report([...path, 'xml'], `The XML is of '${name ?? ''}', and not of '${id}'.`)
  return parsed.value
}
