import type { Db, Tx } from '../../../core/db/database.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'

/** A mark that administrators grant to users. */
export interface Badge {
  readonly id: number
  readonly slug: string
  readonly description: string
  readonly imageUrl: string
}

const columns = ['badge.id', 'badge.slug', 'badge.description', 'badge.image_url as imageUrl'] as const

/** A-Z; an account has few. */
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

/** In no particular order; unknown slugs are left out. */
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

/** From all users who have it, too. False when there was none. */
export async function deleteBadge(tx: Tx, slug: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('badge').where('slug', '=', slug).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Does nothing for those the user has. */
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
