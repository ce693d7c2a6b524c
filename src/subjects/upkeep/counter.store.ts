import { sql, type RawBuilder } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import type { DatabaseDialect } from '../../db/dialect/dialect.ts'

/** A column that repeats what could be counted. */
interface Counter {
  readonly table: 'repo' | 'topic' | 'user'
  readonly column: string
  /** Counts for one row; the row is called `counted`. */
  readonly count: RawBuilder<unknown>
}

const COUNTERS: readonly Counter[] = [
  { table: 'user', column: 'followers_count', count: sql`select count(*) from follow where followed_id = counted.id` },
  { table: 'user', column: 'following_count', count: sql`select count(*) from follow where user_id = counted.id` },
  { table: 'user', column: 'stars_count', count: sql`select count(*) from star where user_id = counted.id` },
  { table: 'repo', column: 'stars_count', count: sql`select count(*) from star where repo_id = counted.id` },
  {
    table: 'repo',
    column: 'watchers_count',
    count: sql`select count(*) from watch where repo_id = counted.id and mode <> 'ignored'`,
  },
  {
    table: 'repo',
    column: 'forks_count',
    count: sql`select count(*) from repo as fork where fork.fork_id = counted.id`,
  },
  { table: 'repo', column: 'branches_count', count: sql`select count(*) from branch where repo_id = counted.id` },
  {
    table: 'repo',
    column: 'releases_count',
    count: sql`select count(*) from release where repo_id = counted.id and is_draft = 0`,
  },
  {
    table: 'repo',
    column: 'lfs_size',
    count: sql`select cast(coalesce(sum(size), 0) as bigint) from lfs_link where repo_id = counted.id`,
  },
  { table: 'topic', column: 'repo_count', count: sql`select count(*) from repo_topic where topic_id = counted.id` },
]

export interface WrongCounter {
  readonly table: string
  readonly column: string
  readonly id: number
  readonly stored: number
  readonly counted: number
}

const MOST = 1000

/** Counters that disagree with what they count, up to 1,000 of each kind. */
export async function findWrongCounters(db: Db): Promise<WrongCounter[]> {
  const wrong: WrongCounter[] = []
  for (const counter of COUNTERS) wrong.push(...(await findWrong(db, counter, 0)))
  return wrong
}

/** All of them, one kind after the other, some at a time. */
export async function* walkWrongCounters(db: Db): AsyncGenerator<readonly WrongCounter[], void, undefined> {
  for (const counter of COUNTERS) {
    for (let after: number | undefined = 0; after !== undefined;) {
      const found = await findWrong(db, counter, after)
      if (found.length > 0) yield found
      after = found.length < MOST ? undefined : found.at(-1)!.id
    }
  }
}

async function findWrong(db: Db, { table, column, count }: Counter, after: number): Promise<WrongCounter[]> {
  const { rows } = await sql<{ id: number; stored: number; counted: number }>`
    select id, stored, counted from (
      select counted.id as id, counted.${sql.ref(column)} as stored, (${count}) as counted from ${sql.table(table)} as counted where counted.id > ${after}
    ) as both_counts where stored <> counted order by id limit ${sql.lit(MOST)}`.execute(db)
  return rows.map((row) => ({ table, column, ...row }))
}

/** Counts these anew. */
export async function recount(tx: Tx, dialect: DatabaseDialect, wrong: readonly WrongCounter[]): Promise<void> {
  for (const { table, column, count } of COUNTERS) {
    const ids = wrong.filter((each) => each.table === table && each.column === column).map(({ id }) => id)
    if (ids.length === 0) continue
    // NOTE: whoever changes such a row now has counted by then: the next statement sees it.
    await dialect.lockRows(tx.selectFrom(table).select('id').where('id', 'in', ids)).execute()
    await sql`update ${sql.table(table)} as counted set ${sql.ref(column)} = (${count}) where id in (${sql.join(ids)})`.execute(
      tx,
    )
  }
}
