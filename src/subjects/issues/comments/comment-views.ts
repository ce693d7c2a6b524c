import type { Db } from '../../../db/database.ts'
import type { IssueId } from '../../../platform/crypto/ids.ts'
import { type Attachment } from '../../attachments/index.ts'
import type { Repo } from '../../repos/index.ts'
import { listUsersByIds, type User } from '../../users/index.ts'
import type { Issue } from '../records/issue.store.ts'
import type { Comment } from './comment.policy.ts'

/** Everything that the wire model of a comment contains. */
export interface CommentView {
  readonly comment: Comment
  readonly issue: Issue
  readonly repo: Repo
  /** Undefined when the account was deleted. */
  readonly poster: User | undefined
  readonly assets: readonly Attachment[]
}

/** What comments belong to. */
interface CommentPlaces {
  readonly issues: ReadonlyMap<IssueId, { readonly issue: Issue; readonly repo: Repo }>
  /** The files of the comments. */
  readonly assets: readonly Attachment[]
}

/** Loads views with one query; keeps the order. Comments of issues that are not given are left out. */
export async function loadCommentViews(
  db: Db,
  comments: readonly Comment[],
  { issues, assets }: CommentPlaces,
): Promise<CommentView[]> {
  const posterIds = new Set(comments.map((comment) => comment.actorId))
  const posters = new Map((await listUsersByIds(db, [...posterIds])).map((user) => [user.id, user]))
  const assetsOf = Map.groupBy(assets, (asset) => asset.commentId)
  return comments.flatMap((comment) => {
    const place = issues.get(comment.issueId)
    if (place === undefined) return []
    return {
      comment,
      issue: place.issue,
      repo: place.repo,
      poster: posters.get(comment.actorId),
      assets: assetsOf.get(comment.id) ?? [],
    }
  })
}
