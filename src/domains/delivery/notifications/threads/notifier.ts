import type { Core } from '../../../../core/module.ts'
import { actorOf } from '../../../../core/access/viewer.ts'
import type { Database, Tx } from '../../../../core/db/database.ts'
import { asId, type IssueId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import { type IssueNotice, issueQueries } from '../../../issues/index.ts'
import { repoQueries } from '../../../repositories/index.ts'
import {
  type IssueActivity,
  listFollowers,
  listTransferRecipients,
  notifyUsers,
  notifyOfIssue,
  notifyOfTransfer,
} from './recipients.store.ts'

/**
 * The maximum number of recipients whose threads are written in the transaction of the change; a job writes the rest.
 */
const DIRECT = 100
/** Recipients per transaction of that job. */
const BATCH = 250
const MAX_TRANSFER_RECIPIENTS = 500

interface Followed extends IssueActivity {
  readonly notBefore?: number
}

interface SpreadPayload {
  readonly issue_id: number
  readonly actor_id: number
  readonly at: number
  /** Followers up to this user id have been notified. */
  readonly after: number
}

type NotifierDeps = Pick<Core, 'database' | 'clock' | 'events' | 'jobs'>

export type Notifier = ReturnType<typeof createNotifier>

/** Writes the threads of users (behaviour/issues#notifications). */
export function createNotifier({ database, clock, events, jobs }: NotifierDeps) {
  return {
    /**
     * Notifies the followers of the issue; threads with activity at `notBefore` or later are unchanged. `isNew`: the
     * actor has just created it, and no other account has written in it.
     */
    async followers(tx: Tx, { notBefore, ...activity }: Followed): Promise<void> {
      const at = notBefore ?? clock.now()
      const recipients = await listFollowers(tx, activity, { after: 0, limit: DIRECT })
      await notifyOfIssue(tx, activity.issue, recipients, { at, replacesUpTo: notBefore === undefined ? at : at - 1 })
      if (recipients.length === DIRECT)
        await jobs.enqueue(tx, 'notifications.fan_out', {
          issue_id: activity.issue.id,
          actor_id: activity.actorId,
          at,
          after: recipients.at(-1)!.userId,
        })
    },

    /** Notifies those of the users who may read the issue and do not block the actor. */
    async users(tx: Tx, { repo, issue, actorId, userIds, reason }: IssueNotice): Promise<void> {
      const at = clock.now()
      for (let from = 0; from < userIds.length; from += BATCH) {
        const some = userIds.slice(from, from + BATCH)
        await notifyUsers(tx, { repo, issue, actorId }, { userIds: some, reason }, at)
      }
    },

    /** Notifies the users who may accept the transfer of a repository. */
    async transfer(
      tx: Tx,
      { repoId, recipientId, actorId }: { repoId: RepoId; recipientId: UserId; actorId: UserId },
    ): Promise<void> {
      const userIds = await listTransferRecipients(tx, { recipientId, actorId, limit: MAX_TRANSFER_RECIPIENTS })
      await notifyOfTransfer(tx, repoId, userIds, clock.now())
    },

    /** Continues `followers` and `users` after the recipients that they wrote. */
    async spread({ issue_id, actor_id, at, after }: SpreadPayload, signal: AbortSignal): Promise<void> {
      const activity = await loadActivity(database.read, asId(issue_id), asId(actor_id))
      if (activity === undefined) return
      for (let last = after; ;) {
        signal.throwIfAborted()
        const recipients = await listFollowers(database.read, activity, { after: last, limit: BATCH })
        // NOTE: an earlier run of the job has written the threads with the same time.
        await database.transaction(async (tx) => {
          await notifyOfIssue(tx, activity.issue, recipients, { at, replacesUpTo: at - 1 })
          const origin = { actor: actorOf(activity.actorId), repoId: 0, at: clock.now() }
          const userIds = recipients.map(({ userId }) => userId)
          if (userIds.length > 0)
            await events.append(tx, 'notification.spread', origin, { issue_id, at, user_ids: userIds })
        })
        if (recipients.length < BATCH) return
        last = recipients.at(-1)!.userId
      }
    },
  }
}

async function loadActivity(
  db: Database['read'],
  issueId: IssueId,
  actorId: UserId,
): Promise<IssueActivity | undefined> {
  const issue = await issueQueries.findById(db, issueId)
  const repo = issue && (await repoQueries.findById(db, issue.repoId))
  return issue && repo && { issue, repo, actorId }
}
