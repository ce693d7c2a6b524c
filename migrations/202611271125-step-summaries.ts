import { createTable, type Schema } from './_helpers.ts'

/** What steps of jobs write for the page of their run. */
export async function createStepSummaries(schema: Schema): Promise<void> {
  await createTable(schema, 'action_summary', (t) =>
    t.reference('task_id', 'action_task').number('step').text('text').primaryKey('task_id', 'step'),
  )
}
