import { sql } from 'kysely'
import type { UnitSet } from '../../../access/units.ts'
import type { Tx } from '../../../db/database.ts'

/** Takes the disabled units from every repository that has them, and gives back those that are disabled no longer. */
export async function suspendUnits(tx: Tx, disabled: UnitSet): Promise<void> {
  await tx
    .updateTable('repo')
    .set({
      units: sql`(units & ~cast(${disabled} as bigint)) | (suspended_units & ~cast(${disabled} as bigint))`,
      suspended_units: sql`(units | suspended_units) & cast(${disabled} as bigint)`,
    })
    .where(
      sql<boolean>`(units & cast(${disabled} as bigint)) <> 0 or (suspended_units & ~cast(${disabled} as bigint)) <> 0`,
    )
    .execute()
}
