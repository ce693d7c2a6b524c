import type { Actor } from '../../../core/access/viewer.ts'
import type { Core } from '../../../core/module.ts'
import type { SignInSourceId, UserId } from '../../../core/platform/crypto/ids.ts'
import { errors } from '../../errors.ts'
import {
  deleteIdentity,
  type ExternalIdentity,
  findIdentity,
  insertIdentity,
  listIdentitiesOf,
  type NewIdentity,
} from './identity.store.ts'

type IdentityDeps = Pick<Core, 'database' | 'clock' | 'events'>

export type ExternalIdentities = ReturnType<typeof createExternalIdentities>

/** Links accounts to persons at sign-in sources: at most one identity for an account and a source. */
export function createExternalIdentities({ database, clock, events }: IdentityDeps) {
  const { read } = database
  return {
    find: (sourceId: SignInSourceId, subject: string): Promise<ExternalIdentity | undefined> =>
      findIdentity(read, sourceId, { subject }),
    findOf: (sourceId: SignInSourceId, userId: UserId): Promise<ExternalIdentity | undefined> =>
      findIdentity(read, sourceId, { userId }),
    /** Oldest first. */
    listOf: (userId: UserId): Promise<ExternalIdentity[]> => listIdentitiesOf(read, userId),

    /** Throws conflict when the subject has an account, or the account has a subject at this source. */
    async link(actor: Actor, identity: NewIdentity): Promise<void> {
      const at = clock.now()
      const { sourceId, userId, loginName } = identity
      try {
        await database.transaction(async (tx) => {
          await insertIdentity(tx, identity, at)
          await events.append(
            tx,
            'external_identity.linked',
            { actor, repoId: 0, at },
            { source_id: sourceId, user_id: userId, login_name: loginName },
          )
        })
      } catch (error) {
        throw database.dialect.isUniqueViolation(error) ? errors.identityTaken() : error
      }
    },

    /** Returns false if there was none. */
    unlink: (actor: Actor, sourceId: SignInSourceId, userId: UserId): Promise<boolean> =>
      database.transaction(async (tx) => {
        const found = await findIdentity(tx, sourceId, { userId })
        if (found === undefined || !(await deleteIdentity(tx, sourceId, userId))) return false
        await events.append(
          tx,
          'external_identity.unlinked',
          { actor, repoId: 0, at: clock.now() },
          { source_id: sourceId, user_id: userId, login_name: found.loginName },
        )
        return true
      }),
  }
}
