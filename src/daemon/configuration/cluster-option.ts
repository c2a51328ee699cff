/** A cluster option as the configuration has it, or its default: for the few that the daemon itself obeys. */
import { parseDurationMs } from '../../base/index.ts'
import {
  type Configuration,
  clusterOption,
  type NodeStateRecord,
  nvSetsByPrecedence,
  parseBoolean,
} from '../../cib/index.ts'

/** Sets under a rule are left out: these options must not depend on the time of day. */
export function clusterOptionValue(configuration: Configuration | undefined, name: string): string {
  const names = [name, ...(clusterOption(name)?.otherNames ?? [])]
  const sets = nvSetsByPrecedence(configuration?.options ?? [], 'cib-bootstrap-options')
  for (const { rule, pairs } of sets) {
    const pair = rule === undefined ? pairs.find((candidate) => names.includes(candidate.name)) : undefined
    if (pair) return pair.value
  }
  return clusterOption(name)?.default ?? ''
}

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
