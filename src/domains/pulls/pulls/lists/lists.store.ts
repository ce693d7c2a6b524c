import type { Db } from '../../../../core/db/database.ts'
import { asId, type IssueId, type RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { PullTarget } from '../records/pull.store.ts'
import { type OrderByModifiers, type SelectQueryBuilder, sql } from 'kysely'
import { selectPage } from '../../../../core/db/page.ts'
import type { Schema } from '../../../../core/db/schema.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import type { PullFilter, PullSort } from './pull-filter.ts'

/** The issue of the open pull request with this target, otherwise of the newest one. */
export async function findIssueByTarget(
  db: Db,
  { headRepoId, headBranch, baseRepoId, baseBranch }: Omit<PullTarget, 'isAgit'>,
): Promise<IssueId | undefined> {
  const row = await db
    .selectFrom('pull')
    .select('issue_id')
    .where('head_repo_id', '=', headRepoId)
    .where('head_branch', '=', headBranch)
    .where('base_repo_id', '=', baseRepoId)
    .where('base_branch', '=', baseBranch)
    .orderBy('is_closed')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && asId(row.issue_id)
}

/** The issue of the pull request that this commit merged into the repository. */
export async function findIssueByMerge(db: Db, baseRepoId: RepoId, oid: string): Promise<IssueId | undefined> {
  const row = await db
    .selectFrom('pull')
    .select('issue_id')
    .where('base_repo_id', '=', baseRepoId)
    .where('merged_oid', '=', oid)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && asId(row.issue_id)
}

type Columns = 'closed_at' | 'comments_count' | 'created_at' | 'due_at' | 'updated_at'

const KEYS: Readonly<Record<PullSort, readonly [column: Columns, direction: 'asc' | 'desc']>> = {
  latest: ['created_at', 'desc'],
  oldest: ['created_at', 'asc'],
  recentupdate: ['updated_at', 'desc'],
  recentclose: ['closed_at', 'desc'],
  leastupdate: ['updated_at', 'asc'],
  mostcomment: ['comments_count', 'desc'],
  leastcomment: ['comments_count', 'asc'],
  nearduedate: ['due_at', 'asc'],
  farduedate: ['due_at', 'desc'],
}

type Query = SelectQueryBuilder<Schema, 'issue' | 'pull', { id: number }>

/** The ids of the issues of pull requests, without duplicates, and their exact number. At most two queries. */
export async function listPullIssueIds(
  db: Db,
  repoId: RepoId,
  { filter, sort, paging }: { readonly filter: PullFilter; readonly sort: PullSort; readonly paging: Paging },
): Promise<Page<IssueId>> {
  const { state, labelIds, milestoneId, authorId, baseBranch, headBranch } = filter
  let query: Query = db
    .selectFrom('issue')
    .innerJoin('pull', 'pull.issue_id', 'issue.id')
    .select('issue.id')
    .where('issue.repo_id', '=', repoId)
    .where('issue.is_pull', '=', 1)
  if (state !== 'all') query = query.where('issue.is_closed', '=', state === 'closed' ? 1 : 0)
  if (milestoneId !== 0) query = query.where('issue.milestone_id', '=', milestoneId)
  if (authorId !== undefined) query = query.where('issue.poster_id', '=', authorId)
  if (baseBranch !== undefined) query = query.where('pull.base_branch', '=', baseBranch)
  if (headBranch !== undefined) query = query.where('pull.head_branch', '=', headBranch)
  if (labelIds.length > 0)
    query = query.where('issue.id', 'in', (eb) =>
      eb.selectFrom('issue_label').select('issue_id').where('repo_id', '=', repoId).where('label_id', 'in', labelIds),
    )
  return selectPage(inOrder(query, sort), paging, (row) => asId<IssueId>(row.id))
}

function inOrder(query: Query, sort: PullSort): Query {
  const [column, direction] = KEYS[sort]
  const order: OrderByModifiers = direction
  // NOTE: when the nearest due date is first, pull requests without one sort last.
  const dated = sort === 'nearduedate' ? query.orderBy(sql`case when issue.due_at = 0 then 1 else 0 end`) : query
  return dated.orderBy(`issue.${column}`, order).orderBy('issue.id', order)
}
