/** What a command may make of a CIB: nothing that makes no sense. What made none before does not stand in its way. */
import {
  type CibReport,
  childElements,
  configurationElement,
  describeCibReport,
  describeFinding,
  sameDocument,
  schemaMistakes,
  validateCib,
  type XmlElement,
} from '../../cib/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { refused, type ToolReply } from '../reply.ts'
import { schemaName } from '../version.ts'
import type { CibChange } from '../world.ts'
import { descendants, sectionOf } from './tree.ts'

/** Those that Pacemaker has had. */
const schemaNames = /^(?:pacemaker-(?:0\.6|0\.7|1\.[0-3]|2\.(?:\d|10)|3\.(?:\d|10)|4\.0|next)|transitional-0\.6|none)$/

export const isSchemaName = (name: string): boolean => schemaNames.test(name)

/** Every configuration has these, be they empty. */
export const requiredSections = ['crm_config', 'nodes', 'resources', 'constraints']

/** The change, refused where its outcome has a mistake that was not there before. Lines move with every change, and what resembles an id does too. */
export function conforming(change: CibChange): CibChange {
  return (before) => {
    const after = change(before)
    return 'exitCode' in after || sameDocument(before, after) ? after : checked(before, after)
  }
}

function checked(before: XmlElement, after: XmlElement): XmlElement | ToolReply {
  const now = mistakes(after)
  if (now.length === 0) return after
  const known = new Set(mistakes(before).map(({ key }) => key))
  const added = now.filter(({ key }) => !known.has(key)).map(({ sentence }) => sentence)
  if (added.length === 0) return after
  const reply = refused(
    exitCodes.configuration,
    [...added, 'Call failed: Update does not conform to the configured schema'].join('\n'),
  )
  return { ...reply, instead: after }
}

interface Mistake {
  readonly sentence: string
  /** The same for the same mistake in another version of the CIB. */
  readonly key: string
}

/** Without a schema anything may be written. */
function mistakes(cib: XmlElement): readonly Mistake[] {
  if (cib.attributes['validate-with'] === 'none') return []
  return [
    ...[...schemaMistakes(cib), ...formMistakes(cib)].map((sentence) => ({ sentence, key: sentence })),
    ...validateCib(cib).flatMap((report) => {
      if (report.severity !== 'error' || namesInTag(report)) return []
      const { place: _, path, ...finding } = report
      const key = `${path} ${describeFinding('similar' in finding ? { ...finding, similar: [] } : finding)}`
      return [{ sentence: describeCibReport(report), key }]
    }),
  ]
}

/** What a tag lists may be the name or the number of a node, which no schema looks up. */
export const namesInTag = (report: CibReport): boolean =>
  report.code === 'unknown-reference' && report.what === 'element'

/** Why a CIB is none of the schema that it names: there is no such schema, or the first thing that it does not allow. */
export function schemaTrouble(cib: XmlElement): string | undefined {
  const schema = cib.attributes['validate-with']
  return schema === undefined || isSchemaName(schema) ? schemaMistakes(cib)[0] : `there is no schema '${schema}'`
}

const rootAttributes = new Set(
  'admin_epoch epoch num_updates validate-with crm_feature_set remote-tls-port remote-clear-port have-quorum dc-uuid cib-last-written no-quorum-panic update-origin update-client update-user execution-date'.split(
    ' ',
  ),
)

/** What every CIB has, whoever wrote it: numbers for its version, the name of a schema, and the sections that a schema requires. */
function formMistakes(cib: XmlElement): readonly string[] {
  const versions = ['admin_epoch', 'epoch', 'num_updates'].filter((name) => !/^\d+$/.test(cib.attributes[name] ?? '0'))
  const schema = cib.attributes['validate-with'] ?? ''
  const isSchema = isSchemaName(schema)
  const strayWords = Object.keys(cib.attributes).filter((name) => !rootAttributes.has(name))
  const strayParts = childElements(cib).filter(({ name }) => name !== 'configuration' && name !== 'status')
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
    ...strayWords.map((name) => `A CIB cannot have the attribute '${name}'.`),
    ...strayParts.map(({ name }) => `A CIB cannot hold <${name}>.`),
    ...described.map(({ name }) => `The section <${name}> has no attributes.`),
    ...empty.map(({ attributes: { id } }) => `The rule '${id}' has no expression.`),
    ...missing.map((name) => `A configuration has a section <${name}>, be it empty.`),
  ]
}
