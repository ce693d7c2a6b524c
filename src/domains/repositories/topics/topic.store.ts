import { sql, type Selectable } from 'kysely'
import { dialectOf, type Tx, type Db } from '../../../core/db/database.ts'
import type { UserId, RepoId } from '../../../core/platform/crypto/ids.ts'
import { selectPage } from '../../../core/db/page.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { compareTexts } from '../../../core/platform/compare-texts.ts'
import { setRepoTopics } from '../repos/changes/changes.store.ts'
import { lockRepo } from '../repos/repo.store.ts'
import type { TopicTable } from './topic.table.ts'

/** Counter columns of topics, each with the query that counts it for the row `counted`. */
export const topicCounters = {
  repo_count: sql`select count(*) from repo_topic where topic_id = counted.id`,
}

/** Recounts a column for these topics. */
export async function recountTopics(tx: Tx, column: keyof typeof topicCounters, ids: readonly number[]): Promise<void> {
  // NOTE: waits for concurrent transactions on these rows, so that the next statement sees their changes.
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

export interface Topic {
  readonly id: number
  readonly name: string
  readonly repoCount: number
  readonly createdAt: number
  readonly updatedAt: number
}

const toTopic = (row: Selectable<TopicTable>): Topic => ({
  id: row.id,
  name: row.name,
  repoCount: row.repo_count,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/** Topics whose name contains the text, most used first. */
export async function searchTopics(db: Db, text: string, paging: Paging): Promise<Page<Topic>> {
  let query = db.selectFrom('topic')
  if (text !== '')
    query = query.where(sql<boolean>`name like ${`%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`} escape '\\'`)
  return selectPage(query.selectAll().orderBy('repo_count', 'desc').orderBy('name'), paging, toTopic)
}

/** Sorted by name. */
async function listTopicsOf(db: Db, repoId: RepoId): Promise<string[]> {
  const rows = await db
    .selectFrom('repo_topic')
    .innerJoin('topic', 'topic.id', 'repo_topic.topic_id')
    .select('topic.name')
    .where('repo_topic.repo_id', '=', repoId)
    .execute()
  return rows.map((row) => row.name).toSorted(compareTexts)
}

/** Locks the repository until the transaction ends; the names are sorted. */
export async function lockTopicsOf(tx: Tx, repoId: RepoId): Promise<string[]> {
  await lockRepo(tx, repoId)
  return listTopicsOf(tx, repoId)
}

/** Replaces the topics of a repository: rows, counters and the copy in `repo.topics`. `names` must be unique. */
export async function replaceTopics(tx: Tx, repoId: RepoId, names: readonly string[], at: number): Promise<void> {
  const before = await lockTopicsOf(tx, repoId)
  const added = names.filter((name) => !before.includes(name))
  const removed = before.filter((name) => !names.includes(name))
  if (added.length > 0) await addTopics(tx, repoId, added, at)
  if (removed.length > 0) await deleteTopics(tx, repoId, removed, at)
  await setRepoTopics(tx, repoId, names.toSorted(compareTexts))
}

async function addTopics(tx: Tx, repoId: RepoId, names: readonly string[], at: number): Promise<void> {
  await tx
    .insertInto('topic')
    .values(names.map((name) => ({ name, created_at: at, updated_at: at })))
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const topics = await tx.selectFrom('topic').select('id').where('name', 'in', names).execute()
  await tx
    .insertInto('repo_topic')
    .values(topics.map((topic) => ({ repo_id: repoId, topic_id: topic.id })))
    .execute()
  await count(tx, names, 1, at)
}

async function deleteTopics(tx: Tx, repoId: RepoId, names: readonly string[], at: number): Promise<void> {
  await tx
    .deleteFrom('repo_topic')
    .where('repo_id', '=', repoId)
    .where('topic_id', 'in', (eb) => eb.selectFrom('topic').select('topic.id').where('topic.name', 'in', names))
    .execute()
  await count(tx, names, -1, at)
}

/** Subtracts a repository from the counters of its topics. */
export async function subtractTopicsOf(tx: Tx, repoId: RepoId): Promise<void> {
  await tx
    .updateTable('topic')
    .set((eb) => ({ repo_count: eb('repo_count', '-', 1) }))
    .where('id', 'in', (eb) => eb.selectFrom('repo_topic').select('topic_id').where('repo_id', '=', repoId))
    .execute()
}

async function count(tx: Tx, names: readonly string[], change: 1 | -1, at: number): Promise<void> {
  await tx
    .updateTable('topic')
    .set({ repo_count: sql<number>`repo_count + ${change}`, updated_at: at })
    .where('name', 'in', names)
    .execute()
}
