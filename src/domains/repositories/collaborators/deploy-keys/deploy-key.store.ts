import type { Db, Tx } from '../../../../core/db/database.ts'
import type { Flag } from '../../../../core/db/flag.ts'
import { selectPage } from '../../../../core/db/page.ts'
import { asId, type RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { type StoredKey, keyQueries } from '../../../accounts/index.ts'

/** A key that authenticates for one repository. */
export interface DeployKey extends StoredKey {
  readonly id: number
  /** The id of the public key, shared by all its deploy keys. */
  readonly keyId: number
  readonly repoId: RepoId
  readonly title: string
  readonly comment: string
  readonly isReadOnly: boolean
  readonly createdAt: number
}

export interface DeployKeyFilter {
  readonly keyId?: number | undefined
  readonly fingerprint?: string | undefined
}

const deployKeys = (db: Db, repoId: RepoId) =>
  db
    .selectFrom('deploy_key')
    .innerJoin('public_key', 'public_key.id', 'deploy_key.key_id')
    .select([
      'deploy_key.id',
      'deploy_key.key_id',
      'deploy_key.repo_id',
      'deploy_key.title',
      'deploy_key.comment',
      'deploy_key.is_read_only',
      'deploy_key.created_at',
      'public_key.algorithm',
      'public_key.blob',
      'public_key.fingerprint',
    ])
    .where('deploy_key.repo_id', '=', repoId)

type DeployKeyRow = Awaited<ReturnType<ReturnType<typeof deployKeys>['executeTakeFirstOrThrow']>>

function toDeployKey({ id, title, comment, algorithm, blob, fingerprint, ...row }: DeployKeyRow): DeployKey {
  return {
    id,
    keyId: row.key_id,
    repoId: asId(row.repo_id),
    title,
    comment,
    algorithm,
    blob,
    fingerprint,
    isReadOnly: row.is_read_only === 1,
    createdAt: row.created_at,
  }
}

/** Deploy keys ordered by id. */
export async function listDeployKeys(
  db: Db,
  repoId: RepoId,
  { keyId, fingerprint }: DeployKeyFilter,
  paging: Paging,
): Promise<Page<DeployKey>> {
  const query = deployKeys(db, repoId)
    .$if(keyId !== undefined, (q) => q.where('deploy_key.key_id', '=', keyId!))
    .$if(fingerprint !== undefined, (q) => q.where('public_key.fingerprint', '=', fingerprint!))
  return selectPage(query.orderBy('deploy_key.id'), paging, toDeployKey)
}

export async function findDeployKey(db: Db, repoId: RepoId, id: number): Promise<DeployKey | undefined> {
  const row = await deployKeys(db, repoId).where('deploy_key.id', '=', id).executeTakeFirst()
  return row && toDeployKey(row)
}

/** The part of a new key that an existing deploy key of the repository has too. */
export async function findDeployKeyClash(
  db: Db,
  repoId: RepoId,
  { keyId, title }: { keyId: number; title: string },
): Promise<'key' | 'title' | undefined> {
  const rows = await db
    .selectFrom('deploy_key')
    .select(['key_id', 'title'])
    .where('repo_id', '=', repoId)
    .where((eb) => eb.or([eb('key_id', '=', keyId), eb('title', '=', title)]))
    .execute()
  if (rows.some((row) => row.key_id === keyId)) return 'key'
  return rows.length > 0 ? 'title' : undefined
}

export async function insertDeployKey(
  tx: Tx,
  values: { key_id: number; repo_id: RepoId; title: string; comment: string; is_read_only: Flag; created_at: number },
): Promise<number> {
  return (await tx.insertInto('deploy_key').values(values).returning('id').executeTakeFirstOrThrow()).id
}

export async function updateDeployKeyUse(tx: Tx, id: number, at: number): Promise<void> {
  await tx
    .updateTable('deploy_key')
    .set({ last_used_at: at })
    .where('id', '=', id)
    .where('last_used_at', '<', at)
    .execute()
}

/** Deletes its public key too if no other repository uses it. */
export async function deleteDeployKey(tx: Tx, { id, keyId }: DeployKey): Promise<void> {
  await tx.deleteFrom('deploy_key').where('id', '=', id).execute()
  await keyQueries.deleteUnused(tx, keyId)
}
