/**
 * An edit as it may be written under the CIB's `validate-with`: with the roles that an old schema knows, or under the newest schema where the
 * edit needs a newer one. Whoever reads the CIB afterwards (Pacemaker, its tools, a backup put back elsewhere) refuses one that its own
 * schema does not allow.
 */
import { failed, ok, type Result } from '../../base/index.ts'
import { childElement, type XmlElement } from '../document.ts'
import { schemaMistakes, schemaNumber } from '../schema/by-schema.ts'
import { descendants } from '../tree.ts'
import { upgradeSchema } from './upgrade-schema.ts'

/** Since this schema a rule needs no score, and says what it may stand in: pcs raises older ones for the sake of a new rule. */
const rulesOfToday = 309
const rolesOfToday = 307

interface Fitted<T> {
  readonly edited: T
  /** The CIB was raised to the newest schema first. */
  readonly raised: boolean
}

/** The failure is what the schema does not allow, in sentences. What was wrong before is not the edit's. */
export function fitSchema<T extends { readonly cib: XmlElement }>(
  before: XmlElement,
  edited: T,
  /** Makes the edit on the upgraded CIB. */
  edit: (cib: XmlElement) => T,
  { raisesForRules = true }: { readonly raisesForRules?: boolean } = {},
): Result<Fitted<T>, string> {
  const asItIs = { ...edited, cib: withKnownRoles(edited.cib) }
  const mistakes = newMistakes(before, asItIs.cib)
  if (mistakes.length === 0 && !(raisesForRules && hasNewRule(before, asItIs.cib)))
    return ok({ edited: asItIs, raised: false })
  const upgraded = upgradeSchema(before)
  if (upgraded.ok && upgraded.value !== before) {
    const again = edit(upgraded.value)
    const left = newMistakes(upgraded.value, again.cib)
    return left.length === 0 ? ok({ edited: again, raised: true }) : failed(...left)
  }
  return mistakes.length === 0 ? ok({ edited: asItIs, raised: false }) : failed(...mistakes)
}

function newMistakes(before: XmlElement, after: XmlElement): readonly string[] {
  const is = schemaMistakes(after)
  if (is.length === 0) return []
  const was = new Set(schemaMistakes(before))
  return is.filter((mistake) => !was.has(mistake))
}

function hasNewRule(before: XmlElement, after: XmlElement): boolean {
  const schema = schemaNumber(after.attributes['validate-with'])
  return schema !== undefined && schema < rulesOfToday && ruleCount(after) > ruleCount(before)
}

const ruleCount = (cib: XmlElement): number => {
  const configuration = childElement(cib, 'configuration')
  return configuration === undefined ? 0 : descendants(configuration).filter(({ name }) => name === 'rule').length
}

const oldRoles: Readonly<Record<string, string>> = { Promoted: 'Master', Unpromoted: 'Slave' }
const roleAttributes = ['role', 'rsc-role', 'with-rsc-role']

/** Before the schema 3.7 the roles are Master and Slave. */
function withKnownRoles(cib: XmlElement): XmlElement {
  const schema = schemaNumber(cib.attributes['validate-with'])
  return schema === undefined || schema >= rolesOfToday ? cib : withOldRoles(cib)
}

function withOldRoles(element: XmlElement): XmlElement {
  const attributes = Object.fromEntries(
    Object.entries(element.attributes).map(([name, value]) => [
      name,
      roleAttributes.includes(name) ? (oldRoles[value] ?? value) : value,
    ]),
  )
  const children = element.children.map((child) => (child.kind === 'element' ? withOldRoles(child) : child))
  return { ...element, attributes, children }
}
