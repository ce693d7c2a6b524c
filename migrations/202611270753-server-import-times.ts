import { addColumn, type Schema } from './_helpers.ts'

/** When the import of a repository began to read and when it had ended, so that a later run reads what changed since. */
export async function addServerImportTimes(schema: Schema): Promise<void> {
  await addColumn(schema, 'server_import', { name: 'read_at', type: 'number', initial: 0 })
  await addColumn(schema, 'server_import', { name: 'written_at', type: 'number', initial: 0 })
}
