import type { Selectable } from 'kysely'
import type { Db, Tx } from '../../../core/db/database.ts'
import { selectPage } from '../../../core/db/page.ts'
import { asId, type UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import type { GpgKeyTable } from './keys.table.ts'

export interface GpgSubkey {
  readonly id: number
  /** 16 upper-case hex digits. */
  readonly keyId: string
  /** The key id of the primary key; undefined on a primary key. */
  readonly primaryKeyId: string | undefined
  readonly packet: string
  readonly canSign: boolean
  readonly canEncrypt: boolean
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds; undefined if the key never expires. */
  readonly expiresAt: number | undefined
}

export interface GpgKey extends GpgSubkey {
  readonly userId: UserId
  readonly armored: string
  /** Identities of the key that are activated addresses of its owner at present. */
  readonly emails: readonly string[]
  readonly isVerified: boolean
  readonly subkeys: readonly GpgSubkey[]
}

export interface NewGpgKey extends Omit<GpgSubkey, 'id' | 'primaryKeyId' | 'createdAt'> {
  readonly armored: string
  /** Lower-case addresses of the identities. */
  readonly emails: readonly string[]
  readonly isVerified: boolean
  readonly subkeys: readonly Omit<GpgSubkey, 'id' | 'primaryKeyId' | 'createdAt'>[]
}

type Row = Selectable<GpgKeyTable>

function toSubkey(row: Row): GpgSubkey {
  return {
    id: row.id,
    keyId: row.key_id,
    primaryKeyId: row.primary_key_id || undefined,
    packet: row.packet,
    canSign: row.can_sign === 1,
    canEncrypt: row.can_encrypt === 1,
    createdAt: row.created_at,
    expiresAt: row.expires_at || undefined,
  }
}

/** Primary keys in order of id. */
export async function listGpgKeys(db: Db, userId: UserId, paging: Paging): Promise<Page<GpgKey>> {
  const query = db.selectFrom('gpg_key').where('user_id', '=', userId).where('primary_key_id', '=', '')
  const { items, total } = await selectPage(query.selectAll().orderBy('id'), paging, (row) => row)
  return { items: await withSubkeys(db, items), total }
}

/** Every primary key of a user in its uploaded form, in order of id. */
export async function listArmoredGpgKeys(db: Db, userId: UserId): Promise<string[]> {
  const rows = await db
    .selectFrom('gpg_key')
    .select('armored')
    .where('user_id', '=', userId)
    .where('primary_key_id', '=', '')
    .orderBy('id')
    .execute()
  return rows.map((row) => row.armored)
}

/** A primary key by the id of its row. */
export async function findGpgKey(db: Db, id: number): Promise<GpgKey | undefined> {
  const rows = await db
    .selectFrom('gpg_key')
    .selectAll()
    .where('id', '=', id)
    .where('primary_key_id', '=', '')
    .execute()
  return (await withSubkeys(db, rows))[0]
}

/** Primary keys by key ids (their own or a subkey's, in upper case), by three queries whatever their number. */
export async function findGpgKeysByKeyIds(db: Db, keyIds: readonly string[]): Promise<Map<string, GpgKey>> {
  const wanted = [...new Set(keyIds.map((keyId) => keyId.toUpperCase()))]
  if (wanted.length === 0) return new Map()
  const rows = await db
    .selectFrom('gpg_key')
    .select(['key_id', 'primary_key_id'])
    .where('key_id', 'in', wanted)
    .execute()
  const primaryOf = new Map(rows.map((row) => [row.key_id, row.primary_key_id || row.key_id]))
  if (primaryOf.size === 0) return new Map()
  const primaries = await db
    .selectFrom('gpg_key')
    .selectAll()
    .where('key_id', 'in', [...new Set(primaryOf.values())])
    .execute()
  const keys = new Map((await withSubkeys(db, primaries)).map((key) => [key.keyId, key]))
  return new Map([...primaryOf].flatMap(([keyId, primary]) => (keys.has(primary) ? [[keyId, keys.get(primary)!]] : [])))
}

async function withSubkeys(db: Db, rows: readonly Row[]): Promise<GpgKey[]> {
  if (rows.length === 0) return []
  const owners = [...new Set(rows.map((row) => row.user_id))]
  const [subkeys, addresses] = await Promise.all([
    db
      .selectFrom('gpg_key')
      .selectAll()
      .where(
        'primary_key_id',
        'in',
        rows.map((row) => row.key_id),
      )
      .orderBy('id')
      .execute(),
    db
      .selectFrom('email_address')
      .select(['user_id', 'email', 'lower_email'])
      .where('user_id', 'in', owners)
      .where('is_activated', '=', 1)
      .orderBy('id')
      .execute(),
  ])
  return rows.map((row) => {
    const identities = new Set(JSON.parse(row.emails) as string[])
    return {
      ...toSubkey(row),
      userId: asId(row.user_id),
      armored: row.armored,
      emails: addresses
        .filter((address) => address.user_id === row.user_id && identities.has(address.lower_email))
        .map((address) => address.email),
      isVerified: row.is_verified === 1,
      subkeys: subkeys.filter((subkey) => subkey.primary_key_id === row.key_id).map(toSubkey),
    }
  })
}

/**
 * Inserts a key with its subkeys and returns the id of its row. Returns undefined when one of the key ids exists
 * already; the caller must then roll back the transaction.
 */
export async function claimGpgKey(tx: Tx, userId: UserId, key: NewGpgKey, at: number): Promise<number | undefined> {
  const rows = [key, ...key.subkeys].map((part, index) => ({
    user_id: userId,
    key_id: part.keyId,
    primary_key_id: index === 0 ? '' : key.keyId,
    packet: part.packet,
    armored: index === 0 ? key.armored : '',
    emails: index === 0 ? JSON.stringify(key.emails) : '[]',
    can_sign: part.canSign ? (1 as const) : (0 as const),
    can_encrypt: part.canEncrypt ? (1 as const) : (0 as const),
    is_verified: key.isVerified ? (1 as const) : (0 as const),
    created_at: at,
    expires_at: part.expiresAt ?? 0,
  }))
  const made = await tx
    .insertInto('gpg_key')
    .values(rows)
    .onConflict((conflict) => conflict.column('key_id').doNothing())
    .returning(['id', 'primary_key_id'])
    .execute()
  return made.length === rows.length ? made.find((row) => row.primary_key_id === '')!.id : undefined
}

export async function setGpgKeyVerified(tx: Tx, keyId: string): Promise<void> {
  await tx
    .updateTable('gpg_key')
    .set({ is_verified: 1 })
    .where((eb) => eb.or([eb('key_id', '=', keyId), eb('primary_key_id', '=', keyId)]))
    .execute()
}

/** Deletes a primary key with its subkeys. Returns false when it does not exist. */
export async function deleteGpgKey(tx: Tx, keyId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('gpg_key')
    .where((eb) => eb.or([eb('key_id', '=', keyId), eb('primary_key_id', '=', keyId)]))
    .executeTakeFirst()
  return numDeletedRows > 0n
}
