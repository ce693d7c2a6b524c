import type { ImportedReview, ImportedReviewComment, reviewImports } from '../../../pulls/index.ts'
import type { PhaseContext } from '../phase.ts'
import type { SourceReview, SourceReviewComment } from '../source.ts'
import { authorOf, pastTime } from './clean-values.ts'
import { copyFiles } from './copy-files.ts'
import type { CopiedFile } from './fetch-file.ts'
import type { IssueWriterDeps } from './imported-issues.ts'
import { type PreparedReaction, prepareReactions } from './object-parts.ts'

type Located = Awaited<ReturnType<typeof reviewImports.prepare>>

/** A review that is read completely and not yet written. */
export interface PreparedReview {
  readonly row: ImportedReview
  readonly files: readonly CopiedFile[]
}

export interface PreparedComment {
  /** Id at the service, as in `replyTo`. */
  readonly id: number
  readonly replyTo: number | undefined
  readonly row: Omit<ImportedReviewComment, 'replyTo'>
  readonly files: readonly CopiedFile[]
  readonly reactions: readonly PreparedReaction[]
}

interface ReviewOf {
  /** The object in warnings, such as `pull request 5`. */
  readonly what: string
  readonly review: SourceReview
  readonly located: Located
}

/** Copies the files of a review and bounds its members. A review counts for protections if its author is an account. */
export async function prepareReview(
  deps: IssueWriterDeps,
  context: PhaseContext,
  { what, review, located }: ReviewOf,
): Promise<PreparedReview> {
  const { id, kind, isOfficial, isDismissed } = review
  const submittedAt = pastTime(review.submittedAt, deps.clock.now())
  const text = { what: `review ${id} of ${what}`, body: review.body, assets: [], createdAt: submittedAt }
  const { body, files } = await copyFiles(deps, context, text)
  const { userId, author } = authorOf(context, review.author)
  const row = {
    kind,
    userId,
    author,
    body,
    commitOid: located.commitOid,
    isStale: located.isStale,
    isOfficial: isOfficial && author.original_author === '',
    isDismissed,
    submittedAt,
  }
  return { row, files }
}

interface CommentOf {
  /** The object in warnings, such as `pull request 5`. */
  readonly what: string
  readonly comment: SourceReviewComment
  readonly position: Located['positions'][number]
}

export async function prepareComment(
  deps: IssueWriterDeps,
  context: PhaseContext,
  { what: of, comment, position }: CommentOf,
): Promise<PreparedComment> {
  const { id, replyTo, assets, reactions, resolvedBy } = comment
  const what = `comment ${id} of ${of}`
  const now = deps.clock.now()
  const createdAt = pastTime(comment.createdAt, now)
  const { body, files } = await copyFiles(deps, context, { what, body: comment.body, assets, createdAt })
  const { userId, author } = authorOf(context, comment.author)
  const row = {
    userId,
    author,
    body,
    position,
    resolverId: resolvedBy === undefined ? (0 as const) : authorOf(context, resolvedBy).userId,
    createdAt,
    updatedAt: Math.max(createdAt, pastTime(comment.updatedAt, now, createdAt)),
  }
  return { id, replyTo, row, files, reactions: prepareReactions(deps, context, { what, reactions, createdAt }) }
}
