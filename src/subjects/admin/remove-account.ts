import type { Database, Tx } from '../../db/database.ts'
import { appendEvent } from '../../events/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { invalid } from '../../platform/errors.ts'
import type { UserId } from '../../platform/ids.ts'
import { announceRemoval } from '../repos/delete-repo.ts'
import { requireOtherAdmin } from '../users/last-admin.ts'
import { holdToDelete, type User } from '../users/user.store.ts'
import {
  deleteAccount,
  listMemberships,
  listOwnedRepos,
  releaseCounters,
  releaseOwnedRepos,
} from './account-removal.store.ts'

export interface AccountRemoval {
  /**
   * Deletes an individual with its tokens, keys, addresses, stars, watches and follows. Without `purge` it must own no
   * repository and belong to no organization; with it repositories go, memberships end, and organizations that it was
   * the last owner of go too. Throws invalid, and forbidden for the last administrator (reference users-and-admin §13).
   */
  delete(actorId: UserId, user: User, options: { purge: boolean }): Promise<void>
}

export function createAccountRemoval({ database, clock }: { database: Database; clock: Clock }): AccountRemoval {
  return {
    async delete(actorId, user, { purge }) {
      if (user.kind !== 'individual') throw invalid(`${user.name} is an organization not a user`)
      await database.transaction(async (tx) => {
        await requireOtherAdmin(tx, user)
        if (user.id === actorId) throw invalid('you cannot delete yourself')
        const memberships = await listMemberships(tx, user.id)
        if (!purge) await requireNothingOwned(tx, user, memberships.length)
        const origin = { actorId, at: clock.now() }
        for (const { orgId, name } of memberships.filter((membership) => membership.isLastOwner))
          await remove(tx, { id: orgId, name }, origin)
        await remove(tx, user, origin)
      })
    },
  }
}

async function requireNothingOwned(tx: Tx, user: User, memberships: number): Promise<void> {
  if ((await listOwnedRepos(tx, user.id)).length > 0)
    throw invalid(`user still has ownership of repositories [uid: ${user.id}]`)
  if (memberships > 0) throw invalid(`user is a member of an organization [uid: ${user.id}]`)
}

async function remove(
  tx: Tx,
  account: Pick<User, 'id' | 'name'>,
  { actorId, at }: { actorId: UserId; at: number },
): Promise<void> {
  await holdToDelete(tx, account.id)
  for (const repo of await listOwnedRepos(tx, account.id)) {
    await announceRemoval(tx, { actorId, at }, { ...repo, ownerId: account.id })
  }
  await releaseOwnedRepos(tx, account.id)
  await releaseCounters(tx, account.id)
  await deleteAccount(tx, account.id)
  await appendEvent(tx, 'user.deleted', { actorId, repoId: 0, at }, { user_id: account.id, name: account.name })
}
