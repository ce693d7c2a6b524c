import { type Db, dialectOf, type Tx } from '../../../core/db/database.ts'
import { sql } from 'kysely'
import { AccessMode } from '../../../core/access/repo-access.ts'
import { asId, type UserId } from '../../../core/platform/crypto/ids.ts'

const CHUNK = 200

/** The names among these `owner/name`, in lower case, for which a repository exists. */
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
 * Organizations that the user belongs to; `isLastOwner` if it is the only owner. Locks their teams of owners until the
 * transaction ends.
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

/** A badge that administrators grant to users. */
export interface Badge {
  readonly id: number
  readonly slug: string
  readonly description: string
  readonly imageUrl: string
}

const columns = ['badge.id', 'badge.slug', 'badge.description', 'badge.image_url as imageUrl'] as const

/** A-Z; not paged, since an account has few badges. */
export function listBadgesOf(db: Db, userId: UserId): Promise<Badge[]> {
  return db
    .selectFrom('user_badge')
    .innerJoin('badge', 'badge.id', 'user_badge.badge_id')
    .select(columns)
    .where('user_badge.user_id', '=', userId)
    .orderBy('badge.slug')
    .execute()
}

/** A-Z. */
export function listBadges(db: Db): Promise<Badge[]> {
  return db.selectFrom('badge').select(columns).orderBy('badge.slug').execute()
}

/** In no particular order; omits unknown slugs. */
export async function listBadgesBySlug(db: Db, slugs: readonly string[]): Promise<Badge[]> {
  if (slugs.length === 0) return []
  return db
    .selectFrom('badge')
    .select(columns)
    .where('badge.slug', 'in', [...new Set(slugs)])
    .execute()
}

export async function insertBadge(tx: Tx, badge: Omit<Badge, 'id'>): Promise<void> {
  await tx
    .insertInto('badge')
    .values({ slug: badge.slug, description: badge.description, image_url: badge.imageUrl })
    .execute()
}

/** Deletes the badge, also from all users. Returns false when it does not exist. */
export async function deleteBadge(tx: Tx, slug: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('badge').where('slug', '=', slug).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Skips badges that the user already has. */
export async function insertUserBadges(tx: Tx, userId: UserId, badges: readonly Badge[]): Promise<void> {
  if (badges.length === 0) return
  await tx
    .insertInto('user_badge')
    .values(badges.map(({ id }) => ({ user_id: userId, badge_id: id })))
    .onConflict((conflict) => conflict.columns(['user_id', 'badge_id']).doNothing())
    .execute()
}

export async function deleteUserBadges(tx: Tx, userId: UserId, badges: readonly Badge[]): Promise<void> {
  if (badges.length === 0) return
  await tx
    .deleteFrom('user_badge')
    .where('user_id', '=', userId)
    .where(
      'badge_id',
      'in',
      badges.map(({ id }) => id),
    )
    .execute()
}
