/** A new version of the configuration: read whole, its status left out, saved by compare-and-swap. */
import { isDeepStrictEqual } from 'node:util'
import { doneAtOnce, type NodeName, type Steps, shortened } from '../../base/index.ts'
import {
  childElement,
  configurationElement,
  configurationSteps,
  parsingXml,
  printXml,
  textWithoutSecrets,
  type XmlElement,
} from '../../cib/index.ts'
import { withoutHolds } from '../../holds/index.ts'
import { type PushAnswer, refuse } from '../../rpc/index.ts'
import type { Write } from '../../store/index.ts'
import { isFit, refuseUnfit } from '../records/fit-value.ts'
import {
  besideParameter,
  largestConfiguration,
  largestParameters,
  longestCommand,
  longestValue,
} from '../records/limits.ts'
import { secretsOfView } from '../records/secrets-of-view.ts'
import { inPieces } from '../shared-state/in-pieces.ts'
import { quorumSoon } from '../shared-state/quorum-soon.ts'
import type { SharedState } from '../shared-state/shared-state.ts'
import { untilState } from '../shared-state/until-state.ts'
import { type AppliedDescription, appliedWrite, readApplied, refuseApplied } from './applied.ts'
import { type MadeVersion, pushConfig, savedBefore, trimHistory } from './config-history.ts'
import { type CibEpochs, epochsOf } from './epochs.ts'
import { type HistoryBounds, historyBounds } from './history-bounds.ts'
import { refuseUnconfirmable, unconfirmedWrites } from './unconfirmed.ts'

export interface ReadToPush {
  readonly xml: string
  readonly epochs: CibEpochs | undefined
}

/** The text to store, and the epochs of the document. One that is not a CIB is refused whole. */
export const readConfigurationToPush = (xml: string): ReadToPush => doneAtOnce(readingToPush(xml))

/** The same for whoever must not hold up others: they come in between its pieces. */
export const readConfigurationInPieces = async (xml: string): Promise<ReadToPush> => await inPieces(readingToPush(xml))

function* readingToPush(xml: string): Steps<ReadToPush> {
  const cib = yield* documentSteps(xml)
  yield
  // What cannot be read here could be read by no node.
  yield* configurationSteps(cib)
  yield
  return { xml: printXml(cib), epochs: epochsOf(cib) }
}

/** A document with the configuration alone, if its sizes permit storing it. */
export function* documentSteps(xml: string): Steps<XmlElement> {
  const [bytes, most] = [Buffer.byteLength(xml), largestConfiguration()]
  if (bytes > most) throw refuse('too-large', `The configuration would have ${bytes} bytes. The limit is ${most}.`)
  const parsed = yield* parsingXml(xml)
  if (!parsed.ok)
    throw refuse(
      'malformed-xml',
      ...parsed.reports.map(({ message, place }) => `Line ${place.line}, column ${place.column}: ${message}.`),
    )
  yield
  // What is composed of holds ends with them: a document that was read meanwhile may be pushed long after.
  const cib = withoutHolds(parsed.value)
  if (cib.name !== 'cib' || !childElement(cib, 'configuration'))
    throw refuse('not-a-cib', `The document is not a CIB: expected a 'cib' element that contains a 'configuration'.`)
  yield
  refuseLongValues(configurationElement(cib), () => '', longestValue())
  return { ...cib, children: [configurationElement(cib)] }
}

/** `above`: asked for only where something is refused. `longest`: read once, as the environment is slow. */
function refuseLongValues(part: XmlElement, above: () => string, longest: number): void {
  const { name, attributes, children } = part
  const path = (): string =>
    `${above()}/${name}${attributes.id === undefined ? '' : `[@id='${shortened(attributes.id)}']`}`
  for (const [attribute, value] of Object.entries(attributes))
    if (!isFit(value, longest)) refuseUnfit({ [`The attribute '${shortened(attribute)}' of ${path()}`]: value })
  for (const child of children)
    if (child.kind === 'element') refuseLongValues(child, path, longest)
    else if (!isFit(child.text, longest)) refuseUnfit({ [`A text in ${path()}`]: child.text })
  if (name === 'primitive' || name === 'template') refuseManyParameters(part, path)
}

/** No agent of it could be started. */
function refuseManyParameters(resource: XmlElement, path: () => string): void {
  const bytes = parameterBytes(resource)
  if (bytes > largestParameters)
    throw refuse(
      'too-long',
      `The parameters of ${path()} have ${bytes} bytes in total. The limit for an agent is ${largestParameters}.`,
    )
}

function parameterBytes({ name, attributes, children }: XmlElement): number {
  const { name: own = '', value = '' } = attributes
  const ownBytes = name === 'nvpair' ? Buffer.byteLength(own) + Buffer.byteLength(value) + besideParameter : 0
  return children.reduce((sum, child) => sum + (child.kind === 'element' ? parameterBytes(child) : 0), ownBytes)
}

/** A node that was just cut off sees what was changed meanwhile a moment later than it has quorum again. */
const seenWithinMs = 5000

/** A conflict is answered once this node has seen the other change, so that whoever reads anew here reads that. */
export async function saveConfiguration(
  node: SharedState,
  change: {
    readonly xml: string
    /** Of the document, where it comes from somebody who counts them. */
    readonly epochs?: CibEpochs | undefined
    readonly expectedVersion: number
    readonly user: string
    /** The node that changes it, where that is another than the one that saves it. */
    readonly by?: NodeName
    readonly command: string
    /** Drawn by whoever may ask for the change again. */
    readonly changeId?: string | undefined
    /** The description that it comes from. */
    readonly applied?: AppliedDescription | undefined
    /** It is taken back after that time unless it is confirmed. */
    readonly confirmWithinMs?: number | undefined
    /** So many changes of this user may wait at a time; of others as many as there is room for. */
    readonly mostUnconfirmed?: number
  },
): Promise<PushAnswer> {
  if (!(await quorumSoon(node)))
    throw refuse('no-quorum', 'This node has no quorum and cannot change the configuration.')
  // The client has hidden what it knows to be secret; not every client is ours.
  const command = cut(textWithoutSecrets(cut(change.command), secretsOfView(node.view)))
  const bounds = historyBounds(node.view.configuration?.typed)
  const { epochs, applied, confirmWithinMs, mostUnconfirmed: most, changeId, ...rest } = change
  const isLate = (node.view.configuration?.version ?? 0) > change.expectedVersion
  const again = isLate ? await savedBefore(node.store, change) : undefined
  if (again !== undefined) return again
  if (applied) await refuseApplied(node.store, applied)
  if (confirmWithinMs !== undefined) {
    const mostOf = most === undefined ? undefined : { user: change.user, most }
    await refuseUnconfirmable(node, confirmWithinMs, mostOf)
  }
  const formerly = applied && confirmWithinMs !== undefined ? await readApplied(node.store, applied.name) : undefined
  const by = change.by ?? node.name
  const beside = ({ version, time, before }: MadeVersion): readonly Write[] => [
    ...(applied ? [appliedWrite({ ...applied, version, time, user: change.user })] : []),
    ...(confirmWithinMs !== undefined && before !== undefined
      ? unconfirmedWrites(
          { version, since: time, withinMs: confirmWithinMs, user: change.user, node: by },
          {
            before: before.xml,
            after: change.xml,
            ...(applied && { applied: { name: applied.name, ...(formerly && { before: formerly }) } }),
          },
        )
      : []),
  ]
  const answer = await pushConfig(node.store, {
    ...rest,
    ...(epochs && { epochs }),
    ...(changeId !== undefined && { changeId }),
    command,
    node: by,
    versionsKept: bounds.versions,
    ...((applied !== undefined || confirmWithinMs !== undefined) && { beside }),
  })
  if (answer.kind === 'saved') await trimSeldom(node.store, bounds)
  if (answer.kind === 'conflict')
    await untilState(node, () => (node.view.configuration?.version ?? 0) >= answer.version, seenWithinMs)
  return answer
}

const trimEveryMs = 60_000
let lastTrim: { readonly at: number; readonly bounds: HistoryBounds } | undefined

/** Once a minute at most, and at once where the options are others than at the last time. */
async function trimSeldom(store: SharedState['store'], bounds: HistoryBounds): Promise<void> {
  if (bounds.ageMs === undefined && bounds.bytes === undefined) return
  const at = performance.now()
  if (lastTrim && at - lastTrim.at < trimEveryMs && isDeepStrictEqual(lastTrim.bounds, bounds)) return
  lastTrim = { at, bounds }
  await trimHistory(store, bounds, Date.now())
}

const cut = (command: string): string =>
  command.length <= longestCommand ? command : `${command.slice(0, longestCommand)}…`
