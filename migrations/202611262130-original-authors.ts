import { addColumn, type Schema } from './_helpers.ts'

/** The authors of imported objects at their source: the login, empty for what was written here, and the id. */
export async function addOriginalAuthors(schema: Schema): Promise<void> {
  for (const table of ['issue', 'timeline_entry', 'reaction', 'tracked_time', 'review', 'release']) {
    await addColumn(schema, table, { name: 'original_author', type: 'text', initial: '' })
    await addColumn(schema, table, { name: 'original_author_id', type: 'number', initial: 0 })
  }
}
