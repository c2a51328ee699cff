/** What became of an operation, as Pacemaker 3's tools say it. */
import type { OperationStatus } from '../../cib/index.ts'

const words: Readonly<Record<string, string>> = {
  '-1': 'Pending',
  '0': 'Done',
  '1': 'Cancelled',
  '2': 'Timed out',
  '3': 'Unsupported',
  '4': 'Error',
  '5': 'Hard error',
  '6': 'Fatal error',
  '7': 'Not installed',
  '8': 'Internal communication failure',
  '9': 'Cannot execute now',
  '10': 'No fence device',
  '11': 'CIB secrets unavailable',
}

/** From its `op-status`. */
export const statusWord = (status: string | undefined): string => words[status ?? ''] ?? 'Unrecognized status'

/** The same from the word that a runner of agents has for it. */
export const operationStatusWord = (status: OperationStatus): string =>
  statusWord(
    status === 'done'
      ? '0'
      : status === 'timeout'
        ? '2'
        : status === 'not-installed'
          ? '7'
          : status === 'not-supported'
            ? '3'
            : '4',
  )
