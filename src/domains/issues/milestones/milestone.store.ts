import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { type Db, dialectOf, type Tx } from '../../../core/db/database.ts'
import { defineQuery } from '../../../core/db/prepared-statement.ts'
import { cachedByIds } from '../../../core/db/read-cache.ts'
import { engineErrors } from '../../../core/platform/errors.ts'
import { selectPage } from '../../../core/db/page.ts'
import { containing } from '../../../core/db/text-match.ts'
import { asId, type MilestoneId, type RepoId } from '../../../core/platform/crypto/ids.ts'
import { type Page, type Paging, parseInteger } from '../../../core/platform/paging.ts'
import { ZERO_TIME_MS } from '../../../core/platform/timestamp.ts'
import type { MilestoneTable } from './milestone.table.ts'

/** Times are epoch milliseconds. */
export interface Milestone {
  readonly id: MilestoneId
  readonly title: string
  readonly description: string
  readonly isClosed: boolean
  readonly dueAt: number | undefined
  /** Issues and pull requests that have the milestone. */
  readonly openIssues: number
  readonly closedIssues: number
  readonly createdAt: number
  readonly updatedAt: number
  /** Undefined if open. */
  readonly closedAt: number | undefined
}

export interface MilestoneFilter {
  readonly state: 'open' | 'closed' | 'all'
  /** Part of the title, case-insensitive; empty for all. */
  readonly title: string
}

/** The `due_at` of milestones without a due date; sorts before every other. */
export const NO_DUE_DATE = ZERO_TIME_MS

const toMilestone = (row: Selectable<MilestoneTable>): Milestone => ({
  id: asId(row.id),
  title: row.title,
  description: row.description,
  isClosed: row.is_closed === 1,
  dueAt: row.due_at === NO_DUE_DATE ? undefined : row.due_at,
  openIssues: row.open_issues,
  closedIssues: row.closed_issues,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  closedAt: row.closed_at || undefined,
})

const milestonesOf = (db: Db, repoId: RepoId) => db.selectFrom('milestone').selectAll().where('repo_id', '=', repoId)

/** Ordered by due date, milestones without one first, then by title, then by id. */
export function listMilestones(
  db: Db,
  repoId: RepoId,
  { state, title }: MilestoneFilter,
  paging: Paging,
): Promise<Page<Milestone>> {
  let query = milestonesOf(db, repoId)
  if (state !== 'all') query = query.where('is_closed', '=', state === 'closed' ? 1 : 0)
  if (title !== '') query = query.where((eb) => containing(eb.ref('lower_title'), title))
  return selectPage(query.orderBy('due_at').orderBy('title').orderBy('id'), paging, toMilestone)
}

/** Also undefined if the milestone belongs to another repository. */
export async function findMilestone(db: Db, repoId: RepoId, id: MilestoneId): Promise<Milestone | undefined> {
  const row = await milestonesOf(db, repoId).where('id', '=', id).executeTakeFirst()
  return row && toMilestone(row)
}

/** Finds a milestone by id, then by the exact title. Titles are not unique: returns the one with the lowest id. */
export async function findMilestoneNamed(db: Db, repoId: RepoId, idOrTitle: string): Promise<Milestone | undefined> {
  return (await findMilestone(db, repoId, asId(parseInteger(idOrTitle)))) ?? findMilestoneTitled(db, repoId, idOrTitle)
}

/** Finds a milestone by the exact title; of several, the one with the lowest id. */
export async function findMilestoneTitled(db: Db, repoId: RepoId, title: string): Promise<Milestone | undefined> {
  const row = await milestonesOf(db, repoId)
    .where('lower_title', '=', title.toLowerCase())
    .where('title', '=', title)
    .orderBy('id')
    .executeTakeFirst()
  return row && toMilestone(row)
}

/** Like `findMilestone`; until the transaction ends, no other one can change the milestone or add references to it. */
export async function lockMilestone(tx: Tx, repoId: RepoId, id: MilestoneId): Promise<Milestone | undefined> {
  const row = await dialectOf(tx)
    .lockToDelete(milestonesOf(tx, repoId).where('id', '=', id))
    .executeTakeFirst()
  return row && toMilestone(row)
}

/** Milestones by id; unknown ids are absent. Callers pass at most a few hundred. */
export const listMilestonesByIds = (
  db: Db,
  ids: readonly MilestoneId[],
): Promise<ReadonlyMap<MilestoneId, Milestone>> =>
  cachedByIds(db, 'milestone', ids, async (missing) => (await milestonesWithIds(db, { ids: missing })).map(toMilestone))

const milestonesWithIds = defineQuery((db, { ids }: { ids: readonly MilestoneId[] }) =>
  db.selectFrom('milestone').selectAll().where('id', 'in', ids),
)

/**
 * The ids of the milestones that the words of a filter name, ascending: those with exactly this title, otherwise the
 * one with this id. Ignores empty and unknown words. Callers pass at most a few hundred.
 */
export async function listMilestoneIdsNamed(db: Db, repoId: RepoId, words: readonly string[]): Promise<MilestoneId[]> {
  const wanted = [...new Set(words)].filter((word) => word !== '')
  if (wanted.length === 0) return []
  const ofRepo = db.selectFrom('milestone').select(['id', 'title']).where('repo_id', '=', repoId)
  const lower = wanted.map((word) => word.toLowerCase())
  const titled = await ofRepo.where('lower_title', 'in', lower).where('title', 'in', wanted).execute()
  const titles = new Set(titled.map(({ title }) => title))
  const numbers = wanted.filter((word) => !titles.has(word)).map((word) => parseInteger(word))
  const numbered = numbers.length === 0 ? [] : await ofRepo.where('id', 'in', numbers).execute()
  const ids = new Set([...titled, ...numbered].map(({ id }) => asId<MilestoneId>(id)))
  return [...ids].toSorted((a, b) => a - b)
}

export async function insertMilestone(
  tx: Tx,
  values: Omit<Insertable<MilestoneTable>, 'lower_title'>,
): Promise<Milestone> {
  const row = { ...values, lower_title: values.title.toLowerCase() }
  return toMilestone(await tx.insertInto('milestone').values(row).returningAll().executeTakeFirstOrThrow())
}

export async function updateMilestone(
  tx: Tx,
  id: MilestoneId,
  values: Omit<Updateable<MilestoneTable>, 'lower_title'>,
): Promise<Milestone> {
  const lower = values.title === undefined ? {} : { lower_title: values.title.toLowerCase() }
  const update = tx.updateTable('milestone').set({ ...values, ...lower })
  return toMilestone(await update.where('id', '=', id).returningAll().executeTakeFirstOrThrow())
}

export async function deleteMilestone(tx: Tx, id: MilestoneId): Promise<void> {
  await tx.deleteFrom('milestone').where('id', '=', id).execute()
}

/** The differences to add to the counters of a milestone. */
export interface CounterChange {
  readonly open: number
  readonly closed: number
}

/**
 * Adds to the counters, in id order. Locks the rows until the transaction ends; fails if a milestone was deleted. With
 * `at`, sets `updated_at` unless it is later.
 */
export async function addToMilestoneCounters(
  tx: Tx,
  changes: ReadonlyMap<MilestoneId, CounterChange>,
  at?: number,
): Promise<void> {
  // NOTE: a common lock order prevents deadlocks.
  for (const [id, change] of [...changes].toSorted(([a], [b]) => a - b)) {
    const [row] = await addition(tx, { id, ...change, at })
    if (row === undefined) throw engineErrors.deletedConcurrently()
  }
}

/**
 * Like `addToMilestoneCounters`, for one milestone, which is returned; undefined if the repository does not have it.
 */
export async function countInMilestone(
  tx: Tx,
  { repoId, id }: { readonly repoId: RepoId; readonly id: MilestoneId },
  change: CounterChange,
  at: number,
): Promise<Milestone | undefined> {
  const [row] = await addition(tx, { id, repoId, ...change, at })
  return row && toMilestone(row)
}

interface Addition extends CounterChange {
  readonly id: MilestoneId
  readonly repoId?: RepoId
  readonly at?: number | undefined
}

const addition = defineQuery((db, { id, repoId, open, closed, at }: Addition) =>
  db
    .updateTable('milestone')
    .set((eb) => ({
      open_issues: eb('open_issues', '+', open),
      closed_issues: eb('closed_issues', '+', closed),
      ...(at !== undefined && {
        updated_at: sql<number>`case when updated_at < ${at} then ${at} else updated_at end`,
      }),
    }))
    .where('id', '=', id)
    .$if(repoId !== undefined, (query) => query.where('repo_id', '=', repoId!))
    .returningAll(),
)
