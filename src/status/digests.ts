/**
 * Whether a recorded operation ran with other parameters than are configured now. The history holds digests only: of all
 * parameters, of those whose change needs a restart, and of those that are no secret ("Agent Reload" in Pacemaker Explained).
 */
import { type Agent, type Md5, parametersDigest } from '../cib/index.ts'
import type { HistoryEntry } from './cluster-status.ts'

export interface DigestSources {
  readonly md5: Md5
  /** Secrets may have been replaced by stars, as in a CIB saved for others: then they do not count as changed. */
  readonly isSanitized: boolean
}

export interface ConfiguredOperation {
  readonly agent: Agent
  /** The resource's parameters, and the operation's own over them. */
  readonly parameters: Readonly<Record<string, string>>
  readonly hasOwnParameters: boolean
  /** Recurring operations count their timeout as a parameter. */
  readonly timeoutMs: () => number
}

/** `unknown`: the history does not tell with what it ran. */
export type ParameterDifference = 'none' | 'restart' | 'reload' | 'unknown'

/** The status of an operation that is under way. */
const pending = -1

export function compareDigests(
  { attributes, intervalMs, status }: HistoryEntry,
  configured: ConfiguredOperation,
  { md5, isSanitized }: DigestSources,
): ParameterDifference {
  const { parameters } = configured
  const restartDigest = attributes['op-restart-digest']
  if (restartDigest !== undefined) {
    // Without a list every parameter counts.
    const names = attributes['op-force-restart']?.split(' ')
    const isRelevant = ([name]: readonly [string, string]): boolean => names?.includes(name) ?? true
    const relevant = Object.fromEntries(Object.entries(parameters).filter(isRelevant))
    if (parametersDigest(relevant, md5) !== restartDigest) {
      const isSecret = isSanitized && onlySecretsDiffer(configured, attributes, md5)
      return isSecret ? 'none' : 'restart'
    }
  }
  const all = attributes['op-digest']
  const timed = intervalMs > 0 ? { ...parameters, CRM_meta_timeout: String(configured.timeoutMs()) } : parameters
  if (all !== undefined && parametersDigest(timed, md5) === all) return 'none'
  if (isSanitized && onlySecretsDiffer(configured, attributes, md5)) return 'none'
  // Daemons of before 2026-11-22 wrote none with an operation that is under way; its result tells.
  if (all === undefined) return status === pending ? 'none' : 'unknown'
  return intervalMs === 0 && configured.hasOwnParameters ? 'restart' : 'reload'
}

/** All that a comparison looks at in an entry besides its operation and interval. */
export const recordedDigests = ({ attributes: its, status }: HistoryEntry): string =>
  `${status === pending} ${its['op-digest']} ${its['op-restart-digest']} (${its['op-force-restart']}) ${its['op-secure-digest']} ${its['op-secure-params']}`

/** In a CIB that was made fit for showing, what counts is the digest of everything that is no secret. */
function onlySecretsDiffer(
  { agent, parameters }: ConfiguredOperation,
  attributes: HistoryEntry['attributes'],
  md5: Md5,
): boolean {
  const digest = attributes['op-secure-digest']
  if (digest === undefined) return false
  const secrets = (attributes['op-secure-params'] ?? '').split(' ')
  const open = Object.entries(parameters).filter(([name]) => !secrets.includes(name))
  if (parametersDigest(Object.fromEntries(open), md5) === digest) return true
  // Older versions left out what a fence device's parameters tell the cluster rather than the agent.
  const own = open.filter(([name]) => !name.startsWith('pcmk_'))
  return agent.class === 'stonith' && parametersDigest(Object.fromEntries(own), md5) === digest
}

/** What was started, found or moved somewhere runs with the parameters that a start would have. */
export function parametersTask({ operation, intervalMs }: HistoryEntry): string {
  return intervalMs === 0 && (operation === 'monitor' || operation === 'migrate_from' || operation === 'promote')
    ? 'start'
    : operation
}
