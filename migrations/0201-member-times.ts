import { addColumn, createIndex, type Schema } from './_helpers.ts'

/** Member lists are cut into pages by the time of joining. */
export async function addMemberTimes(schema: Schema): Promise<void> {
  await addColumn(schema, 'org_member', { name: 'joined_at', type: 'number', initial: 0 })
  await createIndex(schema, 'org_member', ['org_id', 'joined_at', 'user_id'])
}
