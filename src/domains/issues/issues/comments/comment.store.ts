import { sql } from 'kysely'
import type { Db } from '../../../../core/db/database.ts'
import { selectPage } from '../../../../core/db/page.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import type { IssueId, RepoId, UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { type IssueKinds, type Comment, COMMENT_KINDS } from '../issue.policy.ts'
import { boundsOf, toEntry, type UpdateBounds, updatedIn } from '../timeline/timeline-entry.store.ts'
import type { UpdateSpan } from '../timeline/update-span.ts'

const comments = (db: Db, bounds: UpdateBounds) =>
  db
    .selectFrom('timeline_entry')
    .selectAll('timeline_entry')
    .where('timeline_entry.kind', '=', 'comment')
    .where((eb) => updatedIn(bounds)(eb))
    .orderBy('timeline_entry.created_at')
    .orderBy('timeline_entry.id')

interface CommentsOfIssue {
  readonly comments: readonly Comment[]
  /** Whether any comment of the issue has a file: most have none, so that a further statement is rare. */
  readonly haveFiles: boolean
}

/** All comments of an issue, oldest first. */
export async function listCommentsOfIssue(db: Db, issueId: IssueId, span: UpdateSpan): Promise<CommentsOfIssue> {
  const rows = await commentsOf(db, { issueId, ...boundsOf(span) })
  return { comments: rows.map((row) => toEntry(row) as Comment), haveFiles: (rows[0]?.files ?? 0) > 0 }
}

const commentsOf = defineQuery((db, { issueId, ...bounds }: UpdateBounds & { issueId: IssueId }) =>
  comments(db, bounds)
    .select(sql<number>`(select count(*) from attachment where issue_id = ${issueId} and comment_id <> 0)`.as('files'))
    .where('timeline_entry.issue_id', '=', issueId),
)

export interface RepoCommentFilter {
  readonly span: UpdateSpan
  /** Comments on issues, on pull requests, or on both. */
  readonly kinds: IssueKinds
}

/** The comments of a repository, oldest first. */
export function listCommentsOfRepo(
  db: Db,
  repoId: RepoId,
  { span, kinds }: RepoCommentFilter,
  paging: Paging,
): Promise<Page<Comment>> {
  let query = comments(db, boundsOf(span)).where('timeline_entry.repo_id', '=', repoId)
  if (!kinds.issues || !kinds.pulls) {
    const isPull = kinds.pulls ? 1 : 0
    query = query.where('timeline_entry.issue_id', 'in', (eb) =>
      eb.selectFrom('issue').select('issue.id').where('issue.repo_id', '=', repoId).where('issue.is_pull', '=', isPull),
    )
  }
  return selectPage(query, paging, (row) => toEntry(row) as Comment)
}

/** Some comments of an account; empty when it has none. */
export async function listSomeCommentsBy(db: Db, authorId: UserId, limit: number): Promise<Comment[]> {
  const rows = await db
    .selectFrom('timeline_entry')
    .selectAll()
    .where('actor_id', '=', authorId)
    .where('kind', 'in', COMMENT_KINDS)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => toEntry(row) as Comment)
}
