import { sql } from 'kysely'
import { addColumn, createIndex, type Schema } from './_helpers.ts'

/** What user search looks through, in one narrow index that also gives the order of its answers. */
export async function addUserSearch(schema: Schema): Promise<void> {
  await addColumn(schema, 'user', { name: 'search_text', type: 'text', initial: '' })
  const shownEmail = sql`case when is_email_hidden = 1 then '' else email end`
  await sql`update "user" set search_text = lower(name || ${'\n'} || full_name || ${'\n'} || ${shownEmail})`.execute(
    schema.db,
  )
  await createIndex(schema, 'user', ['kind', 'lower_name', 'visibility', 'search_text', 'id'])
}
