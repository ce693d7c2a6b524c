import { reachesRepo, restrictionOf } from '../../../../core/access/authorize.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { branchRef } from '../../../../core/git/index.ts'
import { DomainError, conflict, forbidden } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import type { PullId } from '../../../../core/platform/crypto/ids.ts'
import { issueQueries, timelineQueries } from '../../../issues/index.ts'
import { findPullByIssue, lockPull } from '../../pulls/records/pull.store.ts'
import type { PullInView } from '../../pulls/pull-in-view.ts'
import { repoQueries, accessQueries } from '../../../repositories/index.ts'
import { userQueries } from '../../../accounts/index.ts'
import { awaitHead, mergePull, type MergeQueuePort } from '../merge-pull.ts'
import { MERGE_NEED, type MergeRequest } from '../merge-request.ts'
import type { MergeDeps } from '../merge-steps.ts'
import { loadMergeFacts, loadMergeRights } from '../rules/load-merge-facts.ts'
import { mergeProblem } from '../merges.policy.ts'
import { deleteSchedule, findSchedule, insertSchedule, type MergeSchedule } from './merge-schedule.store.ts'

/*
 * The steps of a scheduled merge.
 *
 * step      what it writes                             recovery, when it fails or the process ends
 * schedule  the schedule, a job that tries the merge   one transaction
 * try       nothing while the merge is refused         the schedule exists: the next event or job tries again
 * merge     see `merge-steps.ts`                       `record` deletes the schedule; see there
 */

/**
 * Throws Invalid with the reason when the merge is refused for a reason other than the protection, Conflict when it is
 * already scheduled and for another head than requested.
 */
export async function scheduleMerge(
  deps: MergeDeps,
  actor: SignedIn,
  target: PullInView,
  request: MergeRequest,
): Promise<void> {
  const { database, clock, jobs, git } = deps
  const { repo, pull, issue } = target
  if (issue.isClosed && pull.merge === undefined) throw errors.pullNotOpen()
  if (request.headOid !== '') await awaitHead(deps, target)
  const opened = git.open(repo)
  const baseOid = (await opened.refs.snapshot()).get(branchRef(pull.baseBranch))?.oid
  const canSign = deps.signer !== undefined
  const facts = await loadMergeFacts({ ...deps, canSign }, actor, target, { git: opened, baseOid })
  const problem = mergeProblem(facts, { ...request, isScheduled: true })
  if (problem !== undefined) throw errors.mergeRefused(problem)
  const at = clock.now()
  await database.transaction(async (tx) => {
    const locked = (await issueQueries.lock(tx, issue.id)) && (await lockPull(tx, pull.id))
    if (locked === undefined) throw errors.pullDeleted()
    if (locked.merge !== undefined) throw errors.mergeDone()
    if (locked.baseBranch !== pull.baseBranch) throw errors.baseChanged()
    if (request.headOid !== '' && request.headOid !== locked.headOid) throw errors.headOutOfDate()
    if ((await findSchedule(tx, pull.id)) !== undefined) throw errors.mergeScheduled(pull.id)
    const { action, title, message, deletesBranch, headOid } = request
    const ids = { pullId: pull.id, issueId: issue.id, repoId: repo.id, actorId: actor.account.id }
    const restriction = restrictionOf(actor)
    await insertSchedule(tx, { ...ids, restriction, action, title, message, deletesBranch, headOid, at })
    await timelineQueries.record(tx, { issue, actorId: actor.account.id, at }, { kind: 'pull_scheduled_merge' })
    await jobs.enqueue(tx, 'merges.try_scheduled', { pull_id: pull.id }, { key: String(pull.id) })
  })
}

/**
 * Merges a scheduled pull request as the account that scheduled it, if that is allowed now; otherwise the schedule is
 * kept (behaviour/pull-requests#merging).
 */
export async function tryScheduled(deps: MergeDeps, pullId: PullId): Promise<void> {
  const { read } = deps.database
  const schedule = await findSchedule(read, pullId)
  const actor = schedule && (await userQueries.loadActing(read, schedule.actorId, schedule.restriction, MERGE_NEED))
  if (schedule === undefined || actor === undefined) return
  const target = await findTarget(deps, actor, schedule)
  if (target === undefined || !reachesRepo(actor, target.repo) || target.issue.isClosed || target.repo.isArchived)
    return
  const { action, title, message, deletesBranch, headOid } = schedule
  const request = { action, title, message, deletesBranch, headOid, mergedOid: '', isForced: false }
  const claim = async (tx: Tx): Promise<void> => {
    const now = await findSchedule(tx, pullId)
    if (now?.at !== schedule.at || now.actorId !== schedule.actorId) throw conflict('the schedule was cancelled')
  }
  try {
    await mergePull(deps, { actor, target, request, isAuto: true, claim })
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
    repoQueries.findById(read, repoId),
    issueQueries.findById(read, issueId),
    findPullByIssue(read, issueId),
  ])
  return repo && issue && pull && { repo, issue, pull, access: await accessQueries.load(read, actor, repo) }
}

/**
 * Deletes the schedule and the queue entry. Throws NotFound when neither exists, Forbidden for accounts that neither
 * requested the merge nor may merge.
 */
export async function cancelMerge(
  { database, clock, queue }: MergeDeps & { readonly queue: MergeQueuePort },
  actor: SignedIn,
  target: PullInView,
): Promise<void> {
  const { pull, issue } = target
  const wasQueued = await queue.get().leave(actor, target)
  const schedule = await findSchedule(database.read, pull.id)
  if (schedule === undefined) {
    if (wasQueued) return
    throw errors.mergeNotScheduled()
  }
  if (schedule.actorId !== actor.account.id && !(await loadMergeRights(database.read, actor, target)).mayMerge)
    throw forbidden('user has no permission to cancel the scheduled auto merge')
  const at = clock.now()
  await database.transaction(async (tx) => {
    if (!(await deleteSchedule(tx, pull.id))) throw errors.mergeNotScheduled()
    await timelineQueries.record(tx, { issue, actorId: actor.account.id, at }, { kind: 'pull_cancel_scheduled_merge' })
  })
}
