/** The status of a CIB at one moment, its configuration read along: for whoever has not read that already. */
import { readConfiguration } from '../../cib/index.ts'
import type { ClusterStatus } from '../cluster-status.ts'
import { readStatus, type StatusInput } from './read-status.ts'

/** The zone is not left out by accident: rules that name none mean that of the host. */
type CibAtMoment = Omit<StatusInput, 'configuration' | 'utcOffsetAt'> & {
  readonly utcOffsetAt: NonNullable<StatusInput['utcOffsetAt']> | undefined
}

export function statusOfCib({ utcOffsetAt, ...input }: CibAtMoment): ClusterStatus {
  return readStatus({ ...input, configuration: readConfiguration(input.cib), ...(utcOffsetAt && { utcOffsetAt }) })
}
