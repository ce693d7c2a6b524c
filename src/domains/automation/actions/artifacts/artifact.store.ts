import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { selectPage } from '../../../../core/db/page.ts'
import { asId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import type { UsedArtifact } from '../../../accounts/index.ts'
import type { ActionArtifactTable } from '../actions.table.ts'

/** An artifact of a run. Times are epoch milliseconds. */
export interface Artifact {
  readonly id: number
  readonly repoId: RepoId
  readonly runId: number
  readonly name: string
  /** The task that uploaded it. */
  readonly taskId: number
  /** Empty for a zip file. */
  readonly mimeType: string
  /** The hash of the blob, or the name of a list of blocks; empty when the artifact is expired. */
  readonly hash: string
  /** SHA-256 in lower-case hex. */
  readonly digest: string
  /** Bytes. */
  readonly size: number
  readonly isExpired: boolean
  readonly expiresAt: number
  readonly createdAt: number
  readonly updatedAt: number
}

const toArtifact = (row: Selectable<ActionArtifactTable>): Artifact => ({
  id: row.id,
  repoId: asId(row.repo_id),
  runId: row.run_id,
  name: row.name,
  taskId: row.task_id,
  mimeType: row.mime_type,
  hash: row.hash,
  digest: row.digest || row.hash,
  size: row.size,
  isExpired: row.status === 'expired',
  expiresAt: row.expires_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/** The artifacts that clients see: complete uploads of one file. */
const whole = (db: Db) =>
  db.selectFrom('action_artifact').selectAll().where('protocol', '=', 'v4').where('status', 'in', ['ready', 'expired'])

export interface ArtifactFilter {
  readonly repoId: RepoId
  readonly runId?: number | undefined
  /** The exact name. */
  readonly name?: string | undefined
}

/** Sorted by id. */
export function listArtifacts(
  db: Db,
  { repoId, runId, name }: ArtifactFilter,
  paging: Paging,
): Promise<Page<Artifact>> {
  let query = whole(db).where('repo_id', '=', repoId)
  if (runId !== undefined) query = query.where('run_id', '=', runId)
  if (name !== undefined) query = query.where('name', '=', name)
  return selectPage(query.orderBy('id'), paging, toArtifact)
}

/** Returns undefined also for an artifact of another repository. */
export async function findArtifact(db: Db, repoId: RepoId, id: number): Promise<Artifact | undefined> {
  const row = await whole(db).where('repo_id', '=', repoId).where('id', '=', id).executeTakeFirst()
  return row && toArtifact(row)
}

/** An artifact of a run that can be downloaded. */
export async function findReadyArtifact(
  db: Db,
  runId: number,
  key: { readonly name: string } | { readonly id: number },
): Promise<Artifact | undefined> {
  const query = whole(db).where('run_id', '=', runId).where('status', '=', 'ready')
  const row = await (
    'id' in key ? query.where('id', '=', key.id) : query.where('name', '=', key.name)
  ).executeTakeFirst()
  return row && toArtifact(row)
}

/** The artifacts of a run that can be downloaded, sorted by id. */
export async function listReadyArtifacts(db: Db, runId: number, limit: number): Promise<Artifact[]> {
  const rows = await whole(db)
    .where('run_id', '=', runId)
    .where('status', '=', 'ready')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(toArtifact)
}

export async function insertArtifact(tx: Tx, values: Insertable<ActionArtifactTable>): Promise<Artifact> {
  return toArtifact(await tx.insertInto('action_artifact').values(values).returningAll().executeTakeFirstOrThrow())
}

/** Returns the blobs that may be unused now; undefined when the artifact does not exist. */
export async function deleteArtifact(tx: Tx, repoId: RepoId, id: number): Promise<string[] | undefined> {
  const rows = await tx
    .deleteFrom('action_artifact')
    .where('repo_id', '=', repoId)
    .where('id', '=', id)
    .where('protocol', '=', 'v4')
    .where('status', 'in', ['ready', 'expired'])
    .returning('hash')
    .execute()
  return rows.length === 0 ? undefined : hashesOf(rows)
}

/** Deletes all files of an artifact of a run. Returns the blobs that may be unused now. */
export async function deleteArtifactNamed(tx: Tx, runId: number, name: string): Promise<string[]> {
  return hashesOf(
    await tx
      .deleteFrom('action_artifact')
      .where('run_id', '=', runId)
      .where('name', '=', name)
      .returning('hash')
      .execute(),
  )
}

const hashesOf = (rows: readonly { readonly hash: string }[]): string[] =>
  rows.map(({ hash }) => hash).filter((hash) => hash !== '')

/** Artifacts that are stored: expired ones take no space. */
const artifactsOfOwner = (db: Db, ownerId: UserId) =>
  db
    .selectFrom('action_artifact')
    .innerJoin('repo', 'repo.id', 'action_artifact.repo_id')
    .where('repo.owner_id', '=', ownerId)
    .where('action_artifact.hash', '!=', '')

/** Bytes of the artifacts in the repositories of an owner. */
export async function sumArtifacts(db: Db, ownerId: UserId): Promise<number> {
  const { artifacts } = await artifactsOfOwner(db, ownerId)
    .select((eb) => sql<number>`cast(coalesce(sum(${eb.ref('action_artifact.size')}), 0) as bigint)`.as('artifacts'))
    .executeTakeFirstOrThrow()
  return artifacts
}

/** Artifacts in the repositories of an owner, largest first. */
export function listUsedArtifacts(db: Db, ownerId: UserId, paging: Paging): Promise<Page<UsedArtifact>> {
  const query = artifactsOfOwner(db, ownerId)
    .select(['action_artifact.name', 'action_artifact.size', 'repo.name as repo_name', 'action_artifact.run_id'])
    .orderBy('action_artifact.size', 'desc')
    .orderBy('action_artifact.id')
  return selectPage(query, paging, (row): UsedArtifact => ({
    name: row.name,
    size: row.size,
    repoName: row.repo_name,
    runId: row.run_id,
  }))
}
