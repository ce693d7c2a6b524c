import { sql } from 'kysely'
import type { Tx } from '../../../../core/db/database.ts'
import type { RepoId, UserId } from '../../../../core/platform/crypto/ids.ts'

/**
 * Raises the counters by which runners see that a job of this repository waits: of the site, of the owner and of the
 * repository. Their rows are locked in this order until the transaction ends.
 */
export async function raiseQueues(
  tx: Tx,
  { id: repoId, ownerId }: { readonly id: RepoId; readonly ownerId: UserId },
): Promise<void> {
  await tx
    .insertInto('action_queue')
    .values([
      { owner_id: null, repo_id: null, version: 1 },
      { owner_id: ownerId, repo_id: null, version: 1 },
      { owner_id: null, repo_id: repoId, version: 1 },
    ])
    .onConflict((conflict) =>
      conflict
        .expression(sql`coalesce(owner_id, 0), coalesce(repo_id, 0)`)
        .doUpdateSet({ version: sql<number>`action_queue.version + 1` }),
    )
    .execute()
}
