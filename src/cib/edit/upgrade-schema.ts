/**
 * A CIB of an older schema written as one of the newest, as Pacemaker's own upgrade does it: old names and places become those
 * of today, and nothing is decided otherwise than before.
 */
import { failed, ok, type Result } from '../../base/index.ts'
import { sameDocument } from '../diff.ts'
import { childElement, type XmlElement, type XmlNode } from '../document.ts'
import { hasOldSchema, withPresentSchema } from '../old-schemas.ts'
import { schemaMistakes, schemaNumber } from '../schema/by-schema.ts'
import { isGoneOption } from '../schema/schema-words.ts'
import { schemaName } from '../status/feature-set.ts'
import { withAttributes, withChildren } from '../tree.ts'
import { withPresentAcls } from './upgrade-acls.ts'
import { withoutOperationsRequires } from './upgrade-requires.ts'
import { configurationOf4 } from './upgrade-to-4.ts'

const firstOf3 = 300
const schema4 = 'pacemaker-4.0'
/** The last schema that has a place for all that 4.0 has none for. */
const lastOf3 = 'pacemaker-3.10'

export interface Upgraded {
  readonly cib: XmlElement
  /** More than the schema's name has changed. */
  readonly rewritten: boolean
}

/**
 * To the schema 4.0, which Pacemaker 3 brought, or as near as what the CIB says allows. An edit does not do that, since programs
 * for Pacemaker 2 cannot read the result; an administrator who asks for the newest schema does. The failure is a sentence.
 */
export function upgradeToNewest(cib: XmlElement): Result<Upgraded, string> {
  const from = schemaNumber(cib.attributes['validate-with'])
  if (from !== undefined && from >= 400) return ok({ cib, rewritten: false })
  const newer = upgradeSchema(cib)
  if (!newer.ok) return newer
  const before = childElement(cib, 'configuration')
  const isRewritten = (after: XmlElement | undefined): boolean =>
    before !== undefined && after !== undefined && !sameDocument(before, after)
  const configuration = childElement(newer.value, 'configuration')
  const next = configuration === undefined ? undefined : configurationOf4(configuration)
  const of4 = withConfiguration(newer.value, schema4, configuration, next)
  const mistakes = next === undefined ? [] : schemaMistakes(of4)
  if (configuration === undefined || (next !== undefined && mistakes.length === 0))
    return ok({ cib: of4, rewritten: isRewritten(next) })
  if (from === 310) return failed(`The CIB cannot be upgraded to ${schema4}: ${mistakes[0] ?? lifetimeElsewhere}.`)
  const of3 = withConfiguration(newer.value, lastOf3, configuration, configuration)
  return ok({ cib: of3, rewritten: isRewritten(configuration) })
}

const lifetimeElsewhere = 'a colocation or an order has a lifetime, without which it would hold for ever'

function withConfiguration(
  cib: XmlElement,
  schema: string,
  before: XmlElement | undefined,
  after: XmlElement | undefined,
): XmlElement {
  const children = cib.children.map((child) => (after !== undefined && child === before ? after : child))
  return { ...cib, attributes: { ...cib.attributes, 'validate-with': schema }, children }
}

/** To the schema of new CIBs. A CIB of that one, or of a later one, stays as it is. The failure is a sentence. */
export function upgradeSchema(cib: XmlElement): Result<XmlElement, string> {
  const written = cib.attributes['validate-with'] ?? ''
  if (!/^pacemaker-\d+\.\d+$/.test(written))
    return failed(`A CIB of the schema '${written}' cannot be upgraded: its validate-with names none of Pacemaker's.`)
  if (written.localeCompare(schemaName, 'en', { numeric: true }) >= 0) return ok(cib)
  const configuration = childElement(cib, 'configuration')
  const children = cib.children.map((child) =>
    child === configuration && hasOldSchema(cib)
      ? withoutOldWords(withPresentAcls(withoutOperationsRequires(withPresentSchema(configuration))))
      : child,
  )
  return ok({ ...cib, attributes: { ...cib.attributes, 'validate-with': schemaName }, children })
}

/** What has its place elsewhere by now, or none. */
function withoutOldWords(parent: XmlElement): XmlElement {
  return withChildren(
    parent,
    parent.children.flatMap((child): readonly XmlNode[] => {
      if (child.kind !== 'element') return [child]
      return isOldPair(parent, child) ? [] : [withoutOldWords(presentWords(child))]
    }),
  )
}

function presentWords(child: XmlElement): XmlElement {
  switch (child.name) {
    case 'op':
      return withAttributes(child, { requires: undefined })
    case 'rsc_colocation':
      return withAttributes(child, { 'score-attribute': undefined, 'score-attribute-mangle': undefined })
    case 'node':
      return child.attributes.type === 'normal' ? withAttributes(child, { type: 'member' }) : child
    default:
      return child
  }
}

function isOldPair(set: XmlElement, { name: element, attributes: { name = '', value } }: XmlElement): boolean {
  if (element !== 'nvpair') return false
  if (set.name === 'cluster_property_set') return isGoneOption(name, value, firstOf3)
  if (set.name === 'meta_attributes') return /^isolation(-host|-instance|-wrapper)?$/.test(name)
  return set.name === 'instance_attributes' && name === 'pcmk_arg_map'
}
