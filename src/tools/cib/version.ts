/** The version of a CIB: admin_epoch, epoch and num_updates, compared in this order. */
import type { XmlElement } from '../../cib/index.ts'

export interface CibVersion {
  readonly adminEpoch: number
  readonly epoch: number
  readonly numUpdates: number
}

export function versionOf({ attributes }: XmlElement): CibVersion {
  return {
    adminEpoch: Number(attributes.admin_epoch ?? 0),
    epoch: Number(attributes.epoch ?? 0),
    numUpdates: Number(attributes.num_updates ?? 0),
  }
}

export function compareVersions(a: CibVersion, b: CibVersion): number {
  return a.adminEpoch - b.adminEpoch || a.epoch - b.epoch || a.numUpdates - b.numUpdates
}

export function withVersion(cib: XmlElement, change: Partial<CibVersion>): XmlElement {
  const version = { ...versionOf(cib), ...change }
  return {
    ...cib,
    attributes: {
      ...cib.attributes,
      admin_epoch: String(version.adminEpoch),
      epoch: String(version.epoch),
      num_updates: String(version.numUpdates),
    },
  }
}
