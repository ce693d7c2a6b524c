import type { Tx } from '../../../../core/db/database.ts'
import { type ImportedEntry, issueImports } from '../../../issues/index.ts'
import type { ImportPhase, PhaseContext } from '../phase.ts'
import type { SourceComment } from '../source.ts'
import { batchesOf } from './batches.ts'
import { authorOf, pastTime, warnOfFuture } from './clean-values.ts'
import { copyFiles } from './copy-files.ts'
import type { CopiedFile } from './fetch-file.ts'
import type { IssueWriterDeps } from './imported-issues.ts'
import { insertFiles, insertReactions, type PreparedReaction, prepareReactions } from './object-parts.ts'

/**
 * Comments on issues and pull requests, without those of reviews. The cursor is the highest id that was read, and the
 * page of the bookmark.
 */
export const commentsPhase = (deps: IssueWriterDeps): ImportPhase => ({
  name: 'comments',
  isWanted: ({ parts }) => parts.has('issues') || parts.has('pull_requests'),
  async *steps(context, cursor) {
    const { source, request, signal } = context
    const [after = '', page = '1'] = cursor.split(' ')
    let last = Number(after)
    const bookmark = { page: Number(page) }
    const { parts } = request
    const scope = { issues: parts.has('issues'), pulls: parts.has('pull_requests'), after: last, bookmark }
    for await (const comments of source.comments(scope, signal))
      for (const batch of batchesOf(comments, ({ body }) => body.length)) {
        const prepared: PreparedComment[] = []
        for (const comment of batch) prepared.push(await prepareComment(deps, context, comment))
        last = batch.reduce((max, { id }) => (Number.isSafeInteger(id) ? Math.max(max, id) : max), last)
        yield {
          cursor: `${last} ${bookmark.page}`,
          count: prepared.length,
          write: (tx) => writeComments(tx, context, prepared),
        }
      }
  },
})

interface PreparedComment {
  readonly id: number
  /** Number of the issue. */
  readonly issue: number
  readonly row: Pick<ImportedEntry, 'actorId' | 'author' | 'createdAt' | 'updatedAt'> & { readonly body: string }
  readonly files: readonly CopiedFile[]
  readonly reactions: readonly PreparedReaction[]
}

async function prepareComment(
  deps: IssueWriterDeps,
  context: PhaseContext,
  comment: SourceComment,
): Promise<PreparedComment> {
  const { id, issue } = comment
  const what = `comment ${id} of issue ${issue}`
  const now = deps.clock.now()
  warnOfFuture(context, what, [comment.createdAt, comment.updatedAt], now)
  const createdAt = pastTime(comment.createdAt, now)
  const { body, files } = await copyFiles(deps, context, {
    what,
    body: comment.body,
    assets: comment.assets,
    createdAt,
  })
  const { userId: actorId, author } = authorOf(context, comment.author)
  const updatedAt = Math.max(createdAt, pastTime(comment.updatedAt, now, createdAt))
  const reactions = prepareReactions(deps, context, { what, reactions: comment.reactions, createdAt })
  return { id, issue, row: { actorId, author, createdAt, updatedAt, body }, files, reactions }
}

async function writeComments(tx: Tx, context: PhaseContext, prepared: readonly PreparedComment[]): Promise<void> {
  const { repoId, warn } = context
  const ids = await issueImports.listIds(tx, repoId, prepared.map(({ issue }) => issue).filter(Number.isSafeInteger))
  const placed = prepared.flatMap((comment) => {
    const issueId = ids.get(comment.issue)
    if (issueId !== undefined) return { ...comment, issueId }
    warn(`comment ${comment.id} was not imported: there is no issue ${comment.issue}`)
    return []
  })
  const entries = await issueImports.insertEntries(
    tx,
    placed.map(({ issueId, row }) => ({ ...row, kind: 'comment', issueId, repoId })),
  )
  const written = placed.map((comment, index) => ({ ...comment, commentId: entries[index]!.id }))
  await insertFiles(tx, context, written)
  await insertReactions(tx, written)
}
