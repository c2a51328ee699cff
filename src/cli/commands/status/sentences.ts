/** The sentences of `status` that stand in its text and in its facts. */
import { momentSeen } from '../../../base/index.ts'
import type { ClusterState } from '../../../rpc/index.ts'
import {
  type ClusterStatus,
  describeExitCode,
  type FailedOperation,
  type FailuresAlike,
  failuresAlike,
} from '../../../status/index.ts'

export type Members = readonly Pick<ClusterState['members'][number], 'node' | 'state'>[]

/** What somebody may have left on, in the way of everything else, and what ends it. */
export function switchedOff({
  options,
}: Pick<ClusterStatus, 'options'>): readonly { readonly text: string; readonly next: string }[] {
  return [
    ...(options.maintenanceMode
      ? [
          {
            text: 'maintenance-mode is set: no resource is started, stopped, monitored or recovered.',
            next: 'systole property set maintenance-mode=false',
          },
        ]
      : []),
    ...(options.stopAllResources
      ? [
          {
            text: 'stop-all-resources is set: all resources are stopped.',
            next: 'systole property set stop-all-resources=false',
          },
        ]
      : []),
  ]
}

export const notHeard = (members: Members): readonly string[] =>
  members.flatMap(({ node, state }) => (state === 'lost' || state === 'offline' ? [node] : []))

export function unheard(members: Members): string {
  const away = notHeard(members)
  return away.length === 0 ? '' : `${away.join(', ')} ${away.length === 1 ? 'is' : 'are'} not heard`
}

/** What failed in the same way on several nodes is one line, with the time when it did so last. */
export function failureLines(failures: readonly FailedOperation[], now: number): readonly string[] {
  return failuresAlike(failures).map((alike) => describeFailures(alike, now))
}

export function describeFailures({ first, resource, nodes, last }: FailuresAlike, now: number): string {
  const when = last === undefined ? '' : ` at ${momentSeen(last, now)}`
  const why = first.exitReason === '' ? '' : `: ${first.exitReason}`
  const interval = first.intervalMs > 0 ? ` every ${first.intervalMs / 1000} s` : ''
  const result = first.status === '2' ? 'timed out' : `${describeExitCode(first.exitCode)} (${first.exitCode})`
  return `${resource} ${first.operation}${interval} on ${nodes.join(', ')}${when}: ${result}${why}`
}
