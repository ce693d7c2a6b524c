import type { Core } from '../../../core/module.ts'
import type { Actor } from '../../../core/access/viewer.ts'
import { conflict, invalid, notFound } from '../../../core/platform/errors.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import {
  type Badge,
  deleteBadge,
  deleteUserBadges,
  insertBadge,
  insertUserBadges,
  listBadges,
  listBadgesBySlug,
  listBadgesOf,
} from './badge.store.ts'

type BadgeDeps = Pick<Core, 'database' | 'clock' | 'events'>

export type Badges = ReturnType<typeof createBadges>

/** Badges and who has them (behaviour/users-and-admin#other-administration). */
export function createBadges({ database, clock, events }: BadgeDeps) {
  const { read } = database
  return {
    /** A-Z. */
    of: (userId: UserId): Promise<Badge[]> => listBadgesOf(read, userId),
    /** All of them or none. Throws NotFound for an unknown slug. */
    grant: (actor: Actor, userId: UserId, slugs: readonly string[]): Promise<void> =>
      database.transaction(async (tx) => {
        const badges = await listBadgesBySlug(tx, slugs)
        const unknown = slugs.find((slug) => !badges.some((badge) => badge.slug === slug))
        if (unknown !== undefined) throw notFound('badge does not exist')
        await insertUserBadges(tx, userId, badges)
        const payload = { user_id: userId, slugs: [...slugs] }
        await events.append(tx, 'admin.badges_given', { actor, repoId: 0, at: clock.now() }, payload)
      }),
    /** Unknown slugs, and badges that the user has not, are ignored. */
    revoke: (actor: Actor, userId: UserId, slugs: readonly string[]): Promise<void> =>
      database.transaction(async (tx) => {
        await deleteUserBadges(tx, userId, await listBadgesBySlug(tx, slugs))
        const payload = { user_id: userId, slugs: [...slugs] }
        await events.append(tx, 'admin.badges_taken', { actor, repoId: 0, at: clock.now() }, payload)
      }),
    /** A-Z. */
    list: (): Promise<Badge[]> => listBadges(read),
    /** Throws conflict for a slug in use, invalid for one with other signs than letters, digits, `-` and `_`. */
    create: (actor: Actor, badge: Omit<Badge, 'id'>): Promise<void> =>
      database.transaction(async (tx) => {
        if (!/^[\w-]{1,64}$/.test(badge.slug)) throw invalid(`bad slug: ${badge.slug}`)
        if ((await listBadgesBySlug(tx, [badge.slug])).length > 0)
          throw conflict(`there is a badge ${badge.slug} already`)
        await insertBadge(tx, badge)
        const origin = { actor, repoId: 0, at: clock.now() }
        await events.append(tx, 'admin.badge_created', origin, { slug: badge.slug })
      }),
    /** Throws NotFound. */
    delete: (actor: Actor, slug: string): Promise<void> =>
      database.transaction(async (tx) => {
        if (!(await deleteBadge(tx, slug))) throw notFound(`there is no badge ${slug}`)
        await events.append(tx, 'admin.badge_deleted', { actor, repoId: 0, at: clock.now() }, { slug })
      }),
  }
}
