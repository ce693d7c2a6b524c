import { type Expression, type ExpressionBuilder, sql, type SqlBool } from 'kysely'
import { readsUnit, type Sight, visibleRepos } from '../../../core/access/visible-repos.ts'
import type { Schema } from '../../../core/db/schema.ts'

type Builder = ExpressionBuilder<Schema & { owner: Schema['user'] }, 'repo' | 'owner'>

/**
 * The issues and pull requests that the viewer may read, for queries that join `issue`, its `repo` and the `owner` of
 * it: the SQL equivalent of `canReadIssue`.
 */
export const readableIssues =
  (viewer: Sight) =>
  (eb: Builder): Expression<SqlBool> =>
    eb.and([
      visibleRepos(viewer)(eb as never),
      sql<SqlBool>`((issue.is_pull = 0 and ${readsUnit(viewer, 'repo.issues')})
        or (issue.is_pull = 1 and ${readsUnit(viewer, 'repo.pulls')}))`,
    ])
