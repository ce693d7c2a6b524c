import type { Insertable } from 'kysely'
import type { Db, Tx } from '../../../core/db/database.ts'
import { selectPage } from '../../../core/db/page.ts'
import { asId, type RepoId, type UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import type { UserKeyTable } from './keys.table.ts'

export interface StoredKey {
  readonly algorithm: string
  /** In SSH wire form, base64. */
  readonly blob: string
  readonly fingerprint: string
}

export interface UserKey extends StoredKey {
  readonly id: number
  readonly userId: UserId
  readonly title: string
  readonly comment: string
  /** The sign-in source that gave the key; 0 for keys that users added. */
  readonly sourceId: number
  readonly createdAt: number
  /** Epoch milliseconds; undefined if never used. */
  readonly lastUsedAt: number | undefined
}

/**
 * Claims a fingerprint for one kind of use and returns the id of the public key. A user key belongs to one user; a
 * deploy key may belong to several repositories. Undefined when the fingerprint is in use as the other kind or, for
 * users, by any user.
 */
export async function claimPublicKey(tx: Tx, key: StoredKey, kind: 'user' | 'deploy'): Promise<number | undefined> {
  const { algorithm, blob, fingerprint } = key
  const existing = await tx
    .selectFrom('public_key')
    .select(['id', 'kind'])
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst()
  if (existing === undefined)
    return (
      await tx
        .insertInto('public_key')
        .values({ algorithm, blob, fingerprint, kind })
        .returning('id')
        .executeTakeFirstOrThrow()
    ).id
  if (kind === 'deploy' && existing.kind === 'deploy') return existing.id
  if (await isKeyInUse(tx, existing.id)) return undefined
  await tx.updateTable('public_key').set({ kind }).where('id', '=', existing.id).execute()
  return existing.id
}

/** False for public keys whose repositories and users were deleted. */
async function isKeyInUse(tx: Tx, keyId: number): Promise<boolean> {
  const user = await tx.selectFrom('user_key').select('id').where('key_id', '=', keyId).executeTakeFirst()
  return (
    user !== undefined ||
    (await tx.selectFrom('deploy_key').select('id').where('key_id', '=', keyId).limit(1).executeTakeFirst()) !==
      undefined
  )
}

const userKeys = (db: Db) =>
  db
    .selectFrom('user_key')
    .innerJoin('public_key', 'public_key.id', 'user_key.key_id')
    .select([
      'user_key.id',
      'user_key.user_id',
      'user_key.title',
      'user_key.comment',
      'user_key.source_id',
      'user_key.created_at',
      'user_key.last_used_at',
      'public_key.algorithm',
      'public_key.blob',
      'public_key.fingerprint',
    ])

type UserKeyRow = Awaited<ReturnType<ReturnType<typeof userKeys>['executeTakeFirstOrThrow']>>

function toUserKey(row: UserKeyRow): UserKey {
  const { algorithm, blob, fingerprint, id, title, comment } = row
  return {
    id,
    userId: asId(row.user_id),
    title,
    comment,
    sourceId: row.source_id,
    algorithm,
    blob,
    fingerprint,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at || undefined,
  }
}

/** In order of id; of all users when `userId` is undefined. */
export async function listUserKeys(
  db: Db,
  filter: { userId: UserId | undefined; fingerprint: string | undefined },
  paging: Paging,
): Promise<Page<UserKey>> {
  const query = userKeys(db)
    .$if(filter.userId !== undefined, (q) => q.where('user_key.user_id', '=', filter.userId!))
    .$if(filter.fingerprint !== undefined, (q) => q.where('public_key.fingerprint', '=', filter.fingerprint!))
  return selectPage(query.orderBy('user_key.id'), paging, toUserKey)
}

/** The keys of a user that a sign-in source gave. */
export async function listKeysOfSource(db: Db, userId: UserId, sourceId: number): Promise<UserKey[]> {
  const rows = await userKeys(db)
    .where('user_key.user_id', '=', userId)
    .where('user_key.source_id', '=', sourceId)
    .execute()
  return rows.map(toUserKey)
}

export async function findUserKey(db: Db, id: number): Promise<UserKey | undefined> {
  const row = await userKeys(db).where('user_key.id', '=', id).executeTakeFirst()
  return row && toUserKey(row)
}

/** The user of a key, or the repositories that have it as a deploy key. */
export async function findKeyUse(
  db: Db,
  fingerprint: string,
): Promise<{ user: UserKey | undefined; repos: { id: number; title: string; repoId: RepoId; isReadOnly: boolean }[] }> {
  const row = await userKeys(db).where('public_key.fingerprint', '=', fingerprint).executeTakeFirst()
  if (row !== undefined) return { user: toUserKey(row), repos: [] }
  const deploys = await db
    .selectFrom('deploy_key')
    .innerJoin('public_key', 'public_key.id', 'deploy_key.key_id')
    .select(['deploy_key.id', 'deploy_key.title', 'deploy_key.repo_id', 'deploy_key.is_read_only'])
    .where('public_key.fingerprint', '=', fingerprint)
    .execute()
  return {
    user: undefined,
    repos: deploys.map((deploy) => ({
      id: deploy.id,
      title: deploy.title,
      repoId: asId(deploy.repo_id),
      isReadOnly: deploy.is_read_only === 1,
    })),
  }
}

/** The user keys of these fingerprints that were used to sign in, which proves that the owner has the private key. */
export async function listProvenKeys(db: Db, fingerprints: readonly string[]): Promise<UserKey[]> {
  if (fingerprints.length === 0) return []
  const rows = await userKeys(db)
    .where('public_key.fingerprint', 'in', [...new Set(fingerprints)])
    .where('user_key.last_used_at', '>', 0)
    .execute()
  return rows.map(toUserKey)
}

/** The fingerprint of a user or deploy key by the id of its row; undefined after its deletion. */
export async function findKeyFingerprint(db: Db, kind: 'user' | 'deploy', id: number): Promise<string | undefined> {
  const table = kind === 'user' ? 'user_key' : 'deploy_key'
  const row = await db
    .selectFrom('public_key')
    .select('fingerprint')
    .where('id', 'in', (eb) => eb.selectFrom(table).select('key_id').where('id', '=', id))
    .executeTakeFirst()
  return row?.fingerprint
}

export async function isKeyTitleTaken(db: Db, userId: UserId, title: string): Promise<boolean> {
  return (
    (await db
      .selectFrom('user_key')
      .select('id')
      .where('user_id', '=', userId)
      .where('title', '=', title)
      .executeTakeFirst()) !== undefined
  )
}

export async function insertUserKey(
  tx: Tx,
  values: Insertable<UserKeyTable> & { readonly user_id: UserId },
): Promise<number> {
  return (await tx.insertInto('user_key').values(values).returning('id').executeTakeFirstOrThrow()).id
}

export async function updateUserKeyUse(tx: Tx, id: number, at: number): Promise<void> {
  await tx
    .updateTable('user_key')
    .set({ last_used_at: at })
    .where('id', '=', id)
    .where('last_used_at', '<', at)
    .execute()
}

/** Deletes the key of a user with its public key, which frees the fingerprint. Returns false when it does not exist. */
export async function deleteUserKey(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('public_key')
    .where('id', 'in', (eb) => eb.selectFrom('user_key').select('key_id').where('id', '=', id))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Deletes a public key, which frees its fingerprint, unless a repository uses it as a deploy key. */
export async function deleteUnusedPublicKey(tx: Tx, keyId: number): Promise<void> {
  await tx
    .deleteFrom('public_key')
    .where('id', '=', keyId)
    .where((eb) =>
      eb.not(eb.exists(eb.selectFrom('deploy_key').select('deploy_key.id').where('deploy_key.key_id', '=', keyId))),
    )
    .execute()
}

/** Deletes the public keys of all SSH keys of a user. */
export async function deletePublicKeysOf(tx: Tx, userId: UserId): Promise<void> {
  await tx
    .deleteFrom('public_key')
    .where('id', 'in', (eb) => eb.selectFrom('user_key').select('key_id').where('user_id', '=', userId))
    .execute()
}
