import { addColumn, type Schema } from './_helpers.ts'

/** What credentials may not do although their account may, with the work that runs later in the account's name. */
export async function addCredentialRestrictions(schema: Schema): Promise<void> {
  const restriction = { name: 'restriction', type: 'text', initial: '' } as const
  for (const table of ['merge_schedule', 'merge_queue_entry', 'merge_intent', 'cross_reference'])
    await addColumn(schema, table, restriction)
  await addColumn(schema, 'cross_reference', { name: 'author_id', type: 'number', initial: 0 })
  await addColumn(schema, 'branch', { ...restriction, name: 'pusher_restriction' })
}
