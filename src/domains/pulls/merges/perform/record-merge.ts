import { actorOf } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import type { Events } from '../../../../core/events/index.ts'
import type { Jobs } from '../../../../core/jobs/index.ts'
import { type Issue, changeState, lockIssue, recordEntries } from '../../../issues/index.ts'
import { lockPull, updatePull } from '../../pulls/records/pull.store.ts'
import type { Repo } from '../../../repositories/index.ts'
import { deleteSchedule } from '../schedules/merge-schedule.store.ts'
import type { MergeIntent } from './merge-intent.store.ts'
import { forgetIntent } from './forget-intent.ts'

export interface RecordMergeDeps {
  readonly events: Events
  readonly jobs: Jobs
}

interface RecordedMerge {
  readonly repo: Repo
  readonly issueId: Issue['id']
  readonly intent: MergeIntent
  /** When it was merged, which a merge made by hand says itself. */
  readonly mergedAt: number
  /** The common ancestor before the merge. */
  readonly mergeBase: string | undefined
}

/**
 * Writes that a pull request was merged, in the transaction that records the move of the base; its issue is closed.
 * Nothing happens when that is written already or the pull request was deleted.
 */
export async function recordMerge(
  { events, jobs }: RecordMergeDeps,
  tx: Tx,
  { repo, issueId, intent, mergedAt, mergeBase }: RecordedMerge,
): Promise<void> {
  const issue = await lockIssue(tx, issueId)
  const pull = issue && (await lockPull(tx, intent.pullId))
  await forgetIntent(jobs, tx, intent)
  if (issue === undefined || pull === undefined || pull.merge !== undefined) return
  await deleteSchedule(tx, pull.id)
  await updatePull(tx, pull.id, {
    is_merged: 1,
    merged_oid: intent.oid,
    merge_style: intent.style,
    merged_by_id: intent.actorId,
    merged_at: mergedAt,
    ...(mergeBase !== undefined && { merge_base: mergeBase }),
  })
  const { actorId, at, oid, isAuto } = intent
  const actor = actorOf(actorId)
  const change = { tx, events, actor, repo, issue, at }
  if (issue.isClosed)
    await recordEntries(tx, { issue, actorId, at }, { kind: 'merge_pull', payload: { commitOid: oid } })
  else await changeState(change, { isClosed: true, commitOid: oid, merge: isAuto ? 'auto-merged' : 'merged' })
  await events.append(
    tx,
    'pull.merged',
    { actor, repoId: repo.id, at },
    { repo_id: repo.id, issue_id: issue.id, number: issue.number, pull_id: pull.id, oid, style: intent.style },
  )
  const { deletesBranch, restriction } = intent
  const after = {
    pull_id: pull.id,
    issue_id: issue.id,
    deletes_branch: deletesBranch,
    ...(restriction && { restriction }),
  }
  await jobs.enqueue(tx, 'merges.follow', after, { key: String(pull.id) })
}
