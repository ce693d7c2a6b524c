import { createTable, type Schema } from './_helpers.ts'

/** The release that had this migration first. */
const FIRST = '26.11.0'

export async function createSchemaRelease(schema: Schema): Promise<void> {
  await createTable(schema, 'schema_release', (t) => t.id().text('oldest', FIRST).text('newest', FIRST))
  await schema.db
    .withTables<{ schema_release: { id: number } }>()
    .insertInto('schema_release')
    .values({ id: 1 })
    .execute()
}
