import type { Tx } from '../../../../core/db/database.ts'
import { PATH_LENGTH } from '../../../../core/http/body/limits.ts'
import { asId, type IssueId, type ReviewId } from '../../../../core/platform/crypto/ids.ts'
import { type Pull, pullImports, reviewImports } from '../../../pulls/index.ts'
import type { ImportPhase, PhaseContext } from '../phase.ts'
import type { Pages, SourceReview, SourceReviewComment } from '../source.ts'
import { boundedText, cleanText } from './clean-values.ts'
import { type ItemDeps, readOfItems } from './imported-items.ts'
import type { IssueWriterDeps } from './imported-issues.ts'
import { insertFiles, insertReactions } from './object-parts.ts'
import { type PreparedComment, type PreparedReview, prepareComment, prepareReview } from './review-texts.ts'

interface ReviewsPhaseDeps extends ItemDeps, IssueWriterDeps {}

/** Kind of key in `import_key`: reviews, and the entries of their comments, by pull request and id at the service. */
const REVIEW = 'review'
const COMMENT = 'review_comment'

/** A review, or one of its comments: those of a review may be more than a step writes. */
interface Value {
  readonly review: SourceReview
  readonly comment?: SourceReviewComment
}

/** Submitted reviews of the imported pull requests, with their comments, reactions and files. */
export const reviewsPhase = (deps: ReviewsPhaseDeps): ImportPhase => ({
  name: 'reviews',
  isWanted: ({ parts }) => parts.has('pull_requests'),
  async *steps(context, cursor) {
    const from = cursor === '' ? FIRST_PULL : cursor
    const steps = readOfItems(deps, context, from, ({ number }) => valuesOf(context, number))
    for await (const { cursor: next, found } of steps) {
      const parts = await prepareParts(deps, context, found)
      yield { cursor: next, count: found.length, write: (tx) => writeParts(tx, context, parts) }
    }
  },
})

/** The cursor before all pull requests. */
const FIRST_PULL = 'pull 0 0'

async function* valuesOf({ source, signal }: PhaseContext, number: number): Pages<Value> {
  for await (const reviews of source.reviews({ number }, signal))
    for (const review of reviews) {
      yield [{ review }]
      yield review.comments.map((comment) => ({ review, comment }))
    }
}

/** A review with its comments, or further comments of one that an earlier step wrote. */
interface Part {
  readonly pull: Pull
  readonly number: number
  readonly key: string
  /** Undefined if an earlier step wrote it. */
  readonly review: PreparedReview | undefined
  readonly comments: readonly PreparedComment[]
}

interface Found {
  readonly item: { readonly id: IssueId; readonly number: number }
  readonly value: Value
}

/** NOTE: some services have no ids for approvals. */
const keyOfReview = (number: number, { id, kind, author }: SourceReview): string =>
  cleanText(`${number} ${id} ${kind} ${author.id} ${author.login}`)

async function prepareParts(
  deps: ReviewsPhaseDeps,
  context: PhaseContext,
  found: readonly Found[],
): Promise<readonly Part[]> {
  const ids = [...new Set(found.map(({ item }) => item.id))]
  const pulls = await pullImports.listByIssues(deps.database.read, ids)
  const parts: Part[] = []
  for (const [review, values] of Map.groupBy(found, ({ value }) => value.review)) {
    const { id, number } = values[0]!.item
    const pull = pulls.get(id)
    if (pull === undefined) continue
    const comments = values.flatMap(({ value: { comment } }) => comment ?? [])
    const positions = comments.map((comment) => placeOf(context, comment))
    const located = await reviewImports.prepare(context.repo, pull, { commitOid: review.commitOid, positions })
    const what = `pull request ${number}`
    const written = []
    for (const [index, comment] of comments.entries()) {
      const position = located.positions[index]!
      if (position.isOutdated && !comment.isOutdated) warnOfLine(context, what, position.path)
      written.push(await prepareComment(deps, context, { what, comment, position }))
    }
    const isFirst = comments.length < values.length
    parts.push({
      pull,
      number,
      key: keyOfReview(number, review),
      review: isFirst ? await prepareReview(deps, context, { what, review, located }) : undefined,
      comments: written,
    })
  }
  return parts
}

const warnOfLine = ({ warn }: PhaseContext, what: string, path: string): void =>
  warn(`a comment on ${JSON.stringify(path.slice(0, 100))} in ${what} is outdated: its lines are not in the head`)

const MAX_LINE = 2_147_483_647
const MAX_HUNK = 65_536

const lineOf = (line: number): number => (Number.isSafeInteger(line) ? Math.min(Math.max(line, 1), MAX_LINE) : 1)

function placeOf({ warn }: PhaseContext, comment: SourceReviewComment) {
  const { id, path, side, line, startLine, commitOid, diffHunk, isOutdated } = comment
  const last = lineOf(line)
  return {
    path: cleanText(path).slice(0, PATH_LENGTH),
    side,
    line: last,
    startLine: Math.min(lineOf(startLine), last),
    commitOid,
    diffHunk: boundedText(diffHunk, MAX_HUNK, () => warn(`the lines above the comment ${id} were cut`)),
    isOutdated: isOutdated || line !== last,
  }
}

async function writeParts(tx: Tx, context: PhaseContext, parts: readonly Part[]): Promise<void> {
  const { keys } = context
  const keyOf = ({ number }: Part, id: number): string => `${number} ${id}`
  const reviewKeys = parts.map(({ key }) => key)
  const commentKeys = parts.flatMap((part) =>
    part.comments.flatMap(({ id, replyTo }) => [
      keyOf(part, id),
      ...(replyTo === undefined ? [] : [keyOf(part, replyTo)]),
    ]),
  )
  const reviews = await keys.get(tx, REVIEW, [...new Set(reviewKeys)])
  const entries = await keys.get(tx, COMMENT, [...new Set(commentKeys)])
  for (const part of parts) {
    const { pull, key, review } = part
    if (review !== undefined && !reviews.has(key)) reviews.set(key, await writeReview(tx, context, pull, review))
    const reviewId = reviews.get(key)
    if (reviewId === undefined) continue
    for (const comment of part.comments) {
      if (entries.has(keyOf(part, comment.id))) continue
      const replyTo = comment.replyTo === undefined ? 0 : (entries.get(keyOf(part, comment.replyTo)) ?? 0)
      const position = { pull, reviewId: asId<ReviewId>(reviewId) }
      const [commentId] = await reviewImports.insertComments(tx, position, [{ ...comment.row, replyTo }])
      entries.set(keyOf(part, comment.id), commentId!)
      const written = { ...comment, issueId: pull.issueId, commentId: commentId! }
      await insertFiles(tx, context, [written])
      await insertReactions(tx, [written])
    }
  }
  await keys.set(tx, REVIEW, reviews)
  await keys.set(tx, COMMENT, entries)
}

async function writeReview(
  tx: Tx,
  context: PhaseContext,
  pull: Pull,
  { row, files }: PreparedReview,
): Promise<ReviewId> {
  const { id, entryId } = await reviewImports.insert(tx, pull, row)
  await insertFiles(tx, context, [{ files, issueId: pull.issueId, commentId: entryId }])
  return id
}
