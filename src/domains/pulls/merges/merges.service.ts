import { restrictionOf } from '../../../core/access/credential-restriction.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import { branchRef, type MergeStyle } from '../../../core/git/index.ts'
import { conflict, forbidden, notFound } from '../../../core/platform/errors.ts'
import { lockIssue, recordEntries } from '../../issues/index.ts'
import { lockPull } from '../pulls/records/pull.store.ts'
import type { PullInView } from '../pulls/pull-in-view.ts'
import { parseRepoSettings } from '../../repositories/index.ts'
import { mergeRefused } from './merge-errors.ts'
import type { MergeOrder } from './merge-order.ts'
import type { MergeQueuePort } from './merge-queue-port.ts'
import { awaitHead } from './perform/await-head.ts'
import { followMerge, type FollowMergeDeps } from './perform/follow-merge.ts'
import { type MergeDeps, type Merged, mergePull } from './perform/merge-pull.ts'
import { loadMergeFacts, loadMergeRights } from './rules/load-merge-facts.ts'
import { mergeProblem } from './rules/merge-rules.policy.ts'
import { type MergePreview, previewMerge, type PreviewDeps } from './preview/preview-merge.ts'
import { deleteSchedule, findSchedule, insertSchedule } from './schedules/merge-schedule.store.ts'
import { updateHead, type UpdateStyle } from './update/update-head.ts'

export interface MergesDeps extends MergeDeps, FollowMergeDeps, PreviewDeps {
  readonly queue: MergeQueuePort
}

export type Merges = ReturnType<typeof createMerges>

/** Merging pull requests, at once or as soon as the protection of the base allows it. */
export function createMerges(deps: MergesDeps) {
  return {
    /** Also deletes the head branch and closes issues, as ordered. See `mergePull` for what it throws. */
    async merge(actor: SignedIn, target: PullInView, order: MergeOrder): Promise<Merged> {
      const merged = await mergePull(deps, target, { actor, order, isAuto: false })
      // NOTE: clients look at the branch and the issues right after the answer; the job does what a crash left.
      const { deleteBranchAfterMerge } = parseRepoSettings(target.repo.settings).pulls
      const deletesBranch = order.deletesBranch ?? deleteBranchAfterMerge
      await followMerge(deps, { issueId: target.issue.id, deletesBranch, restriction: restrictionOf(actor) })
      return merged
    },
    /**
     * Throws Invalid with the reason when no protection is the cause that it cannot be merged, Conflict the second time
     * and for another head than was ordered.
     */
    schedule: (actor: SignedIn, target: PullInView, order: MergeOrder): Promise<void> =>
      schedule(deps, actor, target, order),
    /** See `MergeQueueHandler`. */
    enqueue: (actor: SignedIn, target: PullInView, order: MergeOrder): Promise<void> =>
      deps.queue.get().enqueue(actor, target, order),
    /**
     * Deletes the schedule and leaves the merge queue. Throws NotFound where there is neither, Forbidden for those who
     * neither ordered the merge nor may merge.
     */
    cancel: (actor: SignedIn, target: PullInView): Promise<void> => cancel(deps, actor, target),
    /** See `previewMerge`; undefined for the default style of the repository. */
    preview: (actor: SignedIn, target: PullInView, style: MergeStyle | undefined): Promise<MergePreview> =>
      previewMerge(deps, actor, target, style),
    /** See `updateHead`. */
    update: (actor: SignedIn, target: PullInView, style: UpdateStyle): Promise<string> =>
      updateHead(deps, actor, target, style),
  }
}

async function schedule(deps: MergesDeps, actor: SignedIn, target: PullInView, order: MergeOrder): Promise<void> {
  const { database, clock, jobs, git } = deps
  const { repo, pull, issue } = target
  if (issue.isClosed && pull.merge === undefined) throw notFound('the pull request is closed')
  if (order.headOid !== '') await awaitHead(deps, target)
  const opened = git.open(repo)
  const baseOid = (await opened.refs.snapshot()).get(branchRef(pull.baseBranch))?.oid
  const canSign = deps.signer !== undefined
  const facts = await loadMergeFacts({ ...deps, canSign }, actor, target, { git: opened, baseOid })
  const problem = mergeProblem(facts, { ...order, isScheduled: true })
  if (problem !== undefined) throw mergeRefused(problem)
  const at = clock.now()
  await database.transaction(async (tx) => {
    const locked = (await lockIssue(tx, issue.id)) && (await lockPull(tx, pull.id))
    if (locked === undefined) throw notFound('the pull request was deleted meanwhile')
    if (locked.merge !== undefined) throw mergeRefused('The PR is already merged')
    if (locked.baseBranch !== pull.baseBranch) throw conflict('the pull request has another base now')
    if (order.headOid !== '' && order.headOid !== locked.headOid) throw conflict('head out of date')
    if ((await findSchedule(tx, pull.id)) !== undefined)
      throw conflict(`pull request is already scheduled to auto merge when checks succeed [pull_id: ${pull.id}]`)
    const { action, title, message, deletesBranch, headOid } = order
    const ids = { pullId: pull.id, issueId: issue.id, repoId: repo.id, actorId: actor.account.id }
    const restriction = restrictionOf(actor)
    await insertSchedule(tx, { ...ids, restriction, action, title, message, deletesBranch, headOid, at })
    await recordEntries(tx, { issue, actorId: actor.account.id, at }, { kind: 'pull_scheduled_merge' })
    await jobs.enqueue(tx, 'merges.try_scheduled', { pull_id: pull.id }, { key: String(pull.id) })
  })
}

async function cancel({ database, clock, queue }: MergesDeps, actor: SignedIn, target: PullInView): Promise<void> {
  const { pull, issue } = target
  const hasLeft = await queue.get().leave(actor, target)
  const schedule = await findSchedule(database.read, pull.id)
  if (schedule === undefined) {
    if (hasLeft) return
    throw notFound('no merge is scheduled')
  }
  if (schedule.actorId !== actor.account.id && !(await loadMergeRights(database.read, actor, target)).mayMerge)
    throw forbidden('user has no permission to cancel the scheduled auto merge')
  const at = clock.now()
  await database.transaction(async (tx) => {
    if (!(await deleteSchedule(tx, pull.id))) throw notFound('no merge is scheduled')
    await recordEntries(tx, { issue, actorId: actor.account.id, at }, { kind: 'pull_cancel_scheduled_merge' })
  })
}
