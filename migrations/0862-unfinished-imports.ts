import { createTable, type Schema } from './_helpers.ts'

/** Git data on disk of imports that have no repository yet; the row goes with the transaction that makes it. */
export async function createUnfinishedImports(schema: Schema): Promise<void> {
  await createTable(schema, 'unfinished_import', (t) => t.text('storage').number('started_at').primaryKey('storage'))
}
