import type { Db } from '../../../../core/db/database.ts'
import type { IssueId } from '../../../../core/platform/crypto/ids.ts'
import { type Attachment, type Repo, attachmentQueries, repoQueries } from '../../../repositories/index.ts'
import { type User, userQueries } from '../../../accounts/index.ts'
import { type Issue, listIssuesByIds } from '../records/issue.store.ts'
import { listEntriesByIds } from '../timeline/timeline-entry.store.ts'
import { isText, type Text } from '../issue.policy.ts'

/** The data of the wire model of a comment. */
export interface CommentView {
  readonly comment: Text
  readonly issue: Issue
  readonly repo: Repo
  /** Undefined when the account was deleted. */
  readonly author: User | undefined
  readonly assets: readonly Attachment[]
}

/** The issues and repositories of the comments. */
interface CommentPlaces {
  readonly issues: ReadonlyMap<IssueId, { readonly issue: Issue; readonly repo: Repo }>
  /** The files of the comments. */
  readonly assets: readonly Attachment[]
  /** A user that was already read. */
  readonly known?: User | undefined
}

/** Loads views with one query, in the given order. Leaves out comments of issues that are not given. */
export async function loadCommentViews(
  db: Db,
  comments: readonly Text[],
  { issues, assets, known }: CommentPlaces,
): Promise<CommentView[]> {
  const authorIds = new Set(comments.map((comment) => comment.actorId))
  const owners = [...issues.values()].map(({ repo }) => repo.owner)
  const authors = new Map(
    (await userQueries.listByIds(db, [...authorIds], [known, ...owners])).map((user) => [user.id, user]),
  )
  const assetsOf = Map.groupBy(assets, (asset) => asset.commentId)
  return comments.flatMap((comment) => {
    const place = issues.get(comment.issueId)
    if (place === undefined) return []
    return {
      comment,
      issue: place.issue,
      repo: place.repo,
      author: authors.get(comment.actorId),
      assets: assetsOf.get(comment.id) ?? [],
    }
  })
}

/** Like `loadCommentsByIds`, for a comment on this issue. */
export async function findCommentOf(
  db: Db,
  place: Pick<CommentView, 'issue' | 'repo'>,
  id: number,
): Promise<CommentView | undefined> {
  const comments = (await listEntriesByIds(db, [id])).filter(isText)
  const assets = await attachmentQueries.listOf(db, 'comment', [id])
  return (await loadCommentViews(db, comments, { issues: new Map([[place.issue.id, place]]), assets }))[0]
}

/** Comments with these ids, in no particular order, by a fixed number of queries; omits unknown ids. */
export async function loadCommentsByIds(db: Db, ids: readonly number[]): Promise<CommentView[]> {
  const comments = (await listEntriesByIds(db, ids)).filter(isText)
  const commentIds = comments.map((comment) => comment.id)
  const issues = await listIssuesByIds(
    db,
    comments.map((comment) => comment.issueId),
  )
  const repos = new Map(
    (await repoQueries.listByIds(db, [...new Set(issues.map(({ repoId }) => repoId))])).map((repo) => [repo.id, repo]),
  )
  const places = new Map(
    issues.flatMap((issue) => {
      const repo = repos.get(issue.repoId)
      return repo === undefined ? [] : [[issue.id, { issue, repo }] as const]
    }),
  )
  return loadCommentViews(db, comments, {
    issues: places,
    assets: await attachmentQueries.listOf(db, 'comment', commentIds),
  })
}
