import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { countRows, selectPage } from '../../../../core/db/page.ts'
import { asId, type ProjectColumnId, type ProjectId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import type { ProjectColumnTable } from '../project.table.ts'

/** Times are epoch milliseconds. */
export interface ProjectColumn {
  readonly id: ProjectColumnId
  readonly projectId: ProjectId
  /** The account may have been deleted. */
  readonly creatorId: UserId
  readonly title: string
  /** `#` and six hexadecimal digits, or empty. */
  readonly color: string
  readonly isDefault: boolean
  readonly sorting: number
  readonly createdAt: number
  readonly updatedAt: number
}

const toColumn = (row: Selectable<ProjectColumnTable>): ProjectColumn => ({
  id: asId(row.id),
  projectId: asId(row.project_id),
  creatorId: asId(row.creator_id),
  title: row.title,
  color: row.color,
  isDefault: row.is_default === 1,
  sorting: row.sorting,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const columnsOf = (db: Db, projectId: ProjectId) =>
  db.selectFrom('project_column').selectAll().where('project_id', '=', projectId)

/** Columns in the order of the board. */
export const listColumns = (db: Db, projectId: ProjectId, paging: Paging): Promise<Page<ProjectColumn>> =>
  selectPage(columnsOf(db, projectId).orderBy('sorting').orderBy('id'), paging, toColumn)

/** Also undefined if the column is in another project. */
export async function findColumn(
  db: Db,
  projectId: ProjectId,
  id: ProjectColumnId,
): Promise<ProjectColumn | undefined> {
  const row = await columnsOf(db, projectId).where('id', '=', id).executeTakeFirst()
  return row && toColumn(row)
}

export async function getDefaultColumn(db: Db, projectId: ProjectId): Promise<ProjectColumn> {
  return toColumn(await columnsOf(db, projectId).where('is_default', '=', 1).executeTakeFirstOrThrow())
}

/** The ids of all columns, in the order of the board. */
export async function listColumnIds(db: Db, projectId: ProjectId): Promise<ProjectColumnId[]> {
  const rows = await columnsOf(db, projectId).orderBy('sorting').orderBy('id').execute()
  return rows.map(({ id }) => asId(id))
}

export const countColumns = (db: Db, projectId: ProjectId): Promise<number> => countRows(columnsOf(db, projectId))

/** Undefined without columns. */
export async function findLastSorting(db: Db, projectId: ProjectId): Promise<number | undefined> {
  const last = await columnsOf(db, projectId).orderBy('sorting', 'desc').limit(1).executeTakeFirst()
  return last?.sorting
}

/** Returns the columns in the given order. */
export async function insertColumns(
  tx: Tx,
  columns: readonly Insertable<ProjectColumnTable>[],
): Promise<ProjectColumn[]> {
  const rows = await tx.insertInto('project_column').values(columns).returningAll().execute()
  return rows.map(toColumn).toSorted((a, b) => a.id - b.id)
}

export async function updateColumn(
  tx: Tx,
  id: ProjectColumnId,
  values: Updateable<ProjectColumnTable>,
): Promise<ProjectColumn> {
  const update = tx.updateTable('project_column').set(values).where('id', '=', id).returningAll()
  return toColumn(await update.executeTakeFirstOrThrow())
}

/** Makes one column the default column of its project. */
export async function setDefaultColumn(tx: Tx, projectId: ProjectId, id: ProjectColumnId, at: number): Promise<void> {
  await tx
    .updateTable('project_column')
    .set({ is_default: sql<0 | 1>`case when id = ${id} then 1 else 0 end`, updated_at: at })
    .where('project_id', '=', projectId)
    .where((eb) => eb.or([eb('is_default', '=', 1), eb('id', '=', id)]))
    .execute()
}

/** The position of each id becomes the `sorting` of its column. */
export async function sortColumns(tx: Tx, ids: readonly ProjectColumnId[], at: number): Promise<void> {
  for (const [sorting, id] of ids.entries())
    await tx.updateTable('project_column').set({ sorting, updated_at: at }).where('id', '=', id).execute()
}

/** The column must be without issues. */
export async function deleteColumn(tx: Tx, id: ProjectColumnId): Promise<void> {
  await tx.deleteFrom('project_column').where('id', '=', id).execute()
}
