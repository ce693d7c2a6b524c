import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createIssueRedirects(schema: Schema): Promise<void> {
  await createTable(schema, 'issue_redirect', (t) =>
    t.reference('repo_id', 'repo').number('number').reference('issue_id', 'issue').primaryKey('repo_id', 'number'),
  )
  await createIndex(schema, 'issue_redirect', ['issue_id'])
}
