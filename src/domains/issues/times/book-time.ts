import type { AccountChange } from '../issues/changes/issue-change.ts'
import { recordEntries } from '../issues/timeline/record-entries.ts'
import { insertTime } from './tracked-time.store.ts'
import { durationText, isTracking } from './tracking.policy.ts'

/** Books time of the acting account that a commit names when it closes the issue; none where tracking is off. */
export async function bookTime({ tx, repo, issue, actor, at }: AccountChange, seconds: number): Promise<void> {
  if (!isTracking(repo)) return
  const { id: userId } = actor.account
  const time = await insertTime(tx, { repoId: repo.id, issueId: issue.id, userId, seconds, createdAt: at })
  const entry = { kind: 'add_time_manual', targetId: time.id, body: durationText(seconds) } as const
  await recordEntries(tx, { issue, actorId: userId, at }, entry)
}
