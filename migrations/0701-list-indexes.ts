import { createIndex, type Schema } from './_helpers.ts'

/** The totals of lists: repositories in sight by owner, and the accounts that hide. */
export async function addListIndexes(schema: Schema): Promise<void> {
  await createIndex(schema, 'repo', ['is_private', 'owner_id', 'units', 'lower_name', 'topics'])
  await createIndex(schema, 'user', ['visibility', 'kind'])
}
