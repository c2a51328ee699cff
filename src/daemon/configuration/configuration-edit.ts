/** A new version of the configuration: read whole, its status left out, saved by compare-and-swap. */
import type { NodeName } from '../../base/index.ts'
import {
  childElement,
  configurationElement,
  parseXml,
  printXml,
  readConfiguration,
  textWithoutSecrets,
} from '../../cib/index.ts'
import { type PushAnswer, refuse } from '../../rpc/index.ts'
import type { SharedState } from '../node/shared-state.ts'
import { untilState } from '../node/until-state.ts'
import { secretsOfView } from '../records/secrets-of-view.ts'
import { pushConfig } from './config-history.ts'

/** The text to store. A document that is not a CIB is refused whole. */
export function readConfigurationToPush(xml: string): string {
  const parsed = parseXml(xml)
  if (!parsed.ok)
    throw refuse(
      'malformed-xml',
      ...parsed.reports.map(({ message, place }) => `Line ${place.line}, column ${place.column}: ${message}.`),
    )
  const cib = parsed.value
  if (cib.name !== 'cib' || !childElement(cib, 'configuration'))
    throw refuse('not-a-cib', `The document is no CIB: a 'cib' element with a 'configuration' in it is expected.`)
  readConfiguration(cib)
  return printXml({ ...cib, children: [configurationElement(cib)] })
}

/** A node that was just cut off sees what was changed meanwhile a moment later than it has quorum again. */
const seenWithinMs = 5000

/** A conflict is answered once this node has seen the other change, so that whoever reads anew here reads that. */
export async function saveConfiguration(
  node: SharedState,
  change: {
    readonly xml: string
    readonly expectedVersion: number
    readonly user: string
    /** The node that changes it, where that is another than the one that saves it. */
    readonly by?: NodeName
    readonly command: string
  },
): Promise<PushAnswer> {
  if (!node.quorate) throw refuse('no-quorum', 'This node has no quorum: the configuration cannot be changed here.')
  // The client has hidden what it knows to be secret; not every client is ours.
  const command = textWithoutSecrets(change.command, secretsOfView(node.view))
  const answer = await pushConfig(node.store, { ...change, command, node: change.by ?? node.name })
  if (answer.kind === 'conflict')
    await untilState(node, () => (node.view.configuration?.version ?? 0) >= answer.version, seenWithinMs)
  return answer
}
