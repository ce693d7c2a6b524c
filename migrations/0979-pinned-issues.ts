import { createIndex, type Schema } from './_helpers.ts'

export async function indexPinnedIssues(schema: Schema): Promise<void> {
  await createIndex(schema, 'issue', ['repo_id', 'is_pull', 'pin_order'])
}
