/**
 * The life of a node's version: provisioned → configuring → configured → validating → validated, or failed. One record a node, so that it has one state and
 * one version; a rollout changes it, or the node reports it. Pure: `src/daemon/api/lifecycle-api.ts` writes what comes out.
 */
import { compareText, type NodeName } from '../base/index.ts'
import { type DesiredVersion, type NodeVersionRecord, versionRun } from './known.ts'
import type { FailedIn, NodeVersion, VersionState } from './record.ts'
import type { Setting } from './settings.ts'

const longestLog = 50
export const longestExcerpt = 2000

export function triggered(
  before: DesiredVersion | undefined,
  now: Pick<DesiredVersion, 'version' | 'since' | 'user' | 'node'>,
): DesiredVersion {
  if (before === undefined) return { ...now, before: [] }
  const { before: older, ...last } = before
  return { ...now, before: [...older, last].slice(-longestLog) }
}

/** For everybody of the cluster: without logs of commands, which may name secrets. */
export interface LifecycleKnown {
  readonly desired?: DesiredVersion
  readonly versions: readonly NodeVersionRecord[]
  readonly settings: readonly Setting[]
}

export interface Transition {
  readonly version: NodeVersion
  /** The end of the log of whatever led to it. */
  readonly tail?: string
  /** The rollout, or who reported it. */
  readonly by: string
  readonly at: string
}

export function withTransition(
  node: NodeName,
  before: NodeVersionRecord | undefined,
  { version, tail, by, at }: Transition,
): NodeVersionRecord {
  const line = { ...version, at, rollout: by, ...(tail !== undefined && { tail }) }
  return { node, ...version, since: at, log: [...(before?.log ?? []), line].slice(-longestLog) }
}

export interface ClusterNodes {
  readonly members: readonly NodeName[]
  /** Remote and guest nodes: listed once something is recorded of them. */
  readonly connected: readonly NodeName[]
}

/** Every node of the cluster once, whether anything is recorded of it or not, and none that has left. */
export function versionsOfAll(
  { members, connected }: ClusterNodes,
  records: readonly NodeVersionRecord[],
): readonly NodeVersionRecord[] {
  const byName = new Map(records.map((record) => [record.node, record]))
  const all = members.map((node) => byName.get(node) ?? ({ node, state: 'provisioned', since: '', log: [] } as const))
  const more = connected.flatMap((node) => (members.includes(node) ? [] : (byName.get(node) ?? [])))
  return [...all, ...more].toSorted((a, b) => compareText(a.node, b.node))
}

/** How far a node is from the version: a few words, or nothing where it runs it. */
export function whyLagging({ version, state }: NodeVersion, wanted: string): string | undefined {
  const isThere = (state === 'configured' || state === 'validated') && version === wanted
  if (isThere) return undefined
  return version === undefined ? state : `${version}, ${state}`
}

/** Sentences that speak against another version now: who has not come to the one before. */
export function whyNotTriggered(
  version: string,
  {
    desired,
    versions,
    rollouts,
  }: {
    readonly desired: DesiredVersion | undefined
    readonly versions: readonly NodeVersionRecord[]
    /** Those that have not ended. */
    readonly rollouts: readonly { readonly id: string; readonly version: string }[]
  },
): readonly string[] {
  const other = rollouts.filter((one) => one.version !== version)
  const sentences = other.map((one) => `The rollout ${one.id} to ${one.version} has not ended.`)
  if (desired === undefined || desired.version === version) return sentences
  const lagging = versions.flatMap((record) => {
    const why = whyLagging(record, desired.version)
    return why === undefined ? [] : [`${record.node} (${why})`]
  })
  if (lagging.length === 0) return sentences
  const verb = lagging.length === 1 ? 'does' : 'do'
  return [...sentences, `${lagging.join(', ')} ${verb} not run ${desired.version}, which was triggered before.`]
}

/** What a node reports of itself, or what is reported of it. */
export type VersionReport =
  | { readonly kind: 'version'; readonly version: string }
  /** By the exit code of what was done. `version` is what it runs by its own file. */
  | { readonly kind: 'status'; readonly type: StatusType; readonly exitCode: number; readonly version?: string }

export const statusTypes = ['cloud-init', 'puppet', 'puppet_service', 'validation', 'validation_service'] as const
export type StatusType = (typeof statusTypes)[number]

/** It has begun and not ended. */
const underWayCode = -1
/** Puppet with --detailed-exitcodes: 2 is a change, 4 and 6 are failures. */
const puppetFailures: readonly number[] = [1, 4, 6]

/** The next state; nothing where the report says what is known. */
export function reported(
  before: NodeVersion | undefined,
  report: VersionReport,
  desired: string | undefined,
): NodeVersion | undefined {
  const next = report.kind === 'version' ? byVersion(before, report.version) : byStatus(before, report, desired)
  const isSame =
    next.state === (before?.state ?? 'provisioned') &&
    next.version === before?.version &&
    next.failedIn === before?.failedIn
  return isSame ? undefined : next
}

/** One that fails or is at work at that version has not come further by saying so. */
const byVersion = (before: NodeVersion | undefined, version: string): NodeVersion =>
  before?.version === version && before.state !== 'provisioned' ? before : { version, state: 'configured' }

function byStatus(
  before: NodeVersion | undefined,
  { type, exitCode, version: own }: Extract<VersionReport, { readonly kind: 'status' }>,
  desired: string | undefined,
): NodeVersion {
  const version = own ?? before?.version
  const at = (state: VersionState, of = version): NodeVersion => ({ state, ...(of !== undefined && { version: of }) })
  const failedAt = (failedIn: FailedIn): NodeVersion => ({ ...at('failed'), failedIn })
  switch (type) {
    case 'cloud-init':
      return exitCode === 0 || exitCode === underWayCode ? { state: 'provisioned' } : failedAt('provisioning')
    case 'puppet':
    case 'puppet_service':
      if (exitCode === underWayCode) return at('configuring', desired ?? version)
      if (puppetFailures.includes(exitCode)) return failedAt('configuration')
      break
    case 'validation':
    case 'validation_service':
      if (exitCode === underWayCode) return at('validating')
      if (exitCode !== 0) return failedAt('validation')
      return at(version === undefined ? 'provisioned' : 'validated')
  }
  // Without a version there is nothing that it could be configured to.
  return at(version === undefined ? 'provisioned' : 'configured')
}

/** The versions that nodes run for sure, and by each who runs it. */
export function runningVersions(versions: readonly NodeVersionRecord[]): ReadonlyMap<string, readonly NodeName[]> {
  const byVersion = new Map<string, NodeName[]>()
  for (const record of versions) {
    const version = versionRun(record)
    if (version !== undefined) byVersion.set(version, [...(byVersion.get(version) ?? []), record.node])
  }
  return byVersion
}

/** On its way or failed: nobody can say which version it runs. */
export const isBetween = ({ state }: NodeVersion): boolean => state === 'configuring' || state === 'failed'

/** A rollout does not say which: it fails in what it was doing. */
export function failedPart({ state, failedIn, log }: NodeVersionRecord): FailedIn | undefined {
  if (state !== 'failed') return undefined
  const before = log.findLast((line) => line.state !== 'failed')?.state
  return failedIn ?? (before === 'validating' ? 'validation' : 'configuration')
}
