/** Live migrations that earlier transitions began. Once this one has decided not to continue one, it is as if it had not been. */
import type { PrimitiveResource } from '../../../status/index.ts'
import type { Draft } from './draft.ts'
import type { PlannedPrimitive } from './planned-resource.ts'

export function migrationUnderWay(
  { givenUpMigrations }: Pick<Draft, 'givenUpMigrations'>,
  rsc: PlannedPrimitive,
): PrimitiveResource['state']['partialMigration'] {
  return givenUpMigrations.has(rsc) ? undefined : rsc.resource.state.partialMigration
}
