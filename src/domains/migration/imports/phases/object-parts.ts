import type { Tx } from '../../../../core/db/database.ts'
import type { Clock } from '../../../../core/platform/clock.ts'
import type { IssueId, UserId } from '../../../../core/platform/crypto/ids.ts'
import { attachmentQueries } from '../../../repositories/index.ts'
import { issueImports } from '../../../issues/index.ts'
import type { PhaseContext } from '../phase.ts'
import type { SourceReaction } from '../source.ts'
import { authorOf, pastTime } from './clean-values.ts'
import type { CopiedFile } from './fetch-file.ts'

/** Reactions and files of issues, comments and comments of reviews. */
interface Place {
  readonly issueId: IssueId
  /** Undefined for the issue itself. */
  readonly commentId?: number
}

export interface PreparedReaction {
  readonly userId: UserId
  readonly author: { readonly original_author: string; readonly original_author_id: number }
  readonly content: string
  readonly createdAt: number
}

interface Reacted {
  /** The object in warnings, such as `issue 5`. */
  readonly what: string
  readonly reactions: readonly SourceReaction[]
  readonly createdAt: number
}

const MAX_REACTIONS = 10_000

/** Omits reactions that this server does not have, and repeated ones. */
export function prepareReactions(
  { clock, reactions: allowed }: { readonly clock: Clock; readonly reactions: ReadonlySet<string> },
  context: PhaseContext,
  { what, reactions, createdAt }: Reacted,
): PreparedReaction[] {
  const found = new Map<string, PreparedReaction>()
  for (const reaction of reactions) {
    if (found.size === MAX_REACTIONS) context.warn(`only ${MAX_REACTIONS} reactions to ${what} were imported`)
    if (found.size === MAX_REACTIONS) break
    if (!allowed.has(reaction.content)) continue
    const { userId, author } = authorOf(context, reaction.user)
    const key = `${userId} ${author.original_author_id} ${author.original_author} ${reaction.content}`
    if (found.has(key)) continue
    found.set(key, {
      userId,
      author: reaction.user.isElsewhere === true ? author : named(author, context.request.forge.name),
      content: reaction.content,
      createdAt: pastTime(reaction.createdAt, clock.now(), createdAt),
    })
  }
  return [...found.values()]
}

/**
 * COMPAT: the user of a reaction names the service too (test/migration/import-issues.test.ts), and does so already if
 * the service has imported the reaction itself.
 */
const named = (author: PreparedReaction['author'], service: string): PreparedReaction['author'] =>
  author.original_author === '' ? author : { ...author, original_author: `${author.original_author}(${service})` }

export const insertReactions = (
  tx: Tx,
  objects: readonly (Place & { readonly reactions: readonly PreparedReaction[] })[],
): Promise<void> =>
  issueImports.insertReactions(
    tx,
    objects.flatMap(({ issueId, commentId, reactions }) =>
      reactions.map((reaction) => ({ issueId, commentId, ...reaction })),
    ),
  )

export async function insertFiles(
  tx: Tx,
  { repoId, actor }: PhaseContext,
  objects: readonly (Place & { readonly files: readonly CopiedFile[] })[],
): Promise<void> {
  for (const { issueId, commentId = 0, files } of objects)
    for (const file of files)
      await attachmentQueries.insert(tx, {
        ...file,
        repo_id: repoId,
        release_id: 0,
        issue_id: issueId,
        comment_id: commentId,
        uploader_id: actor.account.id,
      })
}
