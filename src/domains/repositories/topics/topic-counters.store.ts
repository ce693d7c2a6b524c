import { sql } from 'kysely'
import { dialectOf, type Tx } from '../../../core/db/database.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'

/** Counter columns of topics, each with the query that counts it for the row `counted`. */
export const topicCounters = {
  repo_count: sql`select count(*) from repo_topic where topic_id = counted.id`,
}

/** Recounts a column for these topics. */
export async function recountTopics(tx: Tx, column: keyof typeof topicCounters, ids: readonly number[]): Promise<void> {
  // NOTE: waits for concurrent transactions on these rows, so that the next statement sees what they wrote.
  await dialectOf(tx)
    .lockRows(tx.selectFrom('topic').select('id').where('id', 'in', ids))
    .execute()
  await sql`update topic as counted set ${sql.ref(column)} = (${topicCounters[column]}) where id in (${sql.join(ids)})`.execute(
    tx,
  )
}

/** Subtracts all repositories of an owner from the counters of their topics. */
export async function subtractTopicsOfReposOf(tx: Tx, ownerId: UserId): Promise<void> {
  await sql`update topic set repo_count = repo_count - (select count(*) from repo_topic join repo on repo.id = repo_topic.repo_id where repo.owner_id = ${ownerId} and repo_topic.topic_id = topic.id)
    where id in (select repo_topic.topic_id from repo_topic join repo on repo.id = repo_topic.repo_id where repo.owner_id = ${ownerId})`.execute(
    tx,
  )
}
