import { addColumn, type Schema } from './_helpers.ts'

/** The push that registered a schedule, of which its runs have the payload. */
export const addSchedulePushes = (schema: Schema): Promise<void> =>
  addColumn(schema, 'action_schedule', { name: 'push', type: 'text', initial: '' })
