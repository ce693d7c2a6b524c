import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import { errors } from '../../errors.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import { type User, ownerQueries } from '../../accounts/index.ts'
import type { AccountChange } from '../issues/changes/issue-change.ts'
import { recordEntries } from '../issues/timeline/record-entries.ts'
import { insertTime, listTimesByIds } from './times.store.ts'
import { durationText, isTracking } from './tracking.policy.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Timeline } from '../issues/timeline/timeline.service.ts'
import { presentTime } from './times.present.ts'
import { loadTimeViews } from './time-views.ts'

export type FindUser = ReturnType<typeof createFindUser>

/** Finds the user whose times are requested. */
export function createFindUser(read: Db) {
  const named = (actor: SignedIn, name: string): Promise<User> => ownerQueries.getInView(read, actor, name)
  return {
    /** Throws NotFound also for an account that is hidden from the actor. */
    named,
    /**
     * The user whose times are listed; undefined for all. Accounts that may not see all times see their own, and get
     * Forbidden for another user.
     */
    async filter(actor: SignedIn, name: string | undefined, seesAll: boolean): Promise<UserId | undefined> {
      const own = actor.account.id
      if (name === undefined || name === '') return seesAll ? undefined : own
      const { id } = await named(actor, name)
      if (!seesAll && id !== own) throw errors.timesOfOthersForbidden()
      return id
    },
  }
}

/** Books the time in a commit that closes an issue for the actor; none when tracking is off. */
export async function bookTime({ tx, repo, issue, actor, at }: AccountChange, seconds: number): Promise<void> {
  if (!isTracking(repo)) return
  const { id: userId } = actor.account
  const time = await insertTime(tx, { repoId: repo.id, issueId: issue.id, userId, seconds, createdAt: at })
  const entry = { kind: 'add_time_manual', targetId: time.id, body: durationText(seconds) } as const
  await recordEntries(tx, { issue, actorId: userId, at }, entry)
}

type DetailsLoader = Parameters<Timeline['registerDetails']>[1]

/** The `tracked_time` of timeline entries; absent when the time was deleted. */
export const loadTrackedTimes =
  (read: Db, site: Site): DetailsLoader =>
  async (viewer, entries) => {
    const views = await loadTimeViews(
      read,
      viewer,
      await listTimesByIds(
        read,
        entries.map((entry) => entry.targetId),
      ),
    )
    const byId = new Map(views.map((view) => [view.time.id, view]))
    return new Map(
      entries.flatMap(({ id, targetId }) => {
        const view = byId.get(targetId)
        return view === undefined ? [] : [[id, { tracked_time: presentTime(view, viewer, site) }] as const]
      }),
    )
  }
