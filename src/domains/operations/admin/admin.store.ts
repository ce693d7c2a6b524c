import { type Db, dialectOf, type Tx } from '../../../core/db/database.ts'
import { sql } from 'kysely'
import { AccessMode } from '../../../core/access/access-mode.ts'
import { asId, type UserId } from '../../../core/platform/crypto/ids.ts'

const CHUNK = 200

/** Those of the `owner/name`, in lower case, that a repository has. */
export async function listKnownNames(
  db: Db,
  names: readonly { readonly owner: string; readonly name: string }[],
): Promise<Set<string>> {
  const existing = new Set<string>()
  for (let at = 0; at < names.length; at += CHUNK) {
    const chunk = names.slice(at, at + CHUNK)
    const rows = await db
      .selectFrom('repo')
      .innerJoin('user', 'user.id', 'repo.owner_id')
      .select(['user.lower_name as owner', 'repo.lower_name as name'])
      .where(
        'user.lower_name',
        'in',
        chunk.map(({ owner }) => owner.toLowerCase()),
      )
      .where(
        'repo.lower_name',
        'in',
        chunk.map(({ name }) => name.toLowerCase()),
      )
      .execute()
    for (const { owner, name } of rows) existing.add(`${owner}/${name}`)
  }
  return existing
}

/**
 * Organizations that the user belongs to; `isLastOwner` where it is their only owner. Their teams of owners are locked
 * until the transaction ends.
 */
export async function lockMemberships(
  tx: Tx,
  userId: UserId,
): Promise<{ orgId: UserId; name: string; isLastOwner: boolean }[]> {
  const ownersTeams = tx
    .selectFrom('team')
    .select('id')
    .where('mode', '=', AccessMode.owner)
    .where('org_id', 'in', (eb) => eb.selectFrom('org_member').select('org_id').where('user_id', '=', userId))
  await dialectOf(tx).lockRows(ownersTeams.orderBy('id')).execute()
  const rows = await tx
    .selectFrom('org_member')
    .innerJoin('user', 'user.id', 'org_member.org_id')
    .select(['user.id', 'user.name'])
    .where('org_member.user_id', '=', userId)
    .orderBy('user.id')
    .execute()
  const owners = await tx
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
