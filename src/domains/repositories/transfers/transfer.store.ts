import type { Insertable } from 'kysely'
import type { Db, Tx } from '../../../core/db/database.ts'
import { asId, type RepoId, type TeamId, type UserId } from '../../../core/platform/crypto/ids.ts'
import type { RepoTransferTable } from './transfer.table.ts'

export interface Transfer {
  readonly repoId: RepoId
  readonly doerId: UserId
  readonly recipientId: UserId
  readonly teamIds: readonly TeamId[]
}

/** Pending transfers of these repositories; few have one. */
export async function listTransfers(db: Db, repoIds: readonly RepoId[]): Promise<Transfer[]> {
  if (repoIds.length === 0) return []
  const rows = await db.selectFrom('repo_transfer').selectAll().where('repo_id', 'in', repoIds).execute()
  return rows.map((row) => ({
    repoId: asId(row.repo_id),
    doerId: asId(row.doer_id),
    recipientId: asId(row.recipient_id),
    teamIds: (JSON.parse(row.team_ids) as number[]).map((id) => asId(id)),
  }))
}

export async function insertTransfer(tx: Tx, values: Insertable<RepoTransferTable>): Promise<void> {
  await tx.insertInto('repo_transfer').values(values).execute()
}

/** False if there was none. */
export async function deleteTransfer(tx: Tx, repoId: RepoId): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('repo_transfer').where('repo_id', '=', repoId).executeTakeFirst()
  return numDeletedRows > 0n
}
