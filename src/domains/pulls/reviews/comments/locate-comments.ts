import type { DiffSide, DiffSpan, GitRepo } from '../../../../core/git/index.ts'
import { engineErrors, invalidField } from '../../../../core/platform/errors.ts'
import { type CommentPosition, insertCommentPositions } from '../records/records.store.ts'
import type { CreatePullReviewComment } from '../reviews.model.ts'
import { flag } from '../../../../core/db/flag.ts'
import { timelineQueries } from '../../../issues/index.ts'
import type { PullChange } from '../../pulls/lifecycle/pull-change.ts'
import type { Review } from '../records/review.store.ts'

/** A comment on lines of one side of the diff. */
export interface NewComment {
  readonly path: string
  readonly body: string
  readonly side: DiffSide
  /** The last line, from 1. */
  readonly line: number
  /** The first line; equal to the last for a single line. */
  readonly startLine: number
}

/** The location of a new comment in the diff of the current head. */
type Location = Pick<
  CommentPosition,
  'baseOid' | 'commitOid' | 'diffHunk' | 'isOutdated' | 'line' | 'lineCommitOid' | 'path' | 'side' | 'startLine'
>

export interface LocatedComment {
  readonly body: string
  readonly location: Location
}

/**
 * Throws Invalid for a comment without path, text or line, for an invalid line number, and when the first line is after
 * the last. The old side wins when lines of both sides are given.
 */
export function readComment({ path = '', body = '', ...positions }: CreatePullReviewComment): NewComment {
  if (path === '') throw engineErrors.fieldRequired('Path')
  if (body.trim() === '') throw engineErrors.fieldRequired('Body')
  const old = requireLine('OldPosition', positions.old_position)
  const side = old > 0 ? 'old' : 'new'
  const line = old || requireLine('NewPosition', positions.new_position)
  if (line === 0) throw engineErrors.fieldRequired('NewPosition')
  const field = side === 'old' ? 'OldStartPosition' : 'NewStartPosition'
  const start = requireLine(field, side === 'old' ? positions.old_start_position : positions.new_start_position)
  if (start > line) throw invalidField(field, `the lines end at ${line}, before they begin`)
  const extra = requireLine('ExtraLinesCount', positions.extra_lines_count)
  if (extra >= line) throw invalidField('ExtraLinesCount', `there are only ${line - 1} lines before line ${line}`)
  return { path, body, side, line, startLine: start || line - extra }
}

const MAX_LINE = 2_147_483_647

/** Validates the number of a line; 0 for none. */
function requireLine(field: string, line = 0): number {
  if (line < 0 || line > MAX_LINE) throw invalidField(field, `Range (0 to ${MAX_LINE})`)
  return line
}

interface Diffs {
  /** The span that was reviewed. */
  readonly reviewed: DiffSpan
  /** The span of the current head. */
  readonly current: DiffSpan
}

/**
 * Finds the lines of new comments in the reviewed diff, and their location in the current one
 * (behaviour/pull-requests#positions-of-review-comments). Starts a few git processes for each comment, one after the
 * other.
 */
export async function locateComments(
  git: GitRepo,
  { reviewed, current }: Diffs,
  comments: readonly NewComment[],
): Promise<LocatedComment[]> {
  const ranges = comments.map(({ path, side, startLine, line }) => ({ path, side, first: startLine, last: line }))
  const isCurrent = reviewed.head === current.head && reviewed.base === current.base
  const moved = isCurrent || ranges.length === 0 ? ranges : await git.diffLines.follow(reviewed, current, ranges)
  const located: LocatedComment[] = []
  for (const [index, comment] of comments.entries()) {
    const { path, side, line, startLine, body } = comment
    const position = moved[index]
    const location = {
      side,
      ...(position === undefined
        ? { path, line, startLine, isOutdated: true, commitOid: reviewed.head, baseOid: reviewed.base }
        : { path: position.path, line: position.last, startLine: position.first, isOutdated: false }),
      ...(position && { commitOid: current.head, baseOid: current.base }),
      diffHunk: await git.diffLines.excerpt(reviewed, comment),
      lineCommitOid: await lineCommit(git, reviewed.head, comment),
    } as Location
    located.push({ body, location })
  }
  return located
}

/** The commit that last changed the line; the head for the old side, and for missing lines. */
async function lineCommit(git: GitRepo, head: string, { side, path, line }: NewComment): Promise<string> {
  return (side === 'new' && (await git.blames.ofLine(head, path, line))) || head
}

/**
 * Adds comments to a review; comments of a pending review are visible to its author only. Returns their ids in the
 * given order.
 */
export async function insertComments(
  { tx, issue, actor, at }: PullChange,
  review: Review,
  comments: readonly (LocatedComment & { readonly replyTo?: number })[],
): Promise<number[]> {
  const kind = review.kind === 'pending' ? 'pending_code' : 'code'
  const entries = await timelineQueries.insert(
    tx,
    { issue, actorId: actor.account.id, at },
    comments.map(({ body }) => ({ kind, body, payload: { reviewId: review.id } }) as const),
  )
  await insertCommentPositions(
    tx,
    comments.map(({ location, replyTo = 0 }, index) => ({
      entry_id: entries[index]!.id,
      review_id: review.id,
      pull_id: review.pullId,
      path: location.path,
      side: location.side,
      line: location.line,
      start_line: location.startLine,
      commit_oid: location.commitOid,
      base_oid: location.baseOid,
      line_commit_oid: location.lineCommitOid,
      diff_hunk: location.diffHunk,
      is_outdated: flag(location.isOutdated),
      reply_to: replyTo,
    })),
  )
  return entries.map((entry) => entry.id)
}
