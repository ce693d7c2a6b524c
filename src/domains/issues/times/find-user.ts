import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import { forbidden } from '../../../core/platform/errors.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import { type User, getOwnerInView } from '../../accounts/index.ts'

export type FindUser = ReturnType<typeof createFindUser>

/** Whose times a request is about. */
export function createFindUser(read: Db) {
  const named = (actor: SignedIn, name: string): Promise<User> => getOwnerInView(read, actor, name)
  return {
    /** Throws NotFound also for an account that is hidden from the actor. */
    named,
    /**
     * The user whose times are listed; undefined for all. Those who may not see all see their own, and are refused with
     * Forbidden when they ask for another user.
     */
    async filter(actor: SignedIn, name: string | undefined, seesAll: boolean): Promise<UserId | undefined> {
      const own = actor.account.id
      if (name === undefined || name === '') return seesAll ? undefined : own
      const { id } = await named(actor, name)
      if (!seesAll && id !== own) throw forbidden('query by user not allowed; not enough rights')
      return id
    },
  }
}
