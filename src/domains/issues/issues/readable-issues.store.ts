import { type Expression, type ExpressionBuilder, type RawBuilder, sql, type SqlBool } from 'kysely'
import { readsUnit, type RepoViewer, type UnitOfRow, visibleRepos } from '../../../core/access/visible-repos.ts'
import type { Schema } from '../../../core/db/schema.ts'

type Builder = ExpressionBuilder<Schema & { owner: Schema['user'] }, 'repo' | 'owner'>

/**
 * The issues and pull requests that the viewer may read, for queries that join `issue`, its `repo` and the `owner` of
 * it: the SQL equivalent of `canReadIssue`.
 */
export const readableIssues =
  (viewer: RepoViewer) =>
  (eb: Builder): Expression<SqlBool> =>
    eb.and([visibleRepos(viewer)(eb as never), readsUnit(viewer, unitOfRow(sql`issue`))])

/** `unitOf` for a row of `issue`, or of a table that copies its kind. */
export const unitOfRow = (row: RawBuilder<unknown>): UnitOfRow => ({
  when: sql<SqlBool>`${row}.is_pull = 1`,
  unit: 'repo.pulls',
  other: 'repo.issues',
})
