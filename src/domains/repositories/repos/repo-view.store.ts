import type { Db } from '../../../core/db/database.ts'
import { defineQuery } from '../../../core/db/prepared-statement.ts'
import { cachedUntilCommit } from '../../../core/db/read-cache.ts'
import { asId, type RepoId, type UserId } from '../../../core/platform/crypto/ids.ts'

export interface PendingTransfer {
  readonly repoId: RepoId
  readonly doerId: UserId
  readonly recipientId: UserId
}

/** Transfers of these repositories that wait for acceptance; few repositories have one. */
export async function listPendingTransfers(db: Db, repoIds: readonly RepoId[]): Promise<readonly PendingTransfer[]> {
  if (repoIds.length === 0) return []
  return cachedUntilCommit(db, `repo_transfer ${repoIds.join()}`, async () => {
    const rows = await transfersOf(db, { repoIds })
    return rows.map((row) => ({
      repoId: asId(row.repo_id),
      doerId: asId(row.doer_id),
      recipientId: asId(row.recipient_id),
    }))
  })
}

const transfersOf = defineQuery((db, { repoIds }: { repoIds: readonly RepoId[] }) =>
  db.selectFrom('repo_transfer').select(['repo_id', 'doer_id', 'recipient_id']).where('repo_id', 'in', repoIds),
)
