/**
 * By which Pacemaker's commands see which of two CIBs is the newer one. A document that is pushed whole may be ahead of the running configuration, because
 * each edit of a file counts: the next epoch lies after both, so that another copy with as many edits is older than what runs.
 */
import type { XmlElement } from '../../cib/index.ts'

export interface CibEpochs {
  readonly adminEpoch: number
  readonly epoch: number
}

export const noEpochs: CibEpochs = { adminEpoch: 0, epoch: 0 }
/** Pacemaker's are of 32 bits. */
const greatest = 2 ** 31 - 1
/** No document that was edited is further ahead, and there is room to count on. */
const greatestPushed = 2 ** 30

export function nextEpochs(running: CibEpochs, pushed: CibEpochs | undefined): CibEpochs {
  const isAhead =
    pushed !== undefined &&
    (pushed.adminEpoch > running.adminEpoch ||
      (pushed.adminEpoch === running.adminEpoch && pushed.epoch > running.epoch))
  const { adminEpoch, epoch } = isAhead ? pushed : running
  return { adminEpoch, epoch: epoch + 1 }
}

/** Undefined where the root element gives none that counts. */
export function epochsOf({ attributes }: XmlElement): CibEpochs | undefined {
  const epochs = { adminEpoch: Number(attributes.admin_epoch ?? 0), epoch: Number(attributes.epoch ?? Number.NaN) }
  return isEpochs(epochs) && Math.max(epochs.adminEpoch, epochs.epoch) <= greatestPushed ? epochs : undefined
}

export function isEpochs(value: unknown): value is CibEpochs {
  if (typeof value !== 'object' || value === null) return false
  const { adminEpoch, epoch } = value as Readonly<Record<string, unknown>>
  return [adminEpoch, epoch].every(
    (one) => typeof one === 'number' && Number.isInteger(one) && one >= 0 && one <= greatest,
  )
}
