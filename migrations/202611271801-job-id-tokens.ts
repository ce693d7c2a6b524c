import { addColumn, createTable, type Schema } from './_helpers.ts'

/** The keys that sign the ID tokens of jobs, and the environment that such a token names. */
export async function createJobIdTokens(schema: Schema): Promise<void> {
  await createTable(schema, 'action_id_token_key', (t) =>
    t.id().text('key_id').text('private_key').text('public_key').number('created_at'),
  )
  await addColumn(schema, 'action_job', { name: 'environment', type: 'text', initial: '' })
}
