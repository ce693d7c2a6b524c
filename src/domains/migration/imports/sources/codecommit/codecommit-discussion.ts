import { type Members, members } from '../../../../../core/platform/json-members.ts'
import type { Pages, SourceComment, SourceReaction, SourceReview, SourceReviewComment } from '../../source.ts'
import { bodyOf, isTrue, lineOf, membersOf, countOf } from '../read.ts'
import { type Codecommit, eventsOf, timeOf, userOf } from './codecommit.ts'

const REACTIONS: ReadonlyMap<string, string> = new Map([
  ['thumbsup', '+1'],
  ['thumbsdown', '-1'],
  ['smile', 'laugh'],
  ['heart', 'heart'],
  ['tada', 'hooray'],
  ['confused', 'confused'],
  ['rocket', 'rocket'],
  ['eyes', 'eyes'],
])
const MAX_COMMENTS = 20_000

/** Comments of one place: the pull request itself, or a line. */
interface Thread {
  readonly place: Members
  readonly group: Members
  readonly comments: readonly Members[]
}

async function threadsOf({ api }: Codecommit, number: number, signal: AbortSignal): Promise<readonly Thread[]> {
  const threads: Thread[] = []
  let count = 0
  for await (const page of api.pages('GetCommentsForPullRequest', { pullRequestId: String(number) }, signal)) {
    for (const group of membersOf(page['commentsForPullRequestData'])) {
      const comments = membersOf(group['comments']).filter((comment) => !isTrue(comment['deleted']))
      count += comments.length
      if (comments.length > 0) threads.push({ place: members(group['location']), group, comments })
    }
    if (count > MAX_COMMENTS) break
  }
  return threads
}

const isOnLine = ({ place }: Thread): boolean => lineOf(place['filePath']) !== ''

type CommentText = Pick<SourceComment, 'assets' | 'author' | 'body' | 'createdAt' | 'reactions' | 'updatedAt'>

async function readCommentText(codecommit: Codecommit, comment: Members, signal: AbortSignal): Promise<CommentText> {
  const createdAt = timeOf(comment['creationDate']) ?? codecommit.clock.now()
  return {
    author: userOf(comment['authorArn']),
    createdAt,
    updatedAt: timeOf(comment['lastModifiedDate']) ?? createdAt,
    body: bodyOf(comment['content']),
    reactions: await reactionsOf(codecommit, comment, signal),
    assets: [],
  }
}

async function reactionsOf({ api }: Codecommit, comment: Members, signal: AbortSignal): Promise<SourceReaction[]> {
  if (Object.keys(members(comment['reactionCounts'])).length === 0) return []
  const answer = await api.call('GetCommentReactions', { commentId: lineOf(comment['commentId']) }, signal)
  return membersOf(answer['reactionsForComment']).flatMap(({ reaction, reactionUsers }) => {
    const content = REACTIONS.get(lineOf(members(reaction)['shortCode']).replaceAll(':', ''))
    const users = Array.isArray(reactionUsers) ? reactionUsers.slice(0, 1_000) : []
    return content === undefined ? [] : users.map((arn) => ({ user: userOf(arn), content, createdAt: undefined }))
  })
}

/** Comments of a pull request that are about no line. */
export async function readDiscussion(
  codecommit: Codecommit,
  number: number,
  signal: AbortSignal,
): Promise<readonly CommentText[]> {
  const said: CommentText[] = []
  for (const thread of await threadsOf(codecommit, number, signal))
    if (!isOnLine(thread))
      for (const each of thread.comments) said.push(await readCommentText(codecommit, each, signal))
  return said.toSorted((one, other) => one.createdAt - other.createdAt)
}

/** A thread about a line is a review, and so is an approval that was not revoked. */
export async function* readReviews(codecommit: Codecommit, number: number, signal: AbortSignal): Pages<SourceReview> {
  const review = { pull: number, isDismissed: false, isOfficial: false, body: '', commitOid: '' }
  const threads = (await threadsOf(codecommit, number, signal)).filter(isOnLine)
  for (const [index, thread] of threads.entries()) {
    const comments = await readThread(codecommit, thread, signal)
    const [first] = comments
    if (first === undefined) continue
    const { author, createdAt, commitOid } = first
    yield [{ ...review, id: index + 1, kind: 'comment', author, commitOid, submittedAt: createdAt, comments }]
  }
  const approvals = new Map<string, Members>()
  for (const event of await eventsOf(codecommit, number, signal)) {
    const { approvalStatus } = members(event['approvalStateChangedEventMetadata'])
    if (approvalStatus === 'APPROVE') approvals.set(lineOf(event['actorArn']), event)
    if (approvalStatus === 'REVOKE') approvals.delete(lineOf(event['actorArn']))
  }
  yield [...approvals].map(([arn, event], index) => ({
    ...review,
    id: threads.length + index + 1,
    kind: 'approved',
    isOfficial: true,
    author: userOf(arn),
    submittedAt: timeOf(event['eventDate']) ?? codecommit.clock.now(),
    comments: [],
  }))
}

async function readThread(
  codecommit: Codecommit,
  { place, group, comments }: Thread,
  signal: AbortSignal,
): Promise<readonly SourceReviewComment[]> {
  const ids = new Map(comments.map(({ commentId }, index) => [lineOf(commentId), index + 1]))
  const isOld = place['relativeFileVersion'] === 'BEFORE'
  const line = Math.max(1, countOf(place['filePosition']))
  const read: SourceReviewComment[] = []
  for (const [index, comment] of comments.entries())
    read.push({
      ...(await readCommentText(codecommit, comment, signal)),
      id: index + 1,
      path: lineOf(place['filePath']),
      side: isOld ? 'old' : 'new',
      line,
      startLine: line,
      commitOid: lineOf(group[isOld ? 'beforeCommitId' : 'afterCommitId']),
      diffHunk: '',
      isOutdated: false,
      replyTo: ids.get(lineOf(comment['inReplyTo'])),
      resolvedBy: undefined,
    })
  return read
}
