import type { Core, Services } from '../../../core/module.ts'
import type { Actor } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import { conflict, invalid, notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { repoDeletion } from '../../repositories/index.ts'
import { type User, userQueries } from '../../accounts/index.ts'
import {
  lockMemberships,
  type Badge,
  deleteBadge,
  deleteUserBadges,
  insertBadge,
  insertUserBadges,
  listBadges,
  listBadgesBySlug,
  listBadgesOf,
} from './admin.store.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'

export type AccountRemovalDeps = Pick<Core, 'database' | 'events' | 'jobs' | 'clock'> & Pick<Services, 'ownsPackages'>

export type AccountRemoval = ReturnType<typeof createAccountRemoval>

export function createAccountRemoval(deps: AccountRemovalDeps) {
  const { database, clock } = deps
  return {
    /**
     * Deletes an individual with its tokens, keys, addresses, stars, watches and follows. Without `purge` it must own
     * no repository and no package, and belong to no organization. With `purge`, these, its comments, and the
     * organizations of which it is the last owner are deleted, too. Throws invalid, and forbidden for the last
     * administrator (behaviour/users-and-admin#administration-of-users).
     */
    async delete(actor: Actor, user: User, { purge }: { purge: boolean }): Promise<void> {
      if (user.kind !== 'individual') throw errors.notAnIndividual(user.name)
      await database.transaction(async (tx) => {
        await userQueries.requireOtherAdmin(tx, user, 'delete')
        if (user.id === actor.account.id) throw invalid('you cannot delete yourself')
        const memberships = await lockMemberships(tx, user.id)
        if (!purge) await requireNothingOwned(tx, deps, { user, memberships: memberships.length })
        const origin = { actor, at: clock.now() }
        for (const { orgId, name, isLastOwner } of memberships)
          if (isLastOwner) await deleteAccount(tx, deps, { id: orgId, name }, origin)
        await deleteAccount(tx, deps, { ...user, purge }, origin)
      })
    },
  }
}

async function requireNothingOwned(
  tx: Tx,
  { ownsPackages }: AccountRemovalDeps,
  { user, memberships }: { readonly user: User; readonly memberships: number },
): Promise<void> {
  if ((await repoDeletion.listOwned(tx, user.id)).length > 0)
    throw invalid(`user still has ownership of repositories [uid: ${user.id}]`)
  if (await ownsPackages.first(tx, user.id)) throw invalid(`user still has ownership of packages [uid: ${user.id}]`)
  if (memberships > 0) throw invalid(`user is a member of an organization [uid: ${user.id}]`)
}

/**
 * Deletes an individual or organization with its repositories. NOTE: counters are subtracted before the rows are
 * deleted, while they are locked.
 */
async function deleteAccount(
  tx: Tx,
  { events, jobs }: AccountRemovalDeps,
  { id, name, purge = false }: Pick<User, 'id' | 'name'> & { readonly purge?: boolean },
  { actor, at }: { readonly actor: Actor; readonly at: number },
): Promise<void> {
  if (!(await userQueries.lockToDelete(tx, id))) throw notFound(`user does not exist [uid: ${id}]`)
  for (const repo of await repoDeletion.listOwned(tx, id))
    await repoDeletion.record(tx, { events, jobs }, { actor, at }, { ...repo, ownerId: id })
  await repoDeletion.lockOwned(tx, id)
  await events.append(
    tx,
    'user.deleting',
    { actor, repoId: 0, at },
    { user_id: id, name, ...(purge && { purges: true }) },
  )
  await repoDeletion.deleteOwned(tx, id)
  await userQueries.delete(tx, id)
  await events.append(tx, 'user.deleted', { actor, repoId: 0, at }, { user_id: id, name })
}

type BadgeDeps = Pick<Core, 'database' | 'clock' | 'events'>

export type Badges = ReturnType<typeof createBadges>

/** Badges and their holders (behaviour/users-and-admin#other-administration). */
export function createBadges({ database, clock, events }: BadgeDeps) {
  const { read } = database
  return {
    /** A-Z. */
    of: (userId: UserId): Promise<Badge[]> => listBadgesOf(read, userId),
    /** Grants all of them or none. Throws NotFound for an unknown slug. */
    grant: (actor: Actor, userId: UserId, slugs: readonly string[]): Promise<void> =>
      database.transaction(async (tx) => {
        const badges = await listBadgesBySlug(tx, slugs)
        const unknown = slugs.find((slug) => !badges.some((badge) => badge.slug === slug))
        if (unknown !== undefined) throw notFound('badge does not exist')
        await insertUserBadges(tx, userId, badges)
        const payload = { user_id: userId, slugs: [...slugs] }
        await events.append(tx, 'admin.badges_given', { actor, repoId: 0, at: clock.now() }, payload)
      }),
    /** Ignores unknown slugs, and badges that the user does not have. */
    revoke: (actor: Actor, userId: UserId, slugs: readonly string[]): Promise<void> =>
      database.transaction(async (tx) => {
        await deleteUserBadges(tx, userId, await listBadgesBySlug(tx, slugs))
        const payload = { user_id: userId, slugs: [...slugs] }
        await events.append(tx, 'admin.badges_taken', { actor, repoId: 0, at: clock.now() }, payload)
      }),
    /** A-Z. */
    list: (): Promise<Badge[]> => listBadges(read),
    /**
     * Throws conflict for a slug in use, invalid for a slug with characters other than letters, digits, `-` and `_`.
     */
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
