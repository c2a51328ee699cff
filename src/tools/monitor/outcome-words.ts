import { describeOperationStatus } from '../../cib/index.ts'

/** What became of an operation, by its `op-status`, as Pacemaker 3's tools say it. */
export const statusWord = (status: string | undefined): string =>
  describeOperationStatus(status) ?? 'Unrecognized status'
