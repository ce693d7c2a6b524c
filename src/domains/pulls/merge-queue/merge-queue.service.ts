import type { Core } from '../../../core/module.ts'
import { restrictionOf } from '../../../core/access/authorize.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import { conflict, forbidden, invalidField } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { Paging } from '../../../core/platform/paging.ts'
import { issueQueries, timelineQueries } from '../../issues/index.ts'
import type { BatchMerges } from '../merges/batch-merges.ts'
import { loadMergeRights } from '../merges/rules/load-merge-facts.ts'
import { lockUnchangedPull } from '../merges/merge-steps.ts'
import type { MergeRequest } from '../merges/merge-request.ts'
import { lockPull } from '../pulls/records/pull.store.ts'
import type { PullInView } from '../pulls/pull-in-view.ts'
import { type Repo, repoQueries } from '../../repositories/index.ts'
import { dissolveBatch, type LeaveDeps, leaveQueue } from './batch-entries.ts'
import { enqueueAdvance } from './enqueue-advance.ts'
import { countEntries, findEntry, insertEntry, listEntries, reorderEntries } from './records/entry.store.ts'
import { loadQueuePage, loadQueued, type QueuedView, type QueuePage } from './queue-views.ts'

export interface MergeQueueDeps extends Pick<Core, 'database' | 'clock'>, LeaveDeps {
  readonly batchMerges: Pick<BatchMerges, 'problem'>
  /** The maximum number of pull requests in one queue. */
  readonly maxLength: number
}

export type MergeQueue = ReturnType<typeof createMergeQueue>

/** The merge queues of protected branches (behaviour/pull-requests#merge-queue). */
export function createMergeQueue(deps: MergeQueueDeps) {
  const { read } = deps.database
  /** Throws NotFound when it is not queued. */
  async function get({ repo, pull }: PullInView): Promise<QueuedView> {
    const view = await loadQueued(read, repo, pull)
    if (view === undefined) throw errors.notInMergeQueue()
    return view
  }
  return {
    /** See `MergeQueueHandler`. */
    enqueue: (actor: SignedIn, target: PullInView, request: MergeRequest): Promise<void> =>
      enqueue(deps, actor, target, request),
    leave: (actor: SignedIn, target: PullInView): Promise<boolean> => leave(deps, actor, target),
    /** Lists the queue from its head; empty for a branch without a queue. */
    list: (repo: Repo, branch: string, paging: Paging): Promise<QueuePage> =>
      loadQueuePage(read, { repo, branch }, paging),
    get,
    /**
     * `position` counts from 1; a larger one than the length means the end. Throws NotFound, and Conflict while the
     * first entries are being merged.
     */
    async move(target: PullInView, position: number): Promise<QueuedView> {
      if (position < 1) throw invalidField('position', 'Min(1)')
      await deps.database.transaction((tx) => move(deps, tx, target, position))
      return get(target)
    },
  }
}

async function enqueue(
  deps: MergeQueueDeps,
  actor: SignedIn,
  target: PullInView,
  request: MergeRequest,
): Promise<void> {
  const { database, clock, jobs, events, maxLength } = deps
  const { repo, pull, issue } = target
  if (issue.isClosed && pull.merge === undefined) throw errors.pullNotOpen()
  if (request.action === 'manually-merged') throw errors.mergeRefused('manually-merged cannot be queued')
  const problem = await deps.batchMerges.problem({ actor, target, request })
  if (problem !== undefined) throw errors.mergeRefused(problem)
  if ((await loadMergeRights(database.read, actor, target)).rule === undefined)
    throw errors.mergeRefused(`${pull.baseBranch} is not protected and has no merge queue`)
  if (request.headOid !== '' && request.headOid !== pull.headOid) throw errors.headOutOfDate()
  const at = clock.now()
  const branch = { repoId: repo.id, branch: pull.baseBranch }
  await database.transaction(async (tx) => {
    await lockUnchangedPull(tx, target)
    await repoQueries.lock(tx, repo.id)
    if ((await findEntry(tx, pull.id)) !== undefined) throw errors.inMergeQueue(pull.id)
    if ((await countEntries(tx, branch)) >= maxLength)
      throw errors.mergeRefused(`the merge queue of ${pull.baseBranch} is full (at most ${maxLength})`)
    const requester = { actorId: actor.account.id, restriction: restrictionOf(actor) }
    const ids = { pullId: pull.id, issueId: issue.id, ...requester }
    await insertEntry(tx, { ...branch, ...ids, request, headOid: pull.headOid, at })
    const entry = { kind: 'pull_scheduled_merge', body: 'Entered the merge queue' } as const
    await timelineQueries.record(tx, { issue, actorId: actor.account.id, at }, entry)
    await events.append(
      tx,
      'merge_queue.entered',
      { actor, repoId: repo.id, at },
      {
        repo_id: repo.id,
        issue_id: issue.id,
        number: issue.number,
        pull_id: pull.id,
        branch: pull.baseBranch,
        style: request.action,
      },
    )
    await enqueueAdvance(jobs, tx, branch)
  })
}

async function leave(deps: MergeQueueDeps, actor: SignedIn, target: PullInView): Promise<boolean> {
  const { database, clock } = deps
  const queued = await findEntry(database.read, target.pull.id)
  if (queued === undefined) return false
  if (queued.actorId !== actor.account.id && !(await loadMergeRights(database.read, actor, target)).mayMerge)
    throw forbidden('user has no permission to cancel the queued merge')
  const at = clock.now()
  return database.transaction(async (tx) => {
    const issue = await issueQueries.lock(tx, target.issue.id)
    if (issue === undefined || (await lockPull(tx, target.pull.id)) === undefined) return false
    await repoQueries.lock(tx, target.repo.id)
    const entry = await findEntry(tx, target.pull.id)
    if (entry === undefined) return false
    const reason = 'its merge was cancelled'
    if (!(await leaveQueue(deps, tx, { actor, issue, entry, reason, isFailure: false, at })))
      throw errors.mergeRunning()
    return true
  })
}

/** Dissolves a batch whose pull requests are no longer the first ones of the queue. */
async function move({ jobs }: MergeQueueDeps, tx: Tx, { repo, pull }: PullInView, position: number): Promise<void> {
  await repoQueries.lock(tx, repo.id)
  const entry = await findEntry(tx, pull.id)
  if (entry === undefined) throw errors.notInMergeQueue()
  const entries = await listEntries(tx, entry)
  const others = entries.filter(({ pullId }) => pullId !== pull.id)
  const ordered = others.toSpliced(position - 1, 0, entry)
  const inBatch = entries.filter(({ batchId }) => batchId !== 0)
  if (inBatch.some(({ pullId }, index) => ordered[index]?.pullId !== pullId)) {
    if (!(await dissolveBatch(tx, entry, inBatch[0]!.batchId)))
      throw conflict('the first pull requests of the queue are being merged')
  }
  await reorderEntries(
    tx,
    ordered.map(({ pullId }) => pullId),
  )
  await enqueueAdvance(jobs, tx, entry)
}
