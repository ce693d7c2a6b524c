import { addColumn, createIndex, createTable, type Schema } from './_helpers.ts'

/** Files of jobs that stay in the blocks in which they were sent. */
export async function createStoredBlocks(schema: Schema): Promise<void> {
  await createTable(schema, 'action_stored_block', (t) =>
    t.id().text('file').number('position').text('hash').number('size'),
  )
  await createIndex(schema, 'action_stored_block', ['file', 'position'], { unique: true })
  await createIndex(schema, 'action_stored_block', ['hash'])
  await addColumn(schema, 'action_artifact', { name: 'digest', type: 'text', initial: '' })
}
