/** Meta-attributes by kind of resource: which may be set, and to what. */
import type { XmlElement } from '../document.ts'
import { metaOptionsFor, type ResourceKind } from '../options/lookup.ts'
import { checkNameValues, type NameValues } from './name-values.ts'
import type { EditReport } from './reports.ts'

export function metaKindOf(resource: XmlElement): ResourceKind {
  switch (resource.name) {
    case 'group':
      return 'group'
    case 'bundle':
      return 'bundle'
    case 'clone':
    case 'master':
      return 'clone'
    default:
      return 'primitive'
  }
}

export function checkMeta(kind: ResourceKind, meta: NameValues, force: boolean | undefined): readonly EditReport[] {
  return checkNameValues(meta, {
    options: metaOptionsFor(kind),
    where: `meta-attribute of a ${kind}`,
    allowUnknown: force === true,
  })
}
