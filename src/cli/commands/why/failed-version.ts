/** A node whose version has failed: in which rollout or by whose report, the end of the log that led to it, and what to do. */
import { hasEnded, type NodeVersionRecord, type RolloutsKnown } from '../../../rollout/index.ts'
import type { Call } from '../../call/command.ts'
import { knownNow } from '../../rollout/known.ts'

export interface FailedVersion {
  readonly node: string
  readonly version: string | null
  /** The rollout, or who reported it. */
  readonly by: string
  /** ISO 8601. */
  readonly since: string
  readonly why: string | null
  readonly tail: string | null
  /** Commands that change it. */
  readonly next: readonly string[]
}

const mostLines = 10

export async function failedVersion(call: Call, name: string): Promise<FailedVersion | undefined> {
  if (call.cluster.live === undefined) return undefined
  try {
    return failedIn(await knownNow(call), name)
  } catch {
    // The reasons of the scheduler count; whoever may not read rollouts, or asks a daemon of an older version, gets those.
    return undefined
  }
}

export function failedIn({ versions, rollouts }: RolloutsKnown, name: string): FailedVersion | undefined {
  const record = versions.find(({ node }) => node === name)
  const last = record?.log.at(-1)
  const rollout = rollouts.find((one) => !hasEnded(one) && one.nodes.some(({ node, why }) => node === name && why))
  if (rollout === undefined && (record?.state !== 'failed' || last === undefined)) return undefined
  const part = rollout?.nodes.find(({ node }) => node === name)
  return {
    node: name,
    version: record?.version ?? rollout?.definition.version ?? null,
    by: rollout === undefined ? (last?.rollout ?? '') : `rollout ${rollout.id} of ${rollout.definition.name}`,
    since: part === undefined ? sinceOf(record) : new Date(part.since).toISOString(),
    why: part?.why ?? null,
    tail: part?.tail ?? (record?.state === 'failed' ? last?.tail : undefined) ?? null,
    next:
      rollout === undefined
        ? [`systole rollout versions ${name}`]
        : [`systole rollout resume ${rollout.id}`, `systole rollout abort ${rollout.id}`],
  }
}

const sinceOf = (record: NodeVersionRecord | undefined): string => record?.since ?? ''

export function describeFailedVersion(failed: FailedVersion | undefined): readonly string[] {
  if (failed === undefined) return []
  const { version, by, since, why, tail, next } = failed
  const what = version === null ? 'Its version has failed' : `Version ${version} has failed here`
  const lines = tail === null ? [] : tail.trimEnd().split('\n').slice(-mostLines)
  return [
    `  ${what}, by ${by}, at ${since.replace(/\.\d+Z$/, 'Z')}${why === null ? '' : `: ${why}`}.`,
    ...lines.map((line) => `    ${line}`),
    ...next.map((command) => `  > ${command}`),
  ]
}
