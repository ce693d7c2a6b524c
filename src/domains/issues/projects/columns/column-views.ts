import type { Db } from '../../../../core/db/database.ts'
import { type User, userQueries } from '../../../accounts/index.ts'
import type { ProjectColumn } from './column.store.ts'

/** The data of the wire model of a column. */
export interface ColumnView {
  readonly column: ProjectColumn
  /** Undefined when the account was deleted. */
  readonly creator: User | undefined
}

/** Loads views in the given order, with one query. */
export async function loadColumnViews(db: Db, columns: readonly ProjectColumn[]): Promise<ColumnView[]> {
  const creators = await userQueries.listByIds(
    db,
    columns.map(({ creatorId }) => creatorId),
  )
  return columns.map((column) => ({ column, creator: creators.find(({ id }) => id === column.creatorId) }))
}
