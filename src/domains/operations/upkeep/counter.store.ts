import { sql, type RawBuilder } from 'kysely'
import type { Db, Tx } from '../../../core/db/database.ts'
import { lfsQueries, releaseQueries } from '../../code/index.ts'
import { issueQueries, labelQueries, milestoneQueries } from '../../issues/index.ts'
import { repoQueries, socialQueries, topicQueries } from '../../repositories/index.ts'
import { userQueries } from '../../accounts/index.ts'

/** A column with a stored count. */
interface Counter {
  readonly table: 'issue' | 'label' | 'milestone' | 'repo' | 'topic' | 'user'
  readonly column: string
  /** Counts the value for one row, whose alias is `counted`. */
  readonly count: RawBuilder<unknown>
  recount(tx: Tx, ids: readonly number[]): Promise<void>
}

type Counts<Column extends string> = Readonly<Record<Column, RawBuilder<unknown>>>

const countersOf = <Column extends string>(
  table: Counter['table'],
  counts: Counts<Column>,
  recountRows: (tx: Tx, column: Column, ids: readonly number[]) => Promise<void>,
): Counter[] =>
  (Object.keys(counts) as Column[]).map((column) => ({
    table,
    column,
    count: counts[column],
    recount: (tx, ids) => recountRows(tx, column, ids),
  }))

const countsOfUsers = { ...userQueries.counters, ...socialQueries.userCounters }
const countsOfRepos = {
  ...repoQueries.counters,
  ...releaseQueries.repoCounters,
  ...issueQueries.repoCounters,
  ...lfsQueries.repoCounters,
}

const COUNTERS: readonly Counter[] = [
  ...countersOf('user', countsOfUsers, (tx, column, ids) =>
    userQueries.recount(tx, { column, count: countsOfUsers[column] }, ids),
  ),
  ...countersOf('repo', countsOfRepos, (tx, column, ids) =>
    repoQueries.recount(tx, { column, count: countsOfRepos[column] }, ids),
  ),
  ...countersOf('topic', topicQueries.counters, topicQueries.recount),
  ...countersOf('label', labelQueries.counters, labelQueries.recount),
  ...countersOf('milestone', milestoneQueries.counters, milestoneQueries.recount),
  ...countersOf('issue', issueQueries.counters, issueQueries.recount),
]

export interface WrongCounter {
  readonly table: string
  readonly column: string
  readonly id: number
  readonly stored: number
  readonly counted: number
}

const MAX_FOUND = 1000

/** Counters with a wrong value, up to 1,000 of each kind. */
export async function findWrongCounters(db: Db): Promise<WrongCounter[]> {
  const wrong: WrongCounter[] = []
  for (const counter of COUNTERS) wrong.push(...(await findWrong(db, counter, 0)))
  return wrong
}

/** Yields all wrong counters, one kind after the other, in batches. */
export async function* walkWrongCounters(db: Db): AsyncGenerator<readonly WrongCounter[], void, undefined> {
  for (const counter of COUNTERS) {
    for (let after: number | undefined = 0; after !== undefined;) {
      const found = await findWrong(db, counter, after)
      if (found.length > 0) yield found
      after = found.length < MAX_FOUND ? undefined : found.at(-1)!.id
    }
  }
}

async function findWrong(db: Db, { table, column, count }: Counter, after: number): Promise<WrongCounter[]> {
  const { rows } = await sql<{ id: number; stored: number; counted: number }>`
    select id, stored, counted from (
      select counted.id as id, counted.${sql.ref(column)} as stored, (${count}) as counted from ${sql.table(table)} as counted where counted.id > ${after}
    ) as both_counts where stored <> counted order by id limit ${sql.lit(MAX_FOUND)}`.execute(db)
  return rows.map((row) => ({ table, column, ...row }))
}

/** Recounts these counters. */
export async function recount(tx: Tx, wrong: readonly WrongCounter[]): Promise<void> {
  for (const { table, column, recount: recountRows } of COUNTERS) {
    const ids = wrong.filter((each) => each.table === table && each.column === column).map(({ id }) => id)
    if (ids.length > 0) await recountRows(tx, ids)
  }
}
