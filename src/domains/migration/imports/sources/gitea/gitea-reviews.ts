import { listOf, members, type Members } from '../../../../../core/platform/json-members.ts'
import type { Pages, SourceItem, SourceReview, SourceReviewComment } from '../../source.ts'
import { inOrder } from '../in-order.ts'
import { bodyOf, GHOST, isTrue, lineOf, parseTime, present, timesOf, userOf, countOf } from '../read.ts'
import { authorOf, type Gitea, LACKING, reactionsTo } from './gitea-issues.ts'

const MAX_COMMENTS = 10_000

/** Reviews that were not submitted are seen by their author alone, and requests are no reviews. */
const KINDS: ReadonlyMap<unknown, SourceReview['kind']> = new Map([
  ['APPROVED', 'approved'],
  ['REQUEST_CHANGES', 'rejected'],
  ['COMMENT', 'comment'],
])

export async function* readReviews(
  gitea: Gitea,
  { number }: Pick<SourceItem, 'number'>,
  signal: AbortSignal,
): Pages<SourceReview> {
  const { api, repo, clock } = gitea
  for await (const page of api.pages(`${repo}/pulls/${number}/reviews`, signal, LACKING))
    yield present(
      await inOrder(page.map(members), { atOnce: 1, signal }, async (review, both) => {
        const kind = KINDS.get(review['state'])
        const id = countOf(review['id'])
        if (kind === undefined || id === 0) return undefined
        const hasComments = review['comments_count'] === undefined || countOf(review['comments_count']) > 0
        return {
          id,
          pull: number,
          author: authorOf(review),
          kind,
          isDismissed: isTrue(review['dismissed']),
          isOfficial: isTrue(review['official']),
          body: bodyOf(review['body']),
          commitOid: lineOf(review['commit_id']),
          submittedAt: parseTime(review['submitted_at']) ?? parseTime(review['updated_at']) ?? clock.now(),
          comments: hasComments
            ? await readComments(gitea, `${repo}/pulls/${number}/reviews/${id}/comments`, both)
            : [],
        }
      }),
    )
}

/** This list has no pages. */
async function readComments(gitea: Gitea, path: string, signal: AbortSignal): Promise<SourceReviewComment[]> {
  const comments = listOf(await gitea.api.find(path, signal))
    .slice(0, MAX_COMMENTS)
    .map(members)
  return inOrder(comments, { atOnce: 4, signal }, async (comment, both) => {
    const id = countOf(comment['id'])
    return { ...readComment(comment, gitea.clock.now()), reactions: await reactionsTo(gitea, `comments/${id}`, both) }
  })
}

function readComment(comment: Members, now: number): SourceReviewComment {
  const [onNew, onOld] = [countOf(comment['position']), countOf(comment['original_position'])]
  const side = onNew === 0 && onOld > 0 ? 'old' : 'new'
  const line = Math.max(1, side === 'old' ? onOld : onNew)
  const start = countOf(comment[side === 'old' ? 'original_start_position' : 'start_position'])
  const resolver = userOf(comment['resolver'])
  return {
    ...timesOf(comment, now),
    id: countOf(comment['id']),
    author: authorOf(comment),
    body: bodyOf(comment['body']),
    path: lineOf(comment['path']),
    side,
    line,
    startLine: start > 0 && start < line ? start : line,
    commitOid: lineOf(comment['commit_id']) || lineOf(comment['original_commit_id']),
    diffHunk: bodyOf(comment['diff_hunk']),
    isOutdated: false,
    replyTo: undefined,
    resolvedBy: resolver === GHOST ? undefined : resolver,
    reactions: [],
    assets: [],
  }
}
