import type { Actor } from '../../../core/access/viewer.ts'
import type { Database } from '../../../core/db/database.ts'
import type { Events } from '../../../core/events/index.ts'
import type { Clock } from '../../../core/platform/clock.ts'
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

/** Badges and who has them (behaviour/users-and-admin#other-administration). */
export interface Badges {
  /** A-Z. */
  of(userId: UserId): Promise<Badge[]>
  /** All of them or none. Throws NotFound for an unknown slug. */
  grant(actor: Actor, userId: UserId, slugs: readonly string[]): Promise<void>
  /** Unknown slugs, and badges that the user has not, are ignored. */
  revoke(actor: Actor, userId: UserId, slugs: readonly string[]): Promise<void>
  /** A-Z. */
  list(): Promise<Badge[]>
  /** Throws conflict for a slug in use, invalid for one with other signs than letters, digits, `-` and `_`. */
  create(actor: Actor, badge: Omit<Badge, 'id'>): Promise<void>
  /** Throws NotFound. */
  delete(actor: Actor, slug: string): Promise<void>
}

interface BadgeDeps {
  readonly database: Database
  readonly clock: Clock
  readonly events: Events
}

export function createBadges({ database, clock, events }: BadgeDeps): Badges {
  const { read } = database
  return {
    of: (userId) => listBadgesOf(read, userId),
    grant: (actor, userId, slugs) =>
      database.transaction(async (tx) => {
        const badges = await listBadgesBySlug(tx, slugs)
        const unknown = slugs.find((slug) => !badges.some((badge) => badge.slug === slug))
        if (unknown !== undefined) throw notFound('badge does not exist')
        await insertUserBadges(tx, userId, badges)
        const payload = { user_id: userId, slugs: [...slugs] }
        await events.append(tx, 'admin.badges_given', { actor, repoId: 0, at: clock.now() }, payload)
      }),
    revoke: (actor, userId, slugs) =>
      database.transaction(async (tx) => {
        await deleteUserBadges(tx, userId, await listBadgesBySlug(tx, slugs))
        const payload = { user_id: userId, slugs: [...slugs] }
        await events.append(tx, 'admin.badges_taken', { actor, repoId: 0, at: clock.now() }, payload)
      }),
    list: () => listBadges(read),
    create: (actor, badge) =>
      database.transaction(async (tx) => {
        if (!/^[\w-]{1,64}$/.test(badge.slug)) throw invalid(`bad slug: ${badge.slug}`)
        if ((await listBadgesBySlug(tx, [badge.slug])).length > 0)
          throw conflict(`there is a badge ${badge.slug} already`)
        await insertBadge(tx, badge)
        const origin = { actor, repoId: 0, at: clock.now() }
        await events.append(tx, 'admin.badge_created', origin, { slug: badge.slug })
      }),
    delete: (actor, slug) =>
      database.transaction(async (tx) => {
        if (!(await deleteBadge(tx, slug))) throw notFound(`there is no badge ${slug}`)
        await events.append(tx, 'admin.badge_deleted', { actor, repoId: 0, at: clock.now() }, { slug })
      }),
  }
}
