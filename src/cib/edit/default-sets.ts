/** Defaults in several sets, each under a rule that says for which resources or operations it holds. */
import { failed, longestId, similarWords } from '../../base/index.ts'
import { childElement, childElements, element, type XmlElement } from '../document.ts'
import { configurationElement } from '../read-configuration.ts'
import { idPart, idSource } from '../schema/ids.ts'
import { appended, editSection, replaceElement, withAttributes, withChildren } from '../tree.ts'
import { formatScore } from '../values/score.ts'
import { badNewId } from './find.ts'
import type { NameValues } from './name-values.ts'
import { type EditReport, type EditResult, edited, unless } from './reports.ts'
import { type NewRule, ruleElement, schemaRule } from './rule-element.ts'
import { checkDefaults, type DefaultsOf, defaultsSections } from './settings.ts'

export interface NewDefaultsSet {
  readonly of: DefaultsOf
  readonly id?: string
  readonly score?: number
  readonly values: NameValues
  readonly rule?: NewRule
  readonly force?: boolean
}

export function createDefaultsSet(cib: XmlElement, request: NewDefaultsSet): EditResult {
  const { section } = defaultsSections[request.of]
  const ids = idSource(cib)
  const reports: readonly EditReport[] = [
    ...(request.id === undefined ? [] : badNewId(ids, request.id, longestId)),
    ...checkDefaults(request.of, request.values, request.force),
  ]
  return unless(reports, () => {
    const id = request.id ?? ids.free(`${section}-meta_attributes`)
    if (request.id !== undefined) ids.free(id)
    const attributes = { id, ...(request.score === undefined ? {} : { score: formatScore(request.score) }) }
    const rule = request.rule ? [ruleElement(schemaRule(cib, request.rule), `${id}-rule`, ids)] : []
    const pairs = Object.entries(request.values)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => element('nvpair', { id: ids.free(`${id}-${idPart(name)}`), name, value }))
    const made = element('meta_attributes', attributes, [...rule, ...pairs])
    return edited(
      editSection(cib, section, (found) => appended(found, made)),
      { created: [id] },
    )
  })
}

export function deleteDefaultsSets(
  cib: XmlElement,
  request: { readonly of: DefaultsOf; readonly ids: readonly string[] },
): EditResult {
  const sets = setsOf(cib, request.of)
  const reports: readonly EditReport[] = [
    ...(request.ids.length === 0 ? [{ code: 'nothing-given', what: 'set of defaults' } as const] : []),
    ...request.ids.filter((id) => !sets.some((set) => set.attributes.id === id)).map((id) => missing(id, sets)),
  ]
  return unless(reports, () => {
    const leaving = sets.filter((set) => request.ids.includes(set.attributes.id ?? ''))
    return edited(
      leaving.reduce((current, set) => replaceElement(current, set, []), cib),
      { removed: leaving.map(({ name, attributes }) => ({ element: name, id: attributes.id ?? '' })) },
    )
  })
}

/** Values of one set, with a rule or without; an empty value takes a name away. The set stays when it is empty. */
export function updateDefaultsSet(
  cib: XmlElement,
  request: { readonly of: DefaultsOf; readonly id: string; readonly values: NameValues; readonly force?: boolean },
): EditResult {
  const sets = setsOf(cib, request.of)
  const found = sets.find((set) => set.attributes.id === request.id)
  if (found === undefined) return failed(missing(request.id, sets))
  return unless(checkDefaults(request.of, request.values, request.force), () => {
    const ids = idSource(cib)
    return edited(
      replaceElement(cib, found, (set) =>
        Object.entries(request.values).reduce((current, [name, value]) => {
          const pair = childElements(current, 'nvpair').find(({ attributes }) => attributes.name === name)
          if (value === '')
            return withChildren(
              current,
              current.children.filter((child) => child !== pair),
            )
          if (pair) return replaceElement(current, pair, (old) => withAttributes(old, { value }))
          return appended(current, element('nvpair', { id: ids.free(`${request.id}-${idPart(name)}`), name, value }))
        }, set),
      ),
    )
  })
}

function setsOf(cib: XmlElement, of: DefaultsOf): readonly XmlElement[] {
  const section = childElement(configurationElement(cib), defaultsSections[of].section)
  return section === undefined ? [] : childElements(section, 'meta_attributes')
}

function missing(id: string, sets: readonly XmlElement[]): EditReport {
  const known = sets.flatMap(({ attributes }) => attributes.id ?? [])
  return { code: 'not-found', what: 'set of defaults', id, similar: similarWords(id, known) }
}
