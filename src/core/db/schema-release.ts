import { unavailable } from '../platform/errors.ts'
import { INGOT_VERSION, isOlderRelease } from '../platform/version.ts'
import type { Db } from './database.ts'
import type { SchemaReleaseTable } from './schema-release.table.ts'

/** Which releases of Ingot the schema is for. */
export type SchemaRelease = Pick<SchemaReleaseTable, 'newest' | 'oldest'>

/** Undefined where the table is empty. */
export const findSchemaRelease = (db: Db): Promise<SchemaRelease | undefined> =>
  db.selectFrom('schema_release').select(['oldest', 'newest']).executeTakeFirst()

/** Sets `column` unless it is as new already. */
export async function raiseRelease(db: Db, column: keyof SchemaRelease, release: string): Promise<void> {
  const { [column]: current } = await db.selectFrom('schema_release').select(column).executeTakeFirstOrThrow()
  if (isOlderRelease(current, release))
    await db
      .updateTable('schema_release')
      .set({ [column]: release })
      .execute()
}

/** Throws Unavailable when another node has migrated to a schema that this release cannot run on. */
export async function requireUsableSchema(db: Db): Promise<void> {
  const release = await findSchemaRelease(db)
  if (release !== undefined && isOlderRelease(INGOT_VERSION, release.oldest))
    throw unavailable(`the schema of the database needs Ingot ${release.oldest} or newer`)
}
