import { addColumn, type Schema } from './_helpers.ts'

export async function addMergeLeftovers(schema: Schema): Promise<void> {
  // Which server writes the intent.
  await addColumn(schema, 'merge_intent', { name: 'server', type: 'text', initial: '' })
  // Whether the event of the built commit was written.
  await addColumn(schema, 'merge_queue_batch', { name: 'is_announced', type: 'flag', initial: 0 })
}
