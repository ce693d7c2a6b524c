import { createIndex, createTable, type Schema } from './_helpers.ts'

/** What branches were called before, so that old addresses of their files still work. */
export async function createRenamedBranches(schema: Schema): Promise<void> {
  await createTable(schema, 'renamed_branch', (t) =>
    t.id().reference('repo_id', 'repo').text('from_name').text('to_name').number('created_at'),
  )
  await createIndex(schema, 'renamed_branch', ['repo_id', 'from_name'], { unique: true })
  await createIndex(schema, 'renamed_branch', ['repo_id', 'to_name'])
}
