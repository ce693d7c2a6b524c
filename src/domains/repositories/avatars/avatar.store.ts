import type { Db, Tx } from '../../../core/db/database.ts'
import type { AvatarTable } from './avatar.table.ts'

export interface Avatar {
  readonly hash: string
  readonly blob: string
  readonly mediaType: string
}

const toAvatar = (row: AvatarTable): Avatar => ({ hash: row.hash, blob: row.blob, mediaType: row.media_type })

export async function findAvatar(db: Db, hash: string): Promise<Avatar | undefined> {
  const row = await db.selectFrom('avatar').selectAll().where('hash', '=', hash).executeTakeFirst()
  return row && toAvatar(row)
}

export async function insertAvatar(tx: Tx, { hash, blob, mediaType }: Avatar, at: number): Promise<void> {
  const row = { hash, blob, media_type: mediaType, created_at: at }
  await tx
    .insertInto('avatar')
    .values(row)
    .onConflict((conflict) => conflict.column('hash').doUpdateSet({ created_at: at }))
    .execute()
}

/** Deletes the rows of images that no account or repository refers to; returns their blobs. */
export async function deleteUnusedAvatars(tx: Tx): Promise<string[]> {
  const rows = await tx
    .deleteFrom('avatar')
    .where((eb) => eb.not(eb.exists(eb.selectFrom('user').select('id').whereRef('user.avatar', '=', 'avatar.hash'))))
    .where((eb) => eb.not(eb.exists(eb.selectFrom('repo').select('id').whereRef('repo.avatar', '=', 'avatar.hash'))))
    .returning('blob')
    .execute()
  return rows.map((row) => row.blob)
}

export async function isAvatarBlobUsed(db: Db, blob: string): Promise<boolean> {
  return (await db.selectFrom('avatar').select('hash').where('blob', '=', blob).executeTakeFirst()) !== undefined
}
