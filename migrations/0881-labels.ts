import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createLabels(schema: Schema): Promise<void> {
  await createTable(schema, 'label', (t) =>
    t
      .id()
      .optionalReference('repo_id', 'repo')
      .optionalReference('org_id', 'user')
      .text('name')
      .text('color')
      .text('description', '')
      .flag('is_exclusive')
      .number('archived_at', 0)
      .number('issues_count', 0)
      .number('created_at')
      .number('updated_at'),
  )
  await createIndex(schema, 'label', ['repo_id', 'name'])
  await createIndex(schema, 'label', ['org_id', 'name'])
}
