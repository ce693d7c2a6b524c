import { sql, type RawBuilder } from 'kysely'
import type { Db, Tx } from '../../../core/db/database.ts'
import { issueQueries, labelQueries, milestoneQueries } from '../../issues/index.ts'
import { repoQueries, topicQueries } from '../../repositories/index.ts'
import { userQueries } from '../../accounts/index.ts'

/** A column with a stored count. */
interface Counter {
  readonly table: 'issue' | 'label' | 'milestone' | 'repo' | 'topic' | 'user'
  readonly column: string
  /** Counts the value for one row, whose alias is `counted`. */
  readonly count: RawBuilder<unknown>
  recount(tx: Tx, ids: readonly number[]): Promise<void>
}

const COUNTERS: readonly Counter[] = [
  ...namesOf(userQueries.counters).map((column) => ({
    table: 'user' as const,
    column,
    count: userQueries.counters[column],
    recount: (tx: Tx, ids: readonly number[]) => userQueries.recount(tx, column, ids),
  })),
  ...namesOf(repoQueries.counters).map((column) => ({
    table: 'repo' as const,
    column,
    count: repoQueries.counters[column],
    recount: (tx: Tx, ids: readonly number[]) => repoQueries.recount(tx, column, ids),
  })),
  ...namesOf(topicQueries.counters).map((column) => ({
    table: 'topic' as const,
    column,
    count: topicQueries.counters[column],
    recount: (tx: Tx, ids: readonly number[]) => topicQueries.recount(tx, column, ids),
  })),
  ...namesOf(labelQueries.counters).map((column) => ({
    table: 'label' as const,
    column,
    count: labelQueries.counters[column],
    recount: (tx: Tx, ids: readonly number[]) => labelQueries.recount(tx, column, ids),
  })),
  ...namesOf(milestoneQueries.counters).map((column) => ({
    table: 'milestone' as const,
    column,
    count: milestoneQueries.counters[column],
    recount: (tx: Tx, ids: readonly number[]) => milestoneQueries.recount(tx, column, ids),
  })),
  ...namesOf(issueQueries.counters).map((column) => ({
    table: 'issue' as const,
    column,
    count: issueQueries.counters[column],
    recount: (tx: Tx, ids: readonly number[]) => issueQueries.recount(tx, column, ids),
  })),
]

function namesOf<Name extends string>(counters: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(counters) as Name[]
}

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
