import { sql } from 'kysely'
import type { UnitSet } from '../../../../core/access/units.ts'
import type { Tx } from '../../../../core/db/database.ts'

/** Switches disabled units off in every repository, and on again where they were before once they are enabled. */
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
