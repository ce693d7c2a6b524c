import type { Core, Services } from '../../../../core/module.ts'
import { isSelf, isSiteAdmin, type SignedIn } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import { forbidden, notFound } from '../../../../core/platform/errors.ts'
import type { IssueId, UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { type Issue, issueQueries } from '../../../issues/index.ts'
import { socialQueries } from '../../../repositories/index.ts'
import { type User, userQueries } from '../../../accounts/index.ts'
import { findIssueWatch, isParticipant, listIssueWatchers, putIssueWatch } from './issue-watch.store.ts'

interface SubscriptionChange {
  readonly username: string
  readonly isWatching: boolean
}

interface SubscriptionDeps extends Pick<Core, 'database' | 'clock'> {
  readonly users: Pick<Services['users'], 'getInView'>
}

export type Subscriptions = ReturnType<typeof createSubscriptions>

/**
 * Subscriptions of users to single issues (behaviour/issues#subscriptions). Callers check that the issue is readable.
 */
export function createSubscriptions({ database, clock, users }: SubscriptionDeps) {
  return {
    /** Subscribed users. */
    list: (issue: Issue, paging: Paging): Promise<Page<User>> => listIssueWatchers(database.read, issue.id, paging),
    /**
     * Whether the user is notified of the issue: by its own choice, as a watcher of the repository, or as a
     * participant.
     */
    isSubscribed: (userId: UserId, issue: Issue): Promise<boolean> => isSubscribed(database.read, userId, issue),
    /**
     * Returns false without storing anything when the choice is already in effect. Throws NotFound for an unknown user,
     * Forbidden for another user unless the actor is a site administrator.
     */
    async set(actor: SignedIn, issue: Issue, { username, isWatching }: SubscriptionChange): Promise<boolean> {
      const user = await users.getInView(actor, username)
      if (!isSelf(actor, user.id) && !isSiteAdmin(actor))
        throw forbidden(`${actor.account.name} is not permitted to change subscriptions for ${user.name}`)
      if (user.kind === 'organization') throw notFound('organizations subscribe to nothing')
      return database.transaction(async (tx) => {
        if ((await isSubscribed(tx, user.id, issue)) === isWatching) return false
        await putIssueWatch(tx, { issueId: issue.id, userId: user.id, isWatching, at: clock.now() })
        return true
      })
    },
    /** Unsubscribes by the link in a mail. Does nothing when the issue or the user was deleted. */
    unsubscribe: ({ userId, issueId }: { readonly userId: UserId; readonly issueId: IssueId }): Promise<void> =>
      database.transaction(async (tx) => {
        if (
          (await issueQueries.findById(tx, issueId)) === undefined ||
          (await userQueries.findById(tx, userId)) === undefined
        )
          return
        await putIssueWatch(tx, { issueId, userId, isWatching: false, at: clock.now() })
      }),
  }
}

async function isSubscribed(db: Db, userId: UserId, issue: Issue): Promise<boolean> {
  const chosen = await findIssueWatch(db, issue.id, userId)
  if (chosen !== undefined) return chosen
  const mode = await socialQueries.findWatchMode(db, userId, issue.repoId)
  return (mode !== undefined && mode !== 'ignored') || isParticipant(db, issue, userId)
}
