import { addColumn, type Schema } from './_helpers.ts'

/** The last synchronization of a sign-in source: when it ended, and as JSON what it did. */
export async function addSyncReports(schema: Schema): Promise<void> {
  await addColumn(schema, 'sign_in_source', { name: 'synchronized_at', type: 'number', initial: 0 })
  await addColumn(schema, 'sign_in_source', { name: 'sync_report', type: 'text', initial: '' })
}
