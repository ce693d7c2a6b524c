import { sql } from 'kysely'
import type { Tx } from '../../../../core/db/database.ts'
import { deleteInSteps } from '../../../../core/db/delete-in-steps.ts'
import type { RepoId, UserId } from '../../../../core/platform/crypto/ids.ts'

/** Subtracts the follows of an account, in both directions, from the counters of the other accounts. */
export async function subtractFollowsOf(tx: Tx, id: UserId): Promise<void> {
  await tx
    .updateTable('user')
    .set((eb) => ({ followers_count: eb('followers_count', '-', 1) }))
    .where('id', 'in', (eb) => eb.selectFrom('follow').select('followed_id').where('user_id', '=', id))
    .execute()
  await tx
    .updateTable('user')
    .set((eb) => ({ following_count: eb('following_count', '-', 1) }))
    .where('id', 'in', (eb) => eb.selectFrom('follow').select('user_id').where('followed_id', '=', id))
    .execute()
}

/** Subtracts the stars on all repositories of an account from the counters of the users who starred them. */
export async function subtractStarsOnReposOf(tx: Tx, ownerId: UserId): Promise<void> {
  await sql`update "user" set stars_count = stars_count - (select count(*) from star join repo on repo.id = star.repo_id where repo.owner_id = ${ownerId} and star.user_id = "user".id)
    where id in (select star.user_id from star join repo on repo.id = star.repo_id where repo.owner_id = ${ownerId})`.execute(
    tx,
  )
}

/** Subtracts the stars on a repository from the counters of the users who starred it, before its deletion. */
export async function subtractStarsOnRepo(tx: Tx, repoId: RepoId): Promise<void> {
  await tx
    .updateTable('user')
    .set((eb) => ({ stars_count: eb('stars_count', '-', 1) }))
    .where('id', 'in', (eb) => eb.selectFrom('star').select('user_id').where('repo_id', '=', repoId))
    .execute()
}

/** Deletes the row of an individual or organization; foreign keys delete the rows that refer to it. */
export async function deleteUser(tx: Tx, id: UserId): Promise<void> {
  await deleteInSteps(tx, 'user', [id])
}
