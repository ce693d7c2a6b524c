import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { selectPage } from '../../../../core/db/page.ts'
import { asId, type RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import type { PushMirrorTable } from './push-mirror.table.ts'

export type NewPushMirrorRow = Insertable<PushMirrorTable>

/** Durations are milliseconds, times epoch milliseconds; credentials and the private key are encrypted. */
export interface PushMirror {
  readonly id: number
  readonly repoId: RepoId
  readonly remoteName: string
  /** The address without credentials. */
  readonly remoteUrl: string
  readonly credentials: string
  /** One line in OpenSSH format; empty unless the mirror uses SSH. */
  readonly publicKey: string
  readonly privateKey: string
  /** The filter as the client sent it; empty for all branches. */
  readonly branchFilter: string
  readonly interval: number
  readonly isOnCommit: boolean
  /** 0 before the first successful push. */
  readonly pushedAt: number
  /** Id of the last row of `lfs_link` whose object has been sent. */
  readonly lfsSent: number
  readonly lastError: string
  readonly createdAt: number
}

const toPushMirror = (row: Selectable<PushMirrorTable>): PushMirror => ({
  id: row.id,
  repoId: asId(row.repo_id),
  remoteName: row.remote_name,
  remoteUrl: row.remote_url,
  credentials: row.credentials,
  publicKey: row.public_key,
  privateKey: row.private_key,
  branchFilter: row.branch_filter,
  interval: row.interval,
  isOnCommit: row.is_on_commit === 1,
  pushedAt: row.pushed_at,
  lfsSent: row.lfs_sent,
  lastError: row.last_error,
  createdAt: row.created_at,
})

/** Oldest first. */
export const listPushMirrors = (db: Db, repoId: RepoId, paging: Paging): Promise<Page<PushMirror>> =>
  selectPage(db.selectFrom('push_mirror').selectAll().where('repo_id', '=', repoId).orderBy('id'), paging, toPushMirror)

export async function findPushMirror(db: Db, id: number): Promise<PushMirror | undefined> {
  const row = await db.selectFrom('push_mirror').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toPushMirror(row)
}

export async function findPushMirrorByName(
  db: Db,
  repoId: RepoId,
  remoteName: string,
): Promise<PushMirror | undefined> {
  const row = await db
    .selectFrom('push_mirror')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('remote_name', '=', remoteName)
    .executeTakeFirst()
  return row && toPushMirror(row)
}

/** Push mirrors of a repository, oldest first; with `onCommit` only those that are updated after every change. */
export async function listPushMirrorIds(
  db: Db,
  repoId: RepoId,
  options: { readonly onCommit?: boolean } = {},
): Promise<number[]> {
  let query = db.selectFrom('push_mirror').select('id').where('repo_id', '=', repoId)
  if (options.onCommit) query = query.where('is_on_commit', '=', 1)
  return (await query.orderBy('id').execute()).map((row) => row.id)
}

export async function insertPushMirror(tx: Tx, values: NewPushMirrorRow): Promise<number> {
  return (await tx.insertInto('push_mirror').values(values).returning('id').executeTakeFirstOrThrow()).id
}

export async function updatePushMirror(tx: Tx, id: number, values: Updateable<PushMirrorTable>): Promise<void> {
  await tx.updateTable('push_mirror').set(values).where('id', '=', id).execute()
}

export async function deletePushMirror(tx: Tx, repoId: RepoId, remoteName: string): Promise<void> {
  await tx.deleteFrom('push_mirror').where('repo_id', '=', repoId).where('remote_name', '=', remoteName).execute()
}
