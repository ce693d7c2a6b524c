import type { Db, Tx } from '../../db/database.ts'
import { asId, type RepoId, type UserId } from '../../platform/ids.ts'
import type { Page, Paging } from '../../platform/paging.ts'

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
  readonly createdAt: number
  /** 0: never. */
  readonly lastUsedAt: number
}

/**
 * Claims a fingerprint for one kind of use and returns the id of the key: a user's key can be nothing else, a deploy key
 * serves any number of repositories. Undefined when the other kind has claimed it or, for users, any user.
 */
export async function claimPublicKey(tx: Tx, key: StoredKey, kind: 'user' | 'deploy'): Promise<number | undefined> {
  const { algorithm, blob, fingerprint } = key
  const held = await tx
    .selectFrom('public_key')
    .select(['id', 'kind'])
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst()
  if (held === undefined)
    return (
      await tx
        .insertInto('public_key')
        .values({ algorithm, blob, fingerprint, kind })
        .returning('id')
        .executeTakeFirstOrThrow()
    ).id
  if (kind === 'deploy' && held.kind === 'deploy') return held.id
  if (await isKeyInUse(tx, held.id)) return undefined
  await tx.updateTable('public_key').set({ kind }).where('id', '=', held.id).execute()
  return held.id
}

/** False for the keys of deleted repositories and users, whose rows remain. */
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
    algorithm,
    blob,
    fingerprint,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
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
  const rows = await query.orderBy('user_key.id').limit(paging.limit).offset(paging.offset).execute()
  const { total } = await query
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { items: rows.map(toUserKey), total }
}

export async function findUserKey(db: Db, id: number): Promise<UserKey | undefined> {
  const row = await userKeys(db).where('user_key.id', '=', id).executeTakeFirst()
  return row && toUserKey(row)
}

/** The user of a key, or the repositories that it may deploy to. */
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

/**
 * Of these fingerprints the users' keys whose owner has signed in with them, which proves that they have the private
 * part.
 */
export async function listProvenKeys(db: Db, fingerprints: readonly string[]): Promise<UserKey[]> {
  if (fingerprints.length === 0) return []
  const rows = await userKeys(db)
    .where('public_key.fingerprint', 'in', [...new Set(fingerprints)])
    .where('user_key.last_used_at', '>', 0)
    .execute()
  return rows.map(toUserKey)
}

/** The fingerprint of a user's or a deploy key by the id of its row; undefined once it is deleted. */
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
  values: { key_id: number; user_id: UserId; title: string; comment: string; created_at: number },
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

/** The key leaves the space of fingerprints too. */
export async function deleteUserKey(tx: Tx, id: number): Promise<void> {
  await tx
    .deleteFrom('public_key')
    .where('id', 'in', (eb) => eb.selectFrom('user_key').select('key_id').where('id', '=', id))
    .execute()
}

/** A public key of deploy keys leaves the space of fingerprints unless a repository still uses it. */
export async function deleteUnusedPublicKey(tx: Tx, keyId: number): Promise<void> {
  await tx
    .deleteFrom('public_key')
    .where('id', '=', keyId)
    .where((eb) =>
      eb.not(eb.exists(eb.selectFrom('deploy_key').select('deploy_key.id').where('deploy_key.key_id', '=', keyId))),
    )
    .execute()
}

/** All SSH keys of a user leave the space of fingerprints. */
export async function deletePublicKeysOf(tx: Tx, userId: UserId): Promise<void> {
  await tx
    .deleteFrom('public_key')
    .where('id', 'in', (eb) => eb.selectFrom('user_key').select('key_id').where('user_id', '=', userId))
    .execute()
}
