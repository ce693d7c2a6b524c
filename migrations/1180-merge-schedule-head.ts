import { addColumn, type Schema } from './_helpers.ts'

/** The head for which a merge was scheduled. */
export async function addScheduledHead(schema: Schema): Promise<void> {
  await addColumn(schema, 'merge_schedule', { name: 'head_oid', type: 'text', initial: '' })
}
