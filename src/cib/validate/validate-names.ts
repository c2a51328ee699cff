/** Names and ids that are too long: what a node makes of them, such as the name of a file, has an end. */
import { longestAttributeName, longestId, longestName, shortened, tooLong } from '../../base/index.ts'
import type { XmlElement } from '../document.ts'
import { isReference } from '../schema/ids.ts'
import { descendants } from '../tree.ts'
import type { AddReport } from './report.ts'

/** What people choose a name for, by element: other ids are made of names. */
const named = new Set([
  'node',
  'primitive',
  'template',
  'group',
  'clone',
  'master',
  'bundle',
  'tag',
  'acl_role',
  'acl_target',
  'acl_group',
  'acl_user',
  'alert',
])

/** Attributes that are names themselves. */
const names: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    node: ['uname'],
    primitive: ['class', 'provider', 'type'],
    template: ['class', 'provider', 'type'],
    op: ['name'],
    rsc_ticket: ['ticket'],
  }),
)

export function validateNames(configuration: XmlElement, add: AddReport): void {
  for (const element of descendants(configuration)) {
    const { id, name } = element.attributes
    const check = (what: string, text: string | undefined, longest: number): void => {
      const sentence = text === undefined ? undefined : tooLong(what, text, longest)
      if (sentence !== undefined) add('error', element, { code: 'too-long', sentence })
    }
    if (!isReference(element)) check(`id of the ${element.name}`, id, named.has(element.name) ? longestName : longestId)
    for (const attribute of names.get(element.name) ?? [])
      check(`${attribute} of the ${element.name} '${shortened(id ?? '')}'`, element.attributes[attribute], longestName)
    if (element.name !== 'nvpair') continue
    check(`name of the nvpair '${shortened(id ?? '')}'`, name, longestAttributeName)
    if (name === 'remote-node') check('name of the guest node', element.attributes.value, longestName)
  }
}
