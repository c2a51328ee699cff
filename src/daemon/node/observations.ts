/** What the store shows, in the form in which the controller's view takes it in: JSON read, the configuration typed. */
import type { Observation } from '../../controller/index.ts'
import { decodeConfig } from '../configuration/config-history.ts'
import { typedConfiguration } from '../configuration/typed-configuration.ts'
import { fromBytes } from '../records/json-value.ts'
import { keys } from '../records/keys.ts'
import type { StoreChange } from '../records/store-view.ts'

export function observationOf({ key, entry }: StoreChange): Observation {
  if (!entry) return { kind: 'delete', key }
  const { createRevision, lease } = entry
  const shared = { kind: 'put', key, createRevision, ...(lease === undefined ? {} : { lease }) } as const
  if (key !== keys.configuration) return { ...shared, value: fromBytes(entry.value) }
  return { ...shared, value: undefined, configuration: typedConfiguration(decodeConfig(entry)) }
}
