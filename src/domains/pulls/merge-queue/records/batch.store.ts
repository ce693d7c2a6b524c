import type { Selectable } from 'kysely'
import { type Db, dialectOf, type Tx } from '../../../../core/db/database.ts'
import { asId, type RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { MergeQueueBatchTable } from '../merge-queue.table.ts'

/** `building`: the commit does not exist yet; `testing`: waiting for statuses; `merging`: the base is being moved. */
type BatchState = 'building' | 'testing' | 'merging'

export interface Batch {
  readonly id: number
  readonly repoId: RepoId
  readonly branch: string
  readonly state: BatchState
  /** The tip of the base that the batch is built upon; empty before the build. */
  readonly baseOid: string
  /** The commit that merges all pull requests of the batch; empty before it is built. */
  readonly oid: string
  /** Epoch milliseconds; 0 before it is built. */
  readonly builtAt: number
  /** The event of the built commit was written. */
  readonly isAnnounced: boolean
}

/** A branch with a queue. */
export interface QueuedBranch {
  readonly repoId: RepoId
  readonly branch: string
}

const toBatch = (row: Selectable<MergeQueueBatchTable>): Batch => ({
  id: row.id,
  repoId: asId(row.repo_id),
  branch: row.branch,
  state: row.state as BatchState,
  baseOid: row.base_oid,
  oid: row.oid,
  builtAt: row.built_at,
  isAnnounced: row.is_announced === 1,
})

export async function findBatch(db: Db, { repoId, branch }: QueuedBranch): Promise<Batch | undefined> {
  const row = await db
    .selectFrom('merge_queue_batch')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('branch', '=', branch)
    .executeTakeFirst()
  return row && toBatch(row)
}

/** Locks the row until the transaction ends. Undefined when the batch was deleted. */
export async function lockBatch(tx: Tx, id: number): Promise<Batch | undefined> {
  const query = tx.selectFrom('merge_queue_batch').selectAll().where('id', '=', id)
  const row = await dialectOf(tx).lockRows(query).executeTakeFirst()
  return row && toBatch(row)
}

/** The batches whose built commit is `oid`. */
export async function listBatchesOf(
  db: Db,
  { repoId, oid }: { readonly repoId: RepoId; readonly oid: string },
): Promise<Batch[]> {
  const rows = await db
    .selectFrom('merge_queue_batch')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('oid', '=', oid)
    .execute()
  return rows.map(toBatch)
}

/** The caller has locked the repository and found no batch of the branch. */
export async function insertBatch(tx: Tx, { repoId, branch }: QueuedBranch, at: number): Promise<Batch> {
  const row = { repo_id: repoId, branch, state: 'building', created_at: at }
  return toBatch(await tx.insertInto('merge_queue_batch').values(row).returningAll().executeTakeFirstOrThrow())
}

/** The caller has locked the row. */
export async function updateBatch(
  tx: Tx,
  id: number,
  {
    state,
    baseOid,
    oid,
    builtAt,
    isAnnounced,
  }: Partial<Pick<Batch, 'state' | 'baseOid' | 'oid' | 'builtAt' | 'isAnnounced'>>,
): Promise<void> {
  const values = {
    ...(state !== undefined && { state }),
    ...(baseOid !== undefined && { base_oid: baseOid }),
    ...(oid !== undefined && { oid }),
    ...(builtAt !== undefined && { built_at: builtAt }),
    ...(isAnnounced !== undefined && { is_announced: isAnnounced ? 1 : 0 }),
  }
  await tx.updateTable('merge_queue_batch').set(values).where('id', '=', id).execute()
}

export async function deleteBatch(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('merge_queue_batch').where('id', '=', id).execute()
}
