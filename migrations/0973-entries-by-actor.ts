import { createIndex, type Schema } from './_helpers.ts'

export async function indexEntriesByActor(schema: Schema): Promise<void> {
  // The comments of one account, in all repositories.
  await createIndex(schema, 'timeline_entry', ['actor_id', 'kind', 'id'])
}
