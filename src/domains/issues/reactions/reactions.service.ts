import type { Core } from '../../../core/module.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import { errors } from '../../errors.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import type { IssueInView } from '../issues/views.ts'
import { type User, userQueries, blockQueries } from '../../accounts/index.ts'
import {
  deleteReaction,
  findReaction,
  insertReaction,
  listAllReactions,
  listReactions,
  type Reaction,
  type ReactionKey,
} from './reaction.store.ts'

/** An issue, or one of its comments. */
export interface ReactionTarget extends Pick<IssueInView, 'repo' | 'issue'> {
  readonly comment?: { readonly id: number; readonly authorId: UserId } | undefined
}

export interface ReactionView {
  readonly reaction: Reaction
  readonly user: User
}

interface ReactionDeps extends Pick<Core, 'database' | 'clock'> {
  readonly allowed: ReadonlySet<string>
}

export type Reactions = ReturnType<typeof createReactions>

/** Reactions to issues and comments (behaviour/issues#reactions). Callers check permissions. */
export function createReactions({ database, clock, allowed }: ReactionDeps) {
  const { read } = database
  const viewsOf = async (reactions: readonly Reaction[]): Promise<ReactionView[]> => {
    const users = await userQueries.listByIds(read, [...new Set(reactions.map(({ userId }) => userId))])
    const byId = new Map(users.map((user) => [user.id, user]))
    return reactions.flatMap((reaction) => {
      const user = byId.get(reaction.userId)
      return user === undefined ? [] : { reaction, user }
    })
  }
  return {
    /** Oldest first. */
    async list(target: ReactionTarget, paging: Paging): Promise<Page<ReactionView>> {
      const { items, total } = await listReactions(read, keyOf(target), paging)
      return { items: await viewsOf(items), total }
    },
    listAll: async (target: ReactionTarget): Promise<ReactionView[]> =>
      viewsOf(await listAllReactions(read, keyOf(target))),
    /**
     * `isNew` is false when the reaction already existed. Throws Forbidden for a reaction that is not allowed, and for
     * an account that the owner of the repository or an author blocks.
     */
    async add(
      actor: SignedIn,
      target: ReactionTarget,
      content: string,
    ): Promise<{ readonly view: ReactionView; readonly isNew: boolean }> {
      if (!allowed.has(content)) throw errors.reactionNotAllowed(content)
      const { id: userId, isAdmin } = actor.account
      const { reaction, isNew } = await database.transaction(async (tx) => {
        // Serializes requests of the user, so that the reaction is inserted once.
        await userQueries.lock(tx, [userId])
        if (!isAdmin) await blockQueries.requireUnblocked(tx, userId, authorsOf(target))
        const before = await findReaction(tx, keyOf(target), { userId, content })
        if (before !== undefined) return { reaction: before, isNew: false }
        const added = { userId, content, createdAt: clock.now() }
        await insertReaction(tx, keyOf(target), added)
        return { reaction: added, isNew: true }
      })
      const [view] = await viewsOf([reaction])
      if (view === undefined) throw errors.accountDeleted()
      return { view, isNew }
    },
    /** Deletes the actor's reaction, if there is one. */
    delete: ({ account }: SignedIn, target: ReactionTarget, content: string): Promise<void> =>
      database.transaction((tx) => deleteReaction(tx, keyOf(target), { userId: account.id, content })),
  }
}

const keyOf = ({ issue, comment }: ReactionTarget): ReactionKey => ({ issueId: issue.id, commentId: comment?.id })

const authorsOf = ({ repo, issue, comment }: ReactionTarget): UserId[] => [
  repo.ownerId,
  issue.authorId,
  ...(comment === undefined ? [] : [comment.authorId]),
]
