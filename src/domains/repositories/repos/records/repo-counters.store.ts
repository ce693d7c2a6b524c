import { sql } from 'kysely'
import { dialectOf, type Tx } from '../../../../core/db/database.ts'

const issuesWhere = ({ isPull, isClosed }: { readonly isPull: 0 | 1; readonly isClosed: 0 | 1 }) =>
  sql`select count(*) from issue where repo_id = counted.id and is_pull = ${sql.lit(isPull)} and is_closed = ${sql.lit(isClosed)}`

/** Derived counters of repositories, each with the query that counts it for the row aliased `counted`. */
export const repoCounters = {
  stars_count: sql`select count(*) from star where repo_id = counted.id`,
  watchers_count: sql`select count(*) from watch where repo_id = counted.id and mode <> 'ignored'`,
  forks_count: sql`select count(*) from repo as fork where fork.fork_id = counted.id`,
  branches_count: sql`select count(*) from branch where repo_id = counted.id`,
  releases_count: sql`select count(*) from release where repo_id = counted.id and is_draft = 0`,
  open_issues_count: issuesWhere({ isPull: 0, isClosed: 0 }),
  closed_issues_count: issuesWhere({ isPull: 0, isClosed: 1 }),
  open_pulls_count: issuesWhere({ isPull: 1, isClosed: 0 }),
  closed_pulls_count: issuesWhere({ isPull: 1, isClosed: 1 }),
  lfs_size: sql`select cast(coalesce(sum(size), 0) as bigint) from lfs_link where repo_id = counted.id`,
}

/** Recounts a column of these repositories. */
export async function recountRepos(tx: Tx, column: keyof typeof repoCounters, ids: readonly number[]): Promise<void> {
  // NOTE: the lock waits for transactions that change these rows, so that the next statement reads what they wrote.
  await dialectOf(tx)
    .lockRows(tx.selectFrom('repo').select('id').where('id', 'in', ids))
    .execute()
  await sql`update repo as counted set ${sql.ref(column)} = (${repoCounters[column]}) where id in (${sql.join(ids)})`.execute(
    tx,
  )
}
