/** Cluster options that a node obeys for itself. */
import { parseDurationMs } from '../base/index.ts'
import { type Configuration, clusterOptionValue, type NodeStateRecord, parseBoolean } from '../cib/index.ts'

/**
 * After which time a node that leaves goes with what it still runs. Without fencing it waits on: nobody could make sure then that what it
 * runs has ended before it is started elsewhere.
 */
export function shutdownEscalationMs(configuration: Configuration | undefined): number | undefined {
  if (parseBoolean(clusterOptionValue(configuration, 'fencing-enabled')) === false) return undefined
  return parseDurationMs(clusterOptionValue(configuration, 'shutdown-escalation')) || undefined
}

/** Only of fencing: a node without it that was waited for has stopped what it ran, and comes back. */
export function panicsWhenFenced(
  configuration: Configuration | undefined,
  own: Pick<NodeStateRecord, 'attributes'> | undefined,
): boolean {
  return own?.attributes?.node_fenced !== undefined && clusterOptionValue(configuration, 'fencing-reaction') === 'panic'
}
