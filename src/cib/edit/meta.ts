/** Meta-attributes by kind of resource: which may be set, and to what. */
import type { XmlElement } from '../document.ts'
import { metaOptionsFor, type ResourceKind } from '../options/lookup.ts'
import { cloneMetaOptions } from '../options/resource-options.ts'
import { checkNameValues, isMisspelt, type NameValues } from './name-values.ts'
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

/**
 * A clone's option may stand in what is cloned, where scripts write it. There it says nothing; `strayCloneOptions` names it.
 * Agents and scripts keep notes of their own in meta-attributes: only a name that is nearly a known one is a mistake.
 */
export function checkMeta(kind: ResourceKind, meta: NameValues, force: boolean | undefined): readonly EditReport[] {
  return checkNameValues(meta, {
    options: [...metaOptionsFor(kind), ...cloneMetaOptions],
    where: `meta-attribute of a ${kind}`,
    allowUnknown: force === true,
  }).filter(isMisspelt)
}

/** Options of clones among the meta-attributes of a primitive or group. */
export function strayCloneOptions(kind: ResourceKind, names: readonly string[]): readonly string[] {
  const own = metaOptionsFor(kind)
  const isIn = (options: typeof own, name: string): boolean =>
    options.some((option) => option.name === name || option.otherNames?.includes(name) === true)
  return names.filter((name) => !isIn(own, name) && isIn(cloneMetaOptions, name))
}
