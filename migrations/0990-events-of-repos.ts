import { createIndex, type Schema } from './_helpers.ts'

/** What happened in a repository after an event, for clients that resume a stream. */
export async function indexEventsOfRepos(schema: Schema): Promise<void> {
  await createIndex(schema, 'event', ['repo_id', 'id'])
}
