import { sql } from 'kysely'
import { addColumn, type Schema } from './_helpers.ts'

/** Which process has a lease, so that others take over at once what one that ended has left. */
export async function addLeaseHolders(schema: Schema): Promise<void> {
  await addColumn(schema, 'job', { name: 'holder', type: 'text', initial: '' })
  await addColumn(schema, 'hook_event', { name: 'holder', type: 'text', initial: '' })
  if (schema.dialect === 'sqlite') return
  await sql`alter table cluster_session add column member text not null default ''`.execute(schema.db)
}
