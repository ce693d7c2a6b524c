import { reachesRepo } from '../../../../core/access/credential-restriction.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { conflict, DomainError } from '../../../../core/platform/errors.ts'
import type { PullId } from '../../../../core/platform/crypto/ids.ts'
import { findIssueById } from '../../../issues/index.ts'
import { findPullByIssue } from '../../pulls/records/pull.store.ts'
import type { PullInView } from '../../pulls/pull-in-view.ts'
import { findRepoById, loadRepoAccess } from '../../../repositories/index.ts'
import { loadActingUser } from '../../../accounts/index.ts'
import { MERGE_NEED } from '../merge-order.ts'
import { type MergeDeps, mergePull } from '../perform/merge-pull.ts'
import { findSchedule, type MergeSchedule } from './merge-schedule.store.ts'

/**
 * Merges a pull request that is scheduled, in the name of who scheduled it, if everything allows it now; otherwise the
 * schedule stays (behaviour/pull-requests#merging).
 */
export async function tryScheduled(deps: MergeDeps, pullId: PullId): Promise<void> {
  const { read } = deps.database
  const schedule = await findSchedule(read, pullId)
  const actor = schedule && (await loadActingUser(read, schedule.actorId, schedule.restriction, MERGE_NEED))
  if (schedule === undefined || actor === undefined) return
  const target = await findTarget(deps, actor, schedule)
  if (target === undefined || !reachesRepo(actor, target.repo) || target.issue.isClosed || target.repo.isArchived)
    return
  const { action, title, message, deletesBranch, headOid } = schedule
  const order = { action, title, message, deletesBranch, headOid, mergedOid: '', isForced: false }
  const claim = async (tx: Tx): Promise<void> => {
    const now = await findSchedule(tx, pullId)
    if (now?.at !== schedule.at || now.actorId !== schedule.actorId) throw conflict('the schedule was cancelled')
  }
  try {
    await mergePull(deps, target, { actor, order, isAuto: true, claim })
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind === 'unavailable') throw error
    deps.log.debug({ pull: pullId, reason: error.message }, 'a scheduled merge is not allowed yet')
  }
}

async function findTarget(
  { database: { read } }: MergeDeps,
  actor: SignedIn,
  { repoId, issueId }: MergeSchedule,
): Promise<PullInView | undefined> {
  const [repo, issue, pull] = await Promise.all([
    findRepoById(read, repoId),
    findIssueById(read, issueId),
    findPullByIssue(read, issueId),
  ])
  return repo && issue && pull && { repo, issue, pull, access: await loadRepoAccess(read, actor, repo) }
}
