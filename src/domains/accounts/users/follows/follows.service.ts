import type { Core } from '../../../../core/module.ts'
import type { SignedIn, Viewer } from '../../../../core/access/viewer.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { deleteFollow, insertFollow, isFollowing, listFollowers, listFollowing } from './follow.store.ts'
import { requireNoBlockBetween } from '../blocks/require-unblocked.ts'
import { visibleRelatedUsers } from '../users.policy.ts'
import { lockUsers, type User } from '../user.store.ts'

type FollowDeps = Pick<Core, 'database' | 'clock' | 'events'>

export type Follows = ReturnType<typeof createFollows>

/** Followers and followed accounts (behaviour/users-and-admin#following-stars-watches-repository-lists). */
export function createFollows({ database, clock, events }: FollowDeps) {
  const { read } = database
  return {
    isFollowing: (userId: UserId, followedId: UserId): Promise<boolean> => isFollowing(read, userId, followedId),
    /** The followers, all individuals, that the viewer may see. */
    followers: (viewer: Viewer, userId: UserId, paging: Paging): Promise<Page<User>> =>
      listFollowers(read, userId, visibleRelatedUsers(viewer), paging),
    /** The followed users and organizations that the viewer may see. */
    following: (viewer: Viewer, userId: UserId, paging: Paging): Promise<Page<User>> =>
      listFollowing(read, userId, visibleRelatedUsers(viewer), paging),

    /**
     * Does nothing for the actor itself and for an account that it already follows. Throws Forbidden when one of the
     * two blocks the other.
     */
    async follow(actor: SignedIn, { id: followedId }: User): Promise<void> {
      const userId = actor.account.id
      if (userId === followedId) return
      await database.transaction(async (tx) => {
        await requireNoBlockBetween(tx, userId, followedId)
        const now = clock.now()
        if (!(await insertFollow(tx, userId, followedId, now))) return
        await events.append(
          tx,
          'user.followed',
          { actor, repoId: 0, at: now },
          { user_id: userId, followed_id: followedId },
        )
      })
    },

    /** Does nothing for an account that the actor does not follow. */
    unfollow: (actor: SignedIn, { id: followedId }: User): Promise<void> =>
      database.transaction(async (tx) => {
        const userId = actor.account.id
        await lockUsers(tx, [userId, followedId])
        if (!(await deleteFollow(tx, userId, followedId))) return
        await events.append(
          tx,
          'user.unfollowed',
          { actor, repoId: 0, at: clock.now() },
          { user_id: userId, followed_id: followedId },
        )
      }),
  }
}
