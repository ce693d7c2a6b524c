import type { Tx } from '../../../core/db/database.ts'
import { branchRef } from '../../../core/git/index.ts'
import { conflict } from '../../../core/platform/errors.ts'
import { repoQueries } from '../../repositories/index.ts'
import {
  announceBuilt,
  announceLate,
  type BatchContext,
  checkEntries,
  type CheckedEntry,
  failBatch,
  type QueueContext,
  removeEntry,
  requiredStatuses,
  type Step,
  type WorkerDeps,
  batchRef,
  deleteStaleRefs,
} from './batch-entries.ts'
import { nextBatchSize } from './bisect.policy.ts'
import { enqueueAdvance } from './enqueue-advance.ts'
import {
  type Batch,
  deleteBatch,
  findBatch,
  insertBatch,
  lockBatch,
  type QueuedBranch,
  updateBatch,
} from './records/batch.store.ts'
import { listEntries, listEntriesOfBatch, updateEntries } from './records/entry.store.ts'

/*
 * The steps of a merge queue, by the state of the batch at its head. Each ends with one transaction that sets the next
 * state, which this process or another one continues.
 *
 * state     step         what it writes                       recovery, when it fails or the process ends
 * no batch  takeBatch    a batch of the first entries         the transaction is rolled back
 * building  buildBatch   commits, the ref of the batch        builds again; `deleteStaleRefs` deletes the ref
 * testing   testBatch    a failed batch is halved             tests again
 *           mergeBatch   see `merge-steps.ts`; `merging`      as there; then `resumeBatch`
 * merging   resumeBatch  `testing`, for what was not merged   runs again
 */
const STEPS: Readonly<Record<Batch['state'], (deps: WorkerDeps, context: BatchContext) => Promise<Step>>> = {
  building: buildBatch,
  async testing(deps, context) {
    const tested = await testBatch(deps, context)
    return typeof tested === 'string' ? tested : mergeBatch(deps, context, tested)
  },
  merging: resumeBatch,
}

/**
 * Advances the batch at the head of a queue as far as possible. Each step is one change of rows; this process or
 * another one continues after it (behaviour/pull-requests#merge-queue).
 */
export async function advanceQueue(deps: WorkerDeps, branch: QueuedBranch, signal: AbortSignal): Promise<void> {
  await deps.locks.run(`${branch.repoId} ${branch.branch}`, async () => {
    for (let step: Step = 'again'; step === 'again';) {
      signal.throwIfAborted()
      step = await advance(deps, branch)
    }
  })
}

async function advance(deps: WorkerDeps, { repoId, branch }: QueuedBranch): Promise<Step> {
  const { read } = deps.database
  const repo = await repoQueries.findById(read, repoId)
  if (repo === undefined || repo.isArchived) return 'wait'
  const batch = await findBatch(read, { repoId, branch })
  const context = { repoId, branch, repo, git: deps.git.open(repo) }
  await deleteStaleRefs(context.git, branch, batch)
  if (batch === undefined) return createBatch(deps, context)
  return STEPS[batch.state](deps, { ...context, batch })
}

/** Creates a batch of the first pull requests of the queue; building it checks them. */
async function createBatch(deps: WorkerDeps, context: QueueContext): Promise<Step> {
  const { database, clock, batchSize } = deps
  const entries = await listEntries(database.read, context)
  const first = entries.slice(0, nextBatchSize(entries, batchSize))
  if (first.length === 0) return 'wait'
  await database.transaction(async (tx) => {
    await repoQueries.lock(tx, context.repoId)
    if ((await findBatch(tx, context)) !== undefined) return
    const now = await listEntries(tx, context)
    if (first.some(({ pullId, headOid }, index) => now[index]?.pullId !== pullId || now[index].headOid !== headOid))
      return
    const batch = await insertBatch(tx, context, clock.now())
    await updateEntries(
      tx,
      first.map(({ pullId }) => pullId),
      { batchId: batch.id, oid: '' },
    )
  })
  return 'again'
}

interface BuiltEntry extends CheckedEntry {
  readonly oid: string
}

/**
 * Builds the commits of a batch, each upon the one before it, and points its ref to the last. A pull request that
 * conflicts with the ones before it waits for the next batch; one that conflicts with the base is removed from the
 * queue.
 */
async function buildBatch(deps: WorkerDeps, context: BatchContext): Promise<Step> {
  const { database } = deps
  const { git, batch } = context
  const entries = await listEntriesOfBatch(database.read, context, batch.id)
  const checked = await checkEntries(deps, context, entries)
  if (checked === undefined) return 'again'
  const { isRequired } = await requiredStatuses(deps, context)
  // NOTE: maintenance keeps the objects of the merges until the ref points to them.
  await git.writing(async () => {
    const base = (await git.refs.snapshot()).get(branchRef(context.branch))?.oid
    const built = base === undefined ? [] : await buildChain(deps, context, { base, checked })
    if (base === undefined || built === undefined) return
    await git.refs.update(built.slice(-1).map(({ oid }) => ({ ref: batchRef(batch), new: oid })))
    await database.transaction((tx) => recordBuilt(deps, tx, context, { base, built, isRequired }))
  })
  return 'again'
}

interface Chain {
  readonly base: string
  readonly checked: readonly CheckedEntry[]
}

/** The mergeable entries with their commits. Undefined when the first one conflicts; it was removed from the queue. */
async function buildChain(
  deps: WorkerDeps,
  context: BatchContext,
  { base, checked }: Chain,
): Promise<BuiltEntry[] | undefined> {
  const built: BuiltEntry[] = []
  for (const merge of checked) {
    const outcome = await deps.batchMerges.build(merge, { git: context.git, base: built.at(-1)?.oid ?? base })
    if ('problem' in outcome) {
      if (built.length > 0) break
      await removeEntry(deps, context, merge.entry, outcome.problem)
      return undefined
    }
    built.push({ ...merge, oid: outcome.oid })
  }
  return built
}

interface Built {
  readonly base: string
  readonly built: readonly BuiltEntry[]
  /** Statuses of the commit are required. */
  readonly isRequired: boolean
}

/** Does nothing when the batch has changed. */
async function recordBuilt(
  deps: WorkerDeps,
  tx: Tx,
  context: BatchContext,
  { base, built, isRequired }: Built,
): Promise<void> {
  await repoQueries.lock(tx, context.repoId)
  const batch = await lockBatch(tx, context.batch.id)
  if (batch?.state !== 'building') return
  const entries = await listEntriesOfBatch(tx, context, batch.id)
  const last = built.at(-1)
  if (last === undefined || built.some(({ entry }, index) => entries[index]?.pullId !== entry.pullId))
    return deleteBatch(tx, batch.id)
  const at = deps.clock.now()
  for (const { entry, oid } of built) await updateEntries(tx, [entry.pullId], { oid })
  const remaining = entries.slice(built.length).map(({ pullId }) => pullId)
  await updateEntries(tx, remaining, { batchId: 0, oid: '' })
  const now = { baseOid: base, oid: last.oid, builtAt: at, isAnnounced: false }
  await updateBatch(tx, batch.id, { ...now, state: 'testing' })
  if (isRequired) await announceBuilt(deps, tx, { ...batch, ...now }, built)
}

/** The merges of a built batch that are allowed now. Halves a failing batch and rebuilds one whose base has moved. */
async function testBatch(deps: WorkerDeps, context: BatchContext): Promise<Step | readonly CheckedEntry[]> {
  const { database, clock, jobs, timeoutMs } = deps
  const { git, batch } = context
  const entries = await listEntriesOfBatch(database.read, context, batch.id)
  const checked = await checkEntries(deps, context, entries)
  if (checked === undefined) return 'again'
  if (entries.length === 0 || (await git.refs.snapshot()).get(branchRef(context.branch))?.oid !== batch.baseOid) {
    await scheduleRebuild(deps, context)
    return 'again'
  }
  const { state, failed } = await requiredStatuses(deps, context, batch.oid)
  if (state === 'success') return checked
  if (state === 'pending' && !batch.isAnnounced) {
    await announceLate(deps, context, checked)
    return 'again'
  }
  const remaining = batch.builtAt + timeoutMs - clock.now()
  if (state === 'pending' && remaining > 0) {
    const later = { delay: remaining, what: `timeout ${batch.id} ${batch.builtAt}` }
    await database.transaction((tx) => enqueueAdvance(jobs, tx, context, later))
    return 'wait'
  }
  const seconds = Math.round(timeoutMs / 1000)
  const reason = state === 'failure' ? `required statuses failed: ${failed}` : `no required statuses after ${seconds} s`
  await failBatch(deps, context, { entries, reason })
  return 'again'
}

/** Schedules a batch to be built again; deletes an empty one. Does nothing if the batch has changed. */
async function scheduleRebuild({ database }: WorkerDeps, context: BatchContext): Promise<void> {
  await database.transaction(async (tx) => {
    await repoQueries.lock(tx, context.repoId)
    const batch = await lockBatch(tx, context.batch.id)
    if (batch === undefined || batch.state === 'building') return
    if ((await listEntriesOfBatch(tx, context, batch.id)).length === 0) await deleteBatch(tx, batch.id)
    else await updateBatch(tx, batch.id, { state: 'building', baseOid: '', oid: '', builtAt: 0 })
  })
}

/** Milliseconds until a merge by another process is checked again. */
const RECHECK_MS = 10_000

/** Moves the base to the commit of the batch, which merges its pull requests. */
async function mergeBatch(deps: WorkerDeps, context: BatchContext, checked: readonly CheckedEntry[]): Promise<Step> {
  const { batchMerges } = deps
  const { repo, git, branch, batch } = context
  const merges = checked.map((merge) => ({ ...merge, oid: merge.entry.oid }))
  if (merges.at(-1)?.oid !== batch.oid) {
    await scheduleRebuild(deps, context)
    return 'again'
  }
  const outcome = await batchMerges.move({
    repo,
    git,
    branch,
    baseOid: batch.baseOid,
    merges,
    async claim(tx) {
      await repoQueries.lock(tx, context.repoId)
      const locked = await lockBatch(tx, batch.id)
      if (locked?.state !== 'testing' || locked.oid !== batch.oid)
        throw conflict('the batch was changed by another process')
      await updateBatch(tx, batch.id, { state: 'merging' })
    },
  })
  switch (outcome.kind) {
    case 'moved':
      return 'again'
    case 'stale':
      await scheduleRebuild(deps, context)
      return 'again'
    case 'changed':
      return checkLater(deps, context)
    case 'refused':
      await returnToTest(deps, context)
      await removeEntry(deps, context, checked[0]!.entry, outcome.reason)
      return 'again'
  }
}

/**
 * Resumes a batch that another process is merging or was merging when it was killed. Merged pull requests are no longer
 * in the queue.
 */
async function resumeBatch(deps: WorkerDeps, context: BatchContext): Promise<Step> {
  const { database, batchMerges } = deps
  const entries = await listEntriesOfBatch(database.read, context, context.batch.id)
  const pullIds = entries.map(({ pullId }) => pullId)
  if (!(await batchMerges.resume(context.repo, pullIds))) return checkLater(deps, context)
  await returnToTest(deps, context)
  return 'again'
}

/** Does nothing when the batch was deleted or has changed. */
async function returnToTest({ database }: WorkerDeps, context: BatchContext): Promise<void> {
  await database.transaction(async (tx) => {
    await repoQueries.lock(tx, context.repoId)
    const batch = await lockBatch(tx, context.batch.id)
    if (batch?.state === 'merging') await updateBatch(tx, batch.id, { state: 'testing' })
  })
}

async function checkLater({ database, jobs }: WorkerDeps, context: BatchContext): Promise<Step> {
  await database.transaction((tx) => enqueueAdvance(jobs, tx, context, { delay: RECHECK_MS, what: 'later' }))
  return 'wait'
}
