import { sql } from 'kysely'
import type { Viewer } from '../../../../core/access/viewer.ts'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import { selectPage } from '../../../../core/db/page.ts'
import {
  asId,
  type IssueId,
  type ProjectColumnId,
  type ProjectId,
  type RepoId,
  type UserId,
} from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { readableIssues } from '../../issues/readable-issues.store.ts'
import type { Issue } from '../../issues/records/issue.store.ts'

/** The distance between the positions of new cards, so that most moves change one row. */
const GAP = 65_536

/** An issue or pull request in a column of a project. */
export interface Card {
  readonly columnId: ProjectColumnId
  readonly sorting: number
}

/** The numbers of open and closed issues and pull requests of a project that a viewer may read. */
export interface CardCounts {
  readonly open: number
  readonly closed: number
}

/**
 * The cards of a column that the viewer may read. NOTE: the table is named `issue` because it has the columns of issues
 * on which the condition depends.
 */
const readableCards = (db: Db, viewer: Viewer, columnId: ProjectColumnId) =>
  db
    .selectFrom('project_issue as issue')
    .innerJoin('repo', 'repo.id', 'issue.repo_id')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .where('issue.column_id', '=', columnId)
    .where((eb) => readableIssues(viewer)(eb as never))

/** A card of a board. */
export interface BoardCard {
  readonly columnId: ProjectColumnId
  readonly issueId: IssueId
}

/** The cards of all columns of a project that the viewer may read, in the order of the board. */
export const listBoardCards = (
  db: Db,
  viewer: Viewer,
  projectId: ProjectId,
  paging: Paging,
): Promise<Page<BoardCard>> =>
  selectPage(
    db
      .selectFrom('project_issue as issue')
      .innerJoin('project_column', 'project_column.id', 'issue.column_id')
      .innerJoin('repo', 'repo.id', 'issue.repo_id')
      .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
      .select(['issue.issue_id', 'issue.column_id'])
      .where('issue.project_id', '=', projectId)
      .where((eb) => readableIssues(viewer)(eb as never))
      .orderBy('project_column.sorting')
      .orderBy('project_column.id')
      .orderBy('issue.sorting')
      .orderBy('issue.issue_id'),
    paging,
    (row): BoardCard => ({ columnId: asId(row.column_id), issueId: asId(row.issue_id) }),
  )

/** Cards in the order of the column. */
export const listReadableCards = (
  db: Db,
  viewer: Viewer,
  columnId: ProjectColumnId,
  paging: Paging,
): Promise<Page<IssueId>> =>
  selectPage(
    readableCards(db, viewer, columnId).select('issue.issue_id').orderBy('issue.sorting').orderBy('issue.issue_id'),
    paging,
    (row) => asId<IssueId>(row.issue_id),
  )

/** The issue at this position among those that the viewer may read, without `moved`; undefined behind the last one. */
export async function findCardAt(
  db: Db,
  viewer: Viewer,
  {
    columnId,
    position,
    moved,
  }: { readonly columnId: ProjectColumnId; readonly position: number; readonly moved: IssueId },
): Promise<IssueId | undefined> {
  const row = await readableCards(db, viewer, columnId)
    .select('issue.issue_id')
    .where('issue.issue_id', '<>', moved)
    .orderBy('issue.sorting')
    .orderBy('issue.issue_id')
    .limit(1)
    .offset(position)
    .executeTakeFirst()
  return row && asId(row.issue_id)
}

/**
 * The cards of each project that the viewer may read; projects without are absent. NOTE: groups the cards by
 * repository, so that access is checked once per repository and not per card.
 */
export async function countReadableCards(
  db: Db,
  viewer: Viewer,
  projectIds: readonly ProjectId[],
): Promise<ReadonlyMap<ProjectId, CardCounts>> {
  if (projectIds.length === 0) return new Map()
  const rows = await db
    .selectFrom((eb) =>
      eb
        .selectFrom('project_issue')
        .select(['project_id', 'repo_id', 'is_pull', 'is_closed'])
        .select((of) => of.fn.countAll<number>().as('cards'))
        .where('project_id', 'in', projectIds)
        .groupBy(['project_id', 'repo_id', 'is_pull', 'is_closed'])
        .as('issue'),
    )
    .innerJoin('repo', 'repo.id', 'issue.repo_id')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .select(['issue.project_id', 'issue.is_closed', 'issue.cards'])
    .where((eb) => readableIssues(viewer)(eb as never))
    .execute()
  const counts = new Map<ProjectId, CardCounts>()
  for (const { project_id, is_closed: isClosed, cards } of rows) {
    const id = asId<ProjectId>(project_id)
    const { open, closed } = counts.get(id) ?? { open: 0, closed: 0 }
    counts.set(id, isClosed === 1 ? { open, closed: closed + cards } : { open: open + cards, closed })
  }
  return counts
}

const cardOf = (db: Db, projectId: ProjectId, issueId: IssueId) =>
  db.selectFrom('project_issue').where('project_id', '=', projectId).where('issue_id', '=', issueId)

/** Undefined if the issue is not in the project. */
export async function findCard(db: Db, projectId: ProjectId, issueId: IssueId): Promise<Card | undefined> {
  const row = await cardOf(db, projectId, issueId).select(['column_id', 'sorting']).executeTakeFirst()
  return row && { columnId: asId(row.column_id), sorting: row.sorting }
}

/** A place in a column of a project, which is locked. */
export interface Place {
  readonly projectId: ProjectId
  readonly columnId: ProjectColumnId
  /** The next card; undefined for the end of the column. */
  readonly before?: IssueId | undefined
}

/** Puts an issue into a project in which it is not. */
export async function insertCard(tx: Tx, place: Place, issue: Issue): Promise<void> {
  await tx
    .insertInto('project_issue')
    .values({
      project_id: place.projectId,
      column_id: place.columnId,
      issue_id: issue.id,
      sorting: await findSorting(tx, place),
      repo_id: issue.repoId,
      is_pull: flag(issue.isPull),
      is_closed: flag(issue.isClosed),
    })
    .execute()
}

export async function moveCard(tx: Tx, place: Place, issueId: IssueId): Promise<void> {
  await tx
    .updateTable('project_issue')
    .set({ column_id: place.columnId, sorting: await findSorting(tx, place) })
    .where('project_id', '=', place.projectId)
    .where('issue_id', '=', issueId)
    .execute()
}

/** A free position; renumbers the column if there is none before the next card. */
async function findSorting(tx: Tx, place: Place): Promise<number> {
  const { projectId, columnId, before } = place
  const next = before && (await findCard(tx, projectId, before))
  const previous = await findLast(tx, columnId, next?.sorting)
  if (next === undefined) return (previous ?? 0) + GAP
  if (previous === undefined) return next.sorting - GAP
  const middle = Math.floor((previous + next.sorting) / 2)
  if (middle > previous) return middle
  await appendCards(tx, columnId, { to: columnId, after: 0 })
  return findSorting(tx, place)
}

/** The last position in the column, or the last one before `limit`. */
async function findLast(tx: Tx, columnId: ProjectColumnId, limit?: number): Promise<number | undefined> {
  const cards = tx.selectFrom('project_issue').select('sorting').where('column_id', '=', columnId)
  const below = limit === undefined ? cards : cards.where('sorting', '<', limit)
  return (await below.orderBy('sorting', 'desc').limit(1).executeTakeFirst())?.sorting
}

interface Destination {
  readonly to: ProjectColumnId
  /** The position before the first card. */
  readonly after: number
}

/** Moves the cards of a column to the positions after another one, in their order. */
async function appendCards(tx: Tx, from: ProjectColumnId, { to, after }: Destination): Promise<void> {
  await sql`update project_issue set column_id = ${to}, sorting = ${after} + ${GAP} * numbered.number
    from (select issue_id, row_number() over (order by sorting, issue_id) as number
      from project_issue where column_id = ${from}) as numbered
    where project_issue.column_id = ${from} and project_issue.issue_id = numbered.issue_id`.execute(tx)
}

/** Moves the cards of a column to the end of another column of the project. */
export const moveCards = async (tx: Tx, from: ProjectColumnId, to: ProjectColumnId): Promise<void> =>
  appendCards(tx, from, { to, after: (await findLast(tx, to)) ?? 0 })

/** Returns false if the issue was not in the project. */
export async function deleteCard(tx: Tx, projectId: ProjectId, issueId: IssueId): Promise<boolean> {
  const deletion = tx.deleteFrom('project_issue').where('project_id', '=', projectId).where('issue_id', '=', issueId)
  return (await deletion.executeTakeFirstOrThrow()).numDeletedRows > 0n
}

/** Copies the state of an issue that was closed or opened again. */
export async function updateCardState(tx: Tx, issueId: IssueId, isClosed: boolean): Promise<void> {
  await tx
    .updateTable('project_issue')
    .set({ is_closed: flag(isClosed) })
    .where('issue_id', '=', issueId)
    .execute()
}

/** Removes a transferred issue from the projects of other repositories, and copies its new repository. */
export async function transferCards(tx: Tx, issueId: IssueId, to: RepoId): Promise<void> {
  await tx
    .deleteFrom('project_issue')
    .where('issue_id', '=', issueId)
    .where('project_id', 'in', (eb) => eb.selectFrom('project').select('id').where('repo_id', '<>', to))
    .execute()
  await tx.updateTable('project_issue').set({ repo_id: to }).where('issue_id', '=', issueId).execute()
}

/** Removes the issues of a repository from the projects of an account that no longer owns it. */
export async function deleteCardsOfRepo(tx: Tx, repoId: RepoId, ownerId: UserId): Promise<void> {
  await tx
    .deleteFrom('project_issue')
    .where('repo_id', '=', repoId)
    .where('project_id', 'in', (eb) => eb.selectFrom('project').select('id').where('owner_id', '=', ownerId))
    .execute()
}
