import { addColumn, createIndex, type Schema } from './_helpers.ts'

export async function addIssuesOfActivities(schema: Schema): Promise<void> {
  await addColumn(schema, 'activity', { name: 'issue_id', type: 'number', initial: 0 })
  await addColumn(schema, 'activity', { name: 'comment_id', type: 'number', initial: 0 })
  await createIndex(schema, 'activity', ['issue_id', 'comment_id'])
}
