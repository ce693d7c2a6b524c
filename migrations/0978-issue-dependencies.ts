import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createIssueDependencies(schema: Schema): Promise<void> {
  await createTable(schema, 'issue_dependency', (t) =>
    t
      .reference('issue_id', 'issue')
      .reference('depends_on_id', 'issue')
      .number('created_at')
      .primaryKey('issue_id', 'depends_on_id'),
  )
  await createIndex(schema, 'issue_dependency', ['depends_on_id', 'issue_id'])
}
