import { createTable, type Schema } from './_helpers.ts'

/** Words that site administrators put on repositories. */
export async function createRepoFlags(schema: Schema): Promise<void> {
  await createTable(schema, 'repo_flag', (t) =>
    t.reference('repo_id', 'repo').text('name').primaryKey('repo_id', 'name'),
  )
}
