import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createMilestones(schema: Schema): Promise<void> {
  await createTable(schema, 'milestone', (t) =>
    t
      .id()
      .reference('repo_id', 'repo')
      .text('title')
      .text('lower_title')
      .text('description', '')
      .flag('is_closed')
      .number('due_at')
      .number('open_issues', 0)
      .number('closed_issues', 0)
      .number('created_at')
      .number('updated_at')
      .number('closed_at', 0),
  )
  // The order of lists; the state is in it so that closed milestones are skipped without a look at their rows.
  await createIndex(schema, 'milestone', ['repo_id', 'due_at', 'title', 'id', 'is_closed'])
  // Look-ups by title in one repository, and searches by title in all of them.
  await createIndex(schema, 'milestone', ['lower_title', 'repo_id'])
}
