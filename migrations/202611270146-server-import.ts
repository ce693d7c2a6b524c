import { createTable, type Schema } from './_helpers.ts'

/** The journal of imports of whole servers. */
export async function createServerImport(schema: Schema): Promise<void> {
  await createTable(schema, 'server_import', (t) =>
    t
      .text('source')
      .text('kind')
      .text('source_id')
      .text('target')
      .text('fingerprint', '')
      .text('target_fingerprint', '')
      .text('state')
      .number('import_id', 0)
      .primaryKey('source', 'kind', 'source_id'),
  )
}
