import { addColumn, type Schema } from './_helpers.ts'

/** Jobs that are planned when the jobs that they need have ended. */
export const addLateJobs = (schema: Schema): Promise<void> =>
  addColumn(schema, 'action_job', { name: 'late', type: 'text', initial: '' })
