import type { Tx } from '../../../core/db/database.ts'
import type { Projections } from '../../../core/events/index.ts'
import { asId, type PullId, type UserId } from '../../../core/platform/crypto/ids.ts'
import { issueQueries, timelineQueries } from '../../issues/index.ts'
import { deleteSchedule, findSchedule } from './schedules/merge-schedule.store.ts'

/** Ends a schedule with the change that invalidates it. */
export const mergeProjections: Projections = {
  'pull.retargeted': (tx, { payload, ...event }) =>
    endSchedule(tx, asId(payload.pull_id), { ...event, reason: 'its base is another branch now' }),
  async 'pull.synchronized'(tx, { payload, ...event }) {
    const pullId = asId<PullId>(payload.pull_id)
    const headOid = (await findSchedule(tx, pullId))?.headOid ?? ''
    if (headOid !== '' && headOid !== payload.new_oid)
      await endSchedule(tx, pullId, { ...event, reason: 'its head was pushed to' })
  },
}

interface Cause {
  readonly actorId: number
  /** Shown in the timeline. */
  readonly reason: string
  readonly at: number
}

async function endSchedule(tx: Tx, pullId: PullId, { actorId, reason, at }: Cause): Promise<void> {
  const schedule = await findSchedule(tx, pullId)
  const issue = schedule && (await issueQueries.lock(tx, schedule.issueId))
  if (issue === undefined || !(await deleteSchedule(tx, pullId))) return
  const entry = { kind: 'pull_cancel_scheduled_merge', body: `The scheduled merge was cancelled: ${reason}` } as const
  await timelineQueries.record(tx, { issue, actorId: asId<UserId>(actorId), at }, entry)
}
