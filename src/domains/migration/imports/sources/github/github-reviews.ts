import { members, type Members } from '../../../../../core/platform/json-members.ts'
import type { Pages, SourceItem, SourceReview, SourceReviewComment } from '../../source.ts'
import { inOrder } from '../in-order.ts'
import { bodyOf, lineOf, parseTime, timesOf, userOf, countOf } from '../read.ts'
import { endOfHunk } from './end-of-hunk.ts'
import { type Github, ONE_BY_ONE, reactionsOf } from './github-issues.ts'

/** Maximum number of comments of one pull request. */
const MAX_COMMENTS = 20_000

const KINDS: ReadonlyMap<unknown, SourceReview['kind']> = new Map([
  ['APPROVED', 'approved'],
  ['CHANGES_REQUESTED', 'rejected'],
  ['COMMENTED', 'comment'],
  // What a dismissed review said before is not in the API; only one that blocked is worth dismissing.
  ['DISMISSED', 'rejected'],
])
/** Statuses for a pull request that was deleted in the meantime, and for servers without reviews. */
const NOT_FOUND = [404, 405, 410]
const OFFICIAL = new Set<unknown>(['OWNER', 'MEMBER', 'COLLABORATOR'])

export async function* readReviews(
  github: Github,
  { number }: Pick<SourceItem, 'number'>,
  signal: AbortSignal,
): Pages<SourceReview> {
  const { api, repo, clock } = github
  const comments = await readComments(github, number, signal)
  for await (const page of api.pages(`${repo}/pulls/${number}/reviews`, signal, NOT_FOUND))
    yield page.map(members).flatMap((value) => {
      const review = readReview(value, { pull: number, now: clock.now(), comments })
      return review ?? []
    })
  // Comments of a review that is not in the list, such as those of servers without reviews.
  const unplaced = [...comments].flatMap(([review, list]) =>
    review === 0 ? list.map((comment) => asReview(number, [comment])) : [{ ...asReview(number, list), id: review }],
  )
  if (unplaced.length > 0) yield unplaced
}

interface Context {
  readonly pull: number
  readonly now: number
  /** Comments by review; those of the review that is read are deleted. */
  readonly comments: Map<number, SourceReviewComment[]>
}

function readReview(review: Members, { pull, now, comments }: Context): SourceReview | undefined {
  const [id, kind] = [countOf(review['id']), KINDS.get(review['state'])]
  if (id === 0 || kind === undefined) return undefined
  const own = comments.get(id) ?? []
  comments.delete(id)
  const body = bodyOf(review['body'])
  if (kind === 'comment' && body === '' && own.length === 0) return undefined
  return {
    id,
    pull,
    author: userOf(review['user']),
    kind,
    isDismissed: review['state'] === 'DISMISSED',
    isOfficial: OFFICIAL.has(review['author_association']),
    body,
    commitOid: lineOf(review['commit_id']),
    submittedAt: parseTime(review['submitted_at']) ?? own[0]?.createdAt ?? now,
    comments: own,
  }
}

function asReview(pull: number, comments: readonly SourceReviewComment[]): SourceReview {
  const { id, author, commitOid, createdAt } = comments[0]!
  return {
    id,
    pull,
    author,
    kind: 'comment',
    isDismissed: false,
    isOfficial: false,
    body: '',
    commitOid,
    submittedAt: createdAt,
    comments,
  }
}

/** The comments of a pull request by the id of their review. */
async function readComments(
  github: Github,
  number: number,
  signal: AbortSignal,
): Promise<Map<number, SourceReviewComment[]>> {
  const { api, repo, clock } = github
  const byReview = new Map<number, SourceReviewComment[]>()
  let count = 0
  for await (const page of api.pages(`${repo}/pulls/${number}/comments`, signal, NOT_FOUND)) {
    const comments = await inOrder(page.map(members), { atOnce: ONE_BY_ONE, signal }, async (comment, both) => {
      const path = `pulls/comments/${countOf(comment['id'])}`
      const reactions = await reactionsOf(github, comment, { path, signal: both })
      return [countOf(comment['pull_request_review_id']), { ...readComment(comment, clock.now()), reactions }] as const
    })
    for (const [review, comment] of comments) {
      if (!byReview.has(review)) byReview.set(review, [])
      byReview.get(review)!.push(comment)
    }
    count += comments.length
    if (count > MAX_COMMENTS) break
  }
  return byReview
}

function readComment(comment: Members, now: number): SourceReviewComment {
  const diffHunk = bodyOf(comment['diff_hunk'])
  const end = endOfHunk(diffHunk)
  const isOutdated = countOf(comment['line'] ?? comment['position']) === 0
  const line = countOf(comment['line']) || countOf(comment['original_line']) || end.line
  const start = countOf(comment[isOutdated ? 'original_start_line' : 'start_line'])
  const side = comment['side'] === undefined ? end.side : comment['side'] === 'LEFT' ? 'old' : 'new'
  return {
    ...timesOf(comment, now),
    id: countOf(comment['id']),
    author: userOf(comment['user']),
    body: bodyOf(comment['body']),
    path: lineOf(comment['path']),
    side,
    line,
    startLine: start > 0 && start < line ? start : line,
    commitOid: lineOf(comment[isOutdated ? 'original_commit_id' : 'commit_id']),
    diffHunk,
    isOutdated,
    replyTo: countOf(comment['in_reply_to_id']) || undefined,
    resolvedBy: undefined,
    reactions: [],
    assets: [],
  }
}
