/** Live migrations that earlier transitions began. Once this one has decided not to continue one, it is as if it had not been. */
import type { PrimitiveResource } from '../../../status/index.ts'
import type { Draft } from './draft.ts'
import type { PrimitiveUnit } from './unit.ts'

export function migrationUnderWay(
  { givenUpMigrations }: Pick<Draft, 'givenUpMigrations'>,
  unit: PrimitiveUnit,
): PrimitiveResource['state']['partialMigration'] {
  return givenUpMigrations.has(unit) ? undefined : unit.resource.state.partialMigration
}
