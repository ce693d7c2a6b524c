import type { Core } from '../../../core/module.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import { engineErrors, forbidden, invalidField, notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import type { IssueInView } from '../issues/views.ts'
import { recordEntries } from '../issues/timeline/record-entries.ts'
import { requireLocked } from '../issues/changes/edit-issue.ts'
import {
  type TimeFilter,
  type TrackedTime,
  deleteTime,
  deleteTimesOf,
  findTime,
  insertTime,
  listAllTimes,
  listTimes,
} from './times.store.ts'
import { loadTimeViews, type TimeView } from './time-views.ts'
import { durationText } from './tracking.policy.ts'

interface NewTime {
  readonly userId: UserId
  /** Not 0. */
  readonly seconds: number
  /** Epoch milliseconds; now by default. */
  readonly createdAt: number | undefined
}

type TimeDeps = Pick<Core, 'database' | 'clock'>

/** The seconds of a century. */
const MAX_SECONDS = 100 * 366 * 86_400

export type Times = ReturnType<typeof createTimes>

/** Times spent on issues (behaviour/issues#stopwatches-and-tracked-times). Callers check permissions. */
export function createTimes({ database, clock }: TimeDeps) {
  const { read } = database
  return {
    /** Tracked times in the order of their creation. */
    async list(viewer: SignedIn, filter: TimeFilter, paging: Paging): Promise<Page<TimeView>> {
      const { items, total } = await listTimes(read, viewer, filter, paging)
      return { items: await loadTimeViews(read, viewer, items), total }
    },
    listAll: async (viewer: SignedIn, filter: TimeFilter): Promise<TimeView[]> =>
      loadTimeViews(read, viewer, await listAllTimes(read, viewer, filter)),
    /** Throws Invalid for 0 seconds, and for implausibly long times. */
    async add(actor: SignedIn, { issue }: IssueInView, { userId, seconds, createdAt }: NewTime): Promise<TimeView> {
      if (seconds === 0) throw engineErrors.fieldRequired('Time')
      if (Math.abs(seconds) > MAX_SECONDS) throw invalidField('Time', `Range (at most ${MAX_SECONDS} seconds)`)
      const time = await database.transaction(async (tx): Promise<TrackedTime> => {
        const at = clock.now()
        await requireLocked(tx, issue.id)
        const values = { repoId: issue.repoId, issueId: issue.id, userId, seconds, createdAt: createdAt ?? at }
        const inserted = await insertTime(tx, values)
        const entry = { kind: 'add_time_manual', targetId: inserted.id, body: durationText(seconds) } as const
        await recordEntries(tx, { issue, actorId: actor.account.id, at }, entry)
        return inserted
      })
      const [view] = await loadTimeViews(read, actor, [time])
      if (view === undefined) throw errors.issueDeleted()
      return view
    },
    /** Deletes the actor's times of the issue. Throws NotFound when there are none. */
    deleteOwn: ({ account }: SignedIn, { issue }: IssueInView): Promise<void> =>
      database.transaction(async (tx) => {
        const deleted = await deleteTimesOf(tx, issue.id, account.id)
        if (deleted.length === 0) throw notFound('tracked_time does not exist')
        const body = durationText(deleted.reduce((sum, seconds) => sum + seconds, 0))
        const origin = { issue, actorId: account.id, at: clock.now() }
        await recordEntries(tx, origin, { kind: 'delete_time_manual', body })
      }),
    /** Throws NotFound, and Forbidden for the time of another user unless the actor is a site administrator. */
    delete: ({ account }: SignedIn, { issue }: IssueInView, id: number): Promise<void> =>
      database.transaction(async (tx) => {
        const time = await findTime(tx, issue.id, id)
        if (time === undefined) throw errors.trackedTimeDeleted()
        if (time.userId !== account.id && !account.isAdmin) throw forbidden('')
        if (!(await deleteTime(tx, id))) throw errors.trackedTimeDeleted()
        const body = durationText(time.seconds)
        const origin = { issue, actorId: account.id, at: clock.now() }
        await recordEntries(tx, origin, { kind: 'delete_time_manual', body })
      }),
  }
}
