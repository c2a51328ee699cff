/** What a command may make of a CIB: nothing that makes no sense. What made none before does not stand in its way. */
import {
  childElements,
  configurationElement,
  describeCibReport,
  sameDocument,
  validateCib,
  type XmlElement,
} from '../../cib/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { refused, type ToolReply } from '../reply.ts'
import { schemaName } from '../version.ts'
import type { CibChange } from '../world.ts'
import { descendants, sectionOf } from './tree.ts'

/** Every configuration has these, be they empty. */
export const requiredSections = ['crm_config', 'nodes', 'resources', 'constraints']

/** The change, refused where its outcome has a mistake that was not there before. */
export function conforming(change: CibChange): CibChange {
  return (before) => {
    const after = change(before)
    return 'exitCode' in after || sameDocument(before, after) ? after : checked(before, after)
  }
}

function checked(before: XmlElement, after: XmlElement): XmlElement | ToolReply {
  const now = mistakes(after)
  if (now.length === 0) return after
  const known = new Set(mistakes(before))
  const added = now.filter((mistake) => !known.has(mistake))
  if (added.length === 0) return after
  return refused(
    exitCodes.configuration,
    [...added, 'Call failed: Update does not conform to the configured schema'].join('\n'),
  )
}

function mistakes(cib: XmlElement): readonly string[] {
  return [
    ...formMistakes(cib),
    ...validateCib(cib).flatMap((report) => (report.severity === 'error' ? [describeCibReport({ ...report })] : [])),
  ]
}

/** What every CIB has, whoever wrote it: numbers for its version, the name of a schema, and the sections that a schema requires. */
function formMistakes(cib: XmlElement): readonly string[] {
  const versions = ['admin_epoch', 'epoch', 'num_updates'].filter((name) => !/^\d+$/.test(cib.attributes[name] ?? '0'))
  const schema = cib.attributes['validate-with'] ?? 'none'
  const isSchema = /^(?:pacemaker-(?:\d+\.\d+|next)|none)$/.test(schema)
  const described = childElements(configurationElement(cib)).filter(
    ({ attributes }) => Object.keys(attributes).length > 0,
  )
  const empty = descendants(configurationElement(cib)).filter(
    ({ name, attributes, children }) =>
      name === 'rule' && attributes['id-ref'] === undefined && !children.some(({ kind }) => kind === 'element'),
  )
  const missing = requiredSections.filter((name) => sectionOf(cib, name) === undefined)
  return [
    ...versions.map((name) => `The ${name} of a CIB is a number, not '${cib.attributes[name]}'.`),
    ...(isSchema ? [] : [`There is no schema '${schema}': validate-with names one, such as ${schemaName}.`]),
    ...described.map(({ name }) => `The section <${name}> has no attributes.`),
    ...empty.map(({ attributes: { id } }) => `The rule '${id}' has no expression.`),
    ...missing.map((name) => `A configuration has a section <${name}>, be it empty.`),
  ]
}
