import { createIndex, type Schema } from './_helpers.ts'

/**
 * What lists of repositories look through, in the order in which they give them: a page is found and a search counted
 * without a look at the wide rows. The other two find what hides.
 */
export async function orderListIndexes({ db, dialect }: Schema): Promise<void> {
  await db.schema.dropIndex('repo_is_private_owner_id_units_lower_name_topics_idx').execute()
  await db.schema.dropIndex('repo_is_private_id_idx').execute()
  await createIndex({ db, dialect }, 'repo', ['id', 'is_private', 'owner_id', 'lower_name', 'topics'])
  await createIndex({ db, dialect }, 'repo', ['is_private', 'owner_id'])
}
