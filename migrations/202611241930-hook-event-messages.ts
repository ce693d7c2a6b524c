import { addColumn, type Schema } from './_helpers.ts'

/** The messages of events that were built before their repository was deleted, as JSON; empty for none. */
export const addHookEventMessages = (schema: Schema): Promise<void> =>
  addColumn(schema, 'hook_event', { name: 'messages', type: 'text', initial: '' })
