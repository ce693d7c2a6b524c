import { sql } from 'kysely'
import { AccessMode } from '../../access/access-mode.ts'
import { type Db, dialectOf, type Tx } from '../../db/database.ts'
import { asId, type RepoId, type UserId } from '../../platform/ids.ts'

export interface OwnedRepo {
  readonly id: RepoId
  readonly name: string
  readonly storage: string
}

/** Repositories of a user or organization, as much of them as their removal needs. */
export async function listOwnedRepos(db: Db, ownerId: UserId): Promise<OwnedRepo[]> {
  const rows = await db
    .selectFrom('repo')
    .select(['id', 'name', 'storage'])
    .where('owner_id', '=', ownerId)
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ ...row, id: asId(row.id) }))
}

/**
 * Organizations the user belongs to; `isLastOwner` where nobody else owns them. Their owners stay as they are until the
 * transaction ends.
 */
export async function listMemberships(
  db: Tx,
  userId: UserId,
): Promise<{ orgId: UserId; name: string; isLastOwner: boolean }[]> {
  const ownersTeams = db
    .selectFrom('team')
    .select('id')
    .where('mode', '=', AccessMode.owner)
    .where('org_id', 'in', (eb) => eb.selectFrom('org_member').select('org_id').where('user_id', '=', userId))
  await dialectOf(db).lockRows(ownersTeams.orderBy('id')).execute()
  const rows = await db
    .selectFrom('org_member')
    .innerJoin('user', 'user.id', 'org_member.org_id')
    .select(['user.id', 'user.name'])
    .where('org_member.user_id', '=', userId)
    .orderBy('user.id')
    .execute()
  const owners = await db
    .selectFrom('team_member')
    .innerJoin('team', 'team.id', 'team_member.team_id')
    .select((eb) => [
      'team_member.org_id',
      eb.fn.countAll<number>().as('owners'),
      sql<number>`max(case when team_member.user_id = ${userId} then 1 else 0 end)`.as('is_owner'),
    ])
    .where('team.mode', '=', AccessMode.owner)
    .where('team_member.org_id', 'in', (eb) =>
      eb.selectFrom('org_member').select('org_id').where('user_id', '=', userId),
    )
    .groupBy('team_member.org_id')
    .execute()
  const last = new Set(owners.filter((row) => row.owners === 1 && row.is_owner === 1).map((row) => row.org_id))
  return rows.map((row) => ({ orgId: asId(row.id), name: row.name, isLastOwner: last.has(row.id) }))
}

/** Takes a user or organization out of every counter that others carry; its rows go with the row of the account. */
export async function releaseCounters(tx: Tx, id: UserId): Promise<void> {
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
  await tx
    .updateTable('repo')
    .set((eb) => ({ stars_count: eb('stars_count', '-', 1) }))
    .where('id', 'in', (eb) => eb.selectFrom('star').select('repo_id').where('user_id', '=', id))
    .execute()
  await tx
    .updateTable('repo')
    .set((eb) => ({ watchers_count: eb('watchers_count', '-', 1) }))
    .where('id', 'in', (eb) =>
      eb.selectFrom('watch').select('repo_id').where('user_id', '=', id).where('mode', '!=', 'ignored'),
    )
    .execute()
}

/** The same for the repositories it owns, before they are deleted: stars of others, topics, forks both ways. */
export async function releaseOwnedRepos(tx: Tx, ownerId: UserId): Promise<void> {
  await dialectOf(tx)
    .lockToDelete(tx.selectFrom('repo').select('id').where('owner_id', '=', ownerId).orderBy('id'))
    .execute()
  await sql`update "user" set stars_count = stars_count - (select count(*) from star join repo on repo.id = star.repo_id where repo.owner_id = ${ownerId} and star.user_id = "user".id)
    where id in (select star.user_id from star join repo on repo.id = star.repo_id where repo.owner_id = ${ownerId})`.execute(
    tx,
  )
  await sql`update topic set repo_count = repo_count - (select count(*) from repo_topic join repo on repo.id = repo_topic.repo_id where repo.owner_id = ${ownerId} and repo_topic.topic_id = topic.id)
    where id in (select repo_topic.topic_id from repo_topic join repo on repo.id = repo_topic.repo_id where repo.owner_id = ${ownerId})`.execute(
    tx,
  )
  await sql`update repo set forks_count = forks_count - (select count(*) from repo as fork where fork.fork_id = repo.id and fork.owner_id = ${ownerId})
    where id in (select fork_id from repo where owner_id = ${ownerId} and fork_id <> 0)`.execute(tx)
  await tx
    .updateTable('repo')
    .set({ fork_id: 0, is_fork: 0 })
    .where('fork_id', 'in', (eb) =>
      eb.selectFrom('repo as parent').select('parent.id').where('parent.owner_id', '=', ownerId),
    )
    .execute()
}

/** The row of the account and with it everything that refers to it; its keys leave the space of fingerprints. */
export async function deleteAccount(tx: Tx, id: UserId): Promise<void> {
  await tx
    .deleteFrom('public_key')
    .where('id', 'in', (eb) => eb.selectFrom('user_key').select('key_id').where('user_id', '=', id))
    .execute()
  await tx.deleteFrom('repo').where('owner_id', '=', id).execute()
  await tx.deleteFrom('user').where('id', '=', id).execute()
}
