import type { Tx } from '../../../../core/db/database.ts'
import { branchRef } from '../../../../core/git/index.ts'
import { lockRepo } from '../../../repositories/index.ts'
import { batchRef } from '../queue-refs.ts'
import { deleteBatch, lockBatch, updateBatch } from '../records/batch.store.ts'
import { listEntriesOfBatch, updateEntries } from '../records/entry.store.ts'
import { announceBuilt } from './announce-batch.ts'
import { checkEntries, type CheckedEntry } from './check-entry.ts'
import { removeEntry } from './remove-entry.ts'
import { requiredStatuses } from './required-statuses.ts'
import type { BatchPlace, Step, WorkerDeps } from './worker-deps.ts'

interface BuiltEntry extends CheckedEntry {
  readonly oid: string
}

/**
 * Builds the commits of a batch, one upon the other, and points its ref to the last. One that does not fit upon those
 * before it waits for the next batch; one that does not fit upon the base leaves the queue.
 */
export async function buildBatch(deps: WorkerDeps, place: BatchPlace): Promise<Step> {
  const { database } = deps
  const { git, batch } = place
  const entries = await listEntriesOfBatch(database.read, place, batch.id)
  const checked = await checkEntries(deps, place, entries)
  if (checked === undefined) return 'again'
  const { isRequired } = await requiredStatuses(deps, place)
  // NOTE: maintenance keeps the objects of the merges until the ref points to them.
  await git.writing(async () => {
    const base = (await git.refs.snapshot()).get(branchRef(place.branch))?.oid
    const built = base === undefined ? [] : await buildChain(deps, place, { base, checked })
    if (base === undefined || built === undefined) return
    await git.refs.update(built.slice(-1).map(({ oid }) => ({ ref: batchRef(batch), new: oid })))
    await database.transaction((tx) => recordBuilt(deps, tx, place, { base, built, isRequired }))
  })
  return 'again'
}

interface Chain {
  readonly base: string
  readonly checked: readonly CheckedEntry[]
}

/** Those that fit, with their commits. Undefined when the first does not: it has left the queue then. */
async function buildChain(
  deps: WorkerDeps,
  place: BatchPlace,
  { base, checked }: Chain,
): Promise<BuiltEntry[] | undefined> {
  const built: BuiltEntry[] = []
  for (const merge of checked) {
    const outcome = await deps.batchMerges.build(merge, { git: place.git, base: built.at(-1)?.oid ?? base })
    if ('problem' in outcome) {
      if (built.length > 0) break
      await removeEntry(deps, place, merge.entry, outcome.problem)
      return undefined
    }
    built.push({ ...merge, oid: outcome.oid })
  }
  return built
}

interface Built {
  readonly base: string
  readonly built: readonly BuiltEntry[]
  /** Statuses are required of the commit. */
  readonly isRequired: boolean
}

/** Nothing happens when the batch is another by now. */
async function recordBuilt(
  deps: WorkerDeps,
  tx: Tx,
  place: BatchPlace,
  { base, built, isRequired }: Built,
): Promise<void> {
  await lockRepo(tx, place.repoId)
  const batch = await lockBatch(tx, place.batch.id)
  if (batch?.state !== 'building') return
  const entries = await listEntriesOfBatch(tx, place, batch.id)
  const last = built.at(-1)
  if (last === undefined || built.some(({ entry }, index) => entries[index]?.pullId !== entry.pullId))
    return deleteBatch(tx, batch.id)
  const at = deps.clock.now()
  for (const { entry, oid } of built) await updateEntries(tx, [entry.pullId], { oid })
  const left = entries.slice(built.length).map(({ pullId }) => pullId)
  await updateEntries(tx, left, { batchId: 0, oid: '' })
  const now = { baseOid: base, oid: last.oid, builtAt: at, isAnnounced: false }
  await updateBatch(tx, batch.id, { ...now, state: 'testing' })
  if (isRequired) await announceBuilt(deps, tx, { ...batch, ...now }, built)
}
