import { sql } from 'kysely'
import type { Tx, Db } from '../../../../core/db/database.ts'
import type { RepoId, UserId } from '../../../../core/platform/crypto/ids.ts'
import { type ActionsPlace, placeColumns } from '../place.ts'

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

/** The active token of a place, encrypted. */
export async function findActiveToken(db: Db, place: ActionsPlace): Promise<string | undefined> {
  const { owner_id, repo_id } = placeColumns(place)
  const row = await db
    .selectFrom('action_registration_token')
    .select('sealed')
    .where('owner_id', owner_id === null ? 'is' : '=', owner_id)
    .where('repo_id', repo_id === null ? 'is' : '=', repo_id)
    .where('is_active', '=', 1)
    .executeTakeFirst()
  return row?.sealed
}

interface NewToken {
  readonly hash: string
  readonly sealed: string
  readonly at: number
}

/** Inserts nothing where another transaction has just made the active token of the place. */
export async function insertActiveToken(tx: Tx, place: ActionsPlace, { hash, sealed, at }: NewToken): Promise<void> {
  await tx
    .insertInto('action_registration_token')
    .values({ ...placeColumns(place), hash, sealed, created_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
