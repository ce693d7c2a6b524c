import type { Selectable } from 'kysely'
import { type CredentialRestriction, formatRestriction, parseRestriction } from '../../../../core/access/authorize.ts'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import { asId, type IssueId, type PullId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import { type Page, pageOf, type Paging } from '../../../../core/platform/paging.ts'
import type { MergeAction, MergeRequest } from '../../merges/merge-request.ts'
import type { QueuedBranch } from './batch.store.ts'
import type { MergeQueueEntryTable } from '../merge-queue.table.ts'

/** A pull request in the queue of its base. */
export interface QueueEntry extends QueuedBranch {
  readonly pullId: PullId
  readonly issueId: IssueId
  /** The account that queued the pull request and will merge it. */
  readonly actorId: UserId
  /** The restriction of the credentials that queued it. */
  readonly restriction: CredentialRestriction | undefined
  readonly request: MergeRequest
  /** The head at the time of queueing. */
  readonly headOid: string
  /** 0 while the entry is in no batch. */
  readonly batchId: number
  /** The commit that merges this entry within its batch; empty before it is built. */
  readonly oid: string
  /** The failed batch whose parts are being tested; 0 for none. */
  readonly suspectId: number
  /** The maximum size of the next batch of a suspect. */
  readonly maxBatch: number
  /** Why its last batch failed; empty for none. */
  readonly failure: string
  /** Epoch milliseconds. */
  readonly at: number
}

const toEntry = (row: Selectable<MergeQueueEntryTable>): QueueEntry => ({
  pullId: asId(row.pull_id),
  issueId: asId(row.issue_id),
  repoId: asId(row.repo_id),
  branch: row.branch,
  actorId: asId(row.actor_id),
  restriction: parseRestriction(row.restriction),
  request: {
    action: row.style as MergeAction,
    title: row.title,
    message: row.message,
    headOid: row.head_oid,
    mergedOid: '',
    isForced: false,
    deletesBranch: row.deletes_branch === '' ? undefined : row.deletes_branch === 'yes',
  },
  headOid: row.head_oid,
  batchId: row.batch_id,
  oid: row.oid,
  suspectId: row.suspect_id,
  maxBatch: row.max_batch,
  failure: row.failure,
  at: row.created_at,
})

const ofBranch = (db: Db, { repoId, branch }: QueuedBranch) =>
  db.selectFrom('merge_queue_entry').where('repo_id', '=', repoId).where('branch', '=', branch)

export async function findEntry(db: Db, pullId: PullId): Promise<QueueEntry | undefined> {
  const row = await db.selectFrom('merge_queue_entry').selectAll().where('pull_id', '=', pullId).executeTakeFirst()
  return row && toEntry(row)
}

/** The whole queue from its head; a setting limits its length. */
export async function listEntries(db: Db, branch: QueuedBranch): Promise<QueueEntry[]> {
  const rows = await ofBranch(db, branch).selectAll().orderBy('position').orderBy('pull_id').execute()
  return rows.map(toEntry)
}

/** A page of the queue; each entry has its position, from 1. */
export async function listEntryPage(
  db: Db,
  branch: QueuedBranch,
  paging: Paging,
): Promise<Page<QueueEntry & { readonly position: number }>> {
  return pageOf(
    (await listEntries(db, branch)).map((entry, index) => ({ ...entry, position: index + 1 })),
    paging,
  )
}

/** The entries of a batch, in queue order. */
export async function listEntriesOfBatch(db: Db, branch: QueuedBranch, batchId: number): Promise<QueueEntry[]> {
  return (await listEntries(db, branch)).filter((entry) => entry.batchId === batchId)
}

export async function countEntries(db: Db, branch: QueuedBranch): Promise<number> {
  const { count } = await ofBranch(db, branch)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The branches of a repository that have a queue. */
export const listQueuedBranches = async (db: Db, repoId: RepoId): Promise<string[]> =>
  (await queuedBranches(db, { repoId })).map((row) => row.branch)

const queuedBranches = defineQuery((db, { repoId }: { repoId: RepoId }) =>
  db.selectFrom('merge_queue_entry').select('branch').distinct().where('repo_id', '=', repoId).orderBy('branch'),
)

/** Every branch that has a queue. */
export async function listAllQueuedBranches(db: Db): Promise<QueuedBranch[]> {
  const rows = await db.selectFrom('merge_queue_entry').select(['repo_id', 'branch']).distinct().execute()
  return rows.map((row) => ({ repoId: asId(row.repo_id), branch: row.branch }))
}

interface NewEntry extends QueuedBranch {
  readonly pullId: PullId
  readonly issueId: IssueId
  readonly actorId: UserId
  readonly restriction: CredentialRestriction | undefined
  readonly request: MergeRequest
  readonly headOid: string
  readonly at: number
}

/** Appends the entry to the queue. The caller has locked the repository and found no entry of the pull request. */
export async function insertEntry(tx: Tx, entry: NewEntry): Promise<void> {
  const { last } = await ofBranch(tx, entry)
    .select((eb) => eb.fn.max('position').as('last'))
    .executeTakeFirstOrThrow()
  const { action, title, message, deletesBranch } = entry.request
  const values = {
    pull_id: entry.pullId,
    issue_id: entry.issueId,
    repo_id: entry.repoId,
    branch: entry.branch,
    position: Number(last ?? 0) + 1,
    actor_id: entry.actorId,
    restriction: formatRestriction(entry.restriction),
    style: action,
    title,
    message,
    deletes_branch: deletesBranch === undefined ? '' : deletesBranch ? 'yes' : 'no',
    head_oid: entry.headOid,
    created_at: entry.at,
  }
  await tx.insertInto('merge_queue_entry').values(values).execute()
}

type EntryChange = Partial<Pick<QueueEntry, 'batchId' | 'oid' | 'suspectId' | 'maxBatch' | 'failure'>>

/** Ignores entries that were removed. The caller has locked the repository or the batch. */
export async function updateEntries(tx: Tx, ids: readonly PullId[], change: EntryChange): Promise<void> {
  if (ids.length === 0) return
  const { batchId, oid, suspectId, maxBatch, failure } = change
  const values = {
    ...(batchId !== undefined && { batch_id: batchId }),
    ...(oid !== undefined && { oid }),
    ...(suspectId !== undefined && { suspect_id: suspectId }),
    ...(maxBatch !== undefined && { max_batch: maxBatch }),
    ...(failure !== undefined && { failure }),
  }
  await tx.updateTable('merge_queue_entry').set(values).where('pull_id', 'in', ids).execute()
}

/** Puts the queue in the order of `ids`. */
export async function reorderEntries(tx: Tx, ids: readonly PullId[]): Promise<void> {
  for (const [index, id] of ids.entries())
    await tx
      .updateTable('merge_queue_entry')
      .set({ position: index + 1 })
      .where('pull_id', '=', id)
      .execute()
}

export async function deleteEntry(tx: Tx, pullId: PullId): Promise<void> {
  await tx.deleteFrom('merge_queue_entry').where('pull_id', '=', pullId).execute()
}

/** Moves the queue to the new name of its branch. */
export async function renameQueue(tx: Tx, { repoId, branch }: QueuedBranch, to: string): Promise<void> {
  await tx
    .updateTable('merge_queue_entry')
    .set({ branch: to })
    .where('repo_id', '=', repoId)
    .where('branch', '=', branch)
    .execute()
}
