import { sql } from 'kysely'
import type { BlobUse } from '../../../core/blobs/index.ts'
import type { Db, Tx } from '../../../core/db/database.ts'
import { isBlobName } from './stored-blocks/stored-block.store.ts'

/** Whether a log, an artifact, an upload or a cache uses this blob or this list of blocks. */
export async function isStoredFileUsed(db: Db, hash: string): Promise<boolean> {
  const { rows } = await sql`select 1 from action_artifact where hash = ${hash}
    union all select 1 from action_upload_block where hash = ${hash}
    union all select 1 from action_cache where hash = ${hash}
    union all select 1 from action_stored_block where hash = ${hash}
    union all select 1 from action_task where log_hash = ${hash} limit 1`.execute(db)
  return rows.length > 0
}

/** The blobs of the logs and artifacts of a run. */
export async function listHashesOfRun(db: Db, runId: number): Promise<string[]> {
  const { rows } = await sql<{ hash: string }>`
    select hash from action_artifact where run_id = ${runId} and hash <> ''
    union select log_hash as hash from action_task inner join action_job on action_job.id = action_task.job_id
      where action_job.run_id = ${runId} and log_hash <> ''`.execute(db)
  return rows.map(({ hash }) => hash)
}

/** Selects files that have expired; at most `limit` of each kind. */
interface Expiry {
  /** Epoch milliseconds: artifacts that expired before this time. */
  readonly now: number
  readonly limit: number
}

/** Marks artifacts as expired. Returns their blobs, which may be unused now. */
export async function expireArtifacts(tx: Tx, { now, limit }: Expiry): Promise<string[]> {
  const due = await tx
    .selectFrom('action_artifact')
    .select(['id', 'hash'])
    .where('status', '=', 'ready')
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit)
    .execute()
  if (due.length === 0) return []
  await tx
    .updateTable('action_artifact')
    .set({ status: 'expired', hash: '', updated_at: now })
    .where(
      'id',
      'in',
      due.map(({ id }) => id),
    )
    .execute()
  return due.map(({ hash }) => hash)
}

/** Deletes files of artifacts that nobody confirmed. Returns their blobs, which may be unused now. */
export async function deleteUnconfirmed(
  tx: Tx,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<string[]> {
  const due = tx
    .selectFrom('action_artifact')
    .select('id')
    .where('status', '=', 'uploading')
    .where('created_at', '<', before)
    .limit(limit)
  const rows = await tx.deleteFrom('action_artifact').where('id', 'in', due).returning('hash').execute()
  return rows.map(({ hash }) => hash)
}

/**
 * Deletes the logs of tasks that stopped before this time (epoch milliseconds). Returns their number, and their blobs,
 * which may be unused now.
 */
export async function expireLogs(
  tx: Tx,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<{ readonly count: number; readonly hashes: string[] }> {
  const due = await tx
    .selectFrom('action_task')
    .select(['id', 'log_hash'])
    .where('is_log_expired', '=', 0)
    .where('stopped_at', '>', 0)
    .where('stopped_at', '<', before)
    .orderBy('stopped_at')
    .limit(limit)
    .execute()
  if (due.length === 0) return { count: 0, hashes: [] }
  const ids = due.map(({ id }) => id)
  await tx.deleteFrom('action_log').where('task_id', 'in', ids).execute()
  await tx.updateTable('action_task').set({ is_log_expired: 1, log_hash: '' }).where('id', 'in', ids).execute()
  return { count: due.length, hashes: due.map((row) => row.log_hash).filter((hash) => hash !== '') }
}

/** The next stored artifacts, ordered by id. */
export async function listArtifactUsesAfter(db: Db, after: number, limit: number): Promise<BlobUse[]> {
  const rows = await db
    .selectFrom('action_artifact')
    .innerJoin('repo', 'repo.id', 'action_artifact.repo_id')
    .innerJoin('user', 'user.id', 'repo.owner_id')
    .select([
      'action_artifact.id',
      'action_artifact.name',
      'action_artifact.hash',
      'action_artifact.size',
      'repo.name as repo',
      'user.name as owner',
    ])
    .where('action_artifact.id', '>', after)
    .where('action_artifact.hash', '!=', '')
    .where(isBlobName('action_artifact.hash'))
    .orderBy('action_artifact.id')
    .limit(limit)
    .execute()
  return rows.map(({ id, name, hash, size, repo, owner }) => ({
    id,
    repo: `${owner}/${repo}`,
    label: name,
    hash,
    size,
  }))
}

/** The next stored logs, ordered by the id of their task. */
export async function listLogUsesAfter(db: Db, after: number, limit: number): Promise<BlobUse[]> {
  const rows = await db
    .selectFrom('action_task')
    .innerJoin('repo', 'repo.id', 'action_task.repo_id')
    .innerJoin('user', 'user.id', 'repo.owner_id')
    .select([
      'action_task.id',
      'action_task.log_hash',
      'action_task.log_size',
      'repo.name as repo',
      'user.name as owner',
    ])
    .where('action_task.id', '>', after)
    .where('log_hash', '!=', '')
    .orderBy('action_task.id')
    .limit(limit)
    .execute()
  return rows.map(({ id, log_hash: hash, log_size: size, repo, owner }) => ({
    id,
    repo: `${owner}/${repo}`,
    label: `of task ${id}`,
    hash,
    size,
  }))
}
