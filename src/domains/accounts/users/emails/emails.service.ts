import type { Core } from '../../../../core/module.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import { invalid, notFound } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import {
  claimEmail,
  deleteEmail,
  type EmailAddress,
  findEmail,
  listEmails,
  type OwnedEmailAddress,
  searchEmails,
} from './email.store.ts'
import { isEmailAddress } from '../users.policy.ts'
import { lockUsers } from '../user.store.ts'

type EmailDeps = Pick<Core, 'database' | 'clock' | 'events'>

export type Emails = ReturnType<typeof createEmails>

/** Addresses of users (behaviour/users-and-admin#current-user, behaviour/users-and-admin#other-administration). */
export function createEmails({ database, clock, events }: EmailDeps) {
  const { read } = database
  return {
    /** Oldest first. */
    list: (userId: UserId): Promise<EmailAddress[]> => listEmails(read, userId),
    /** Addresses of all individuals, ordered by address; `keyword` matches a part of login, full name or address. */
    search: (keyword: string, paging: Paging): Promise<Page<OwnedEmailAddress>> => searchEmails(read, keyword, paging),

    /** Adds all of them or none. Throws Invalid for an empty list, a malformed address, or an address in use. */
    async add(actor: SignedIn, addresses: readonly string[]): Promise<void> {
      const userId = actor.account.id
      if (addresses.length === 0) throw invalid('Email list empty')
      const malformed = addresses.find((address) => !isEmailAddress(address))
      if (malformed !== undefined) throw invalid(`Email address "${malformed}" invalid`)
      await database.transaction(async (tx) => {
        for (const email of addresses) {
          if (!(await claimEmail(tx, userId, email))) throw errors.emailInUse(email)
          await events.append(tx, 'user.email_added', { actor, repoId: 0, at: clock.now() }, { user_id: userId, email })
        }
      })
    },

    /** Deletes all of them or none. Throws NotFound, and Invalid for the primary address. */
    delete: (actor: SignedIn, userId: UserId, addresses: readonly string[]): Promise<void> =>
      database.transaction(async (tx) => {
        // Prevents a change of the primary address until the transaction ends.
        await lockUsers(tx, [userId])
        for (const email of addresses) {
          const found = await findEmail(tx, email)
          if (found === undefined || found.userId !== userId)
            throw notFound(`Email address does not exist [email: ${email}]`)
          if (found.isPrimary) throw invalid(`Primary email address cannot be deleted [email: ${email}]`)
          await deleteEmail(tx, found.id)
          await events.append(
            tx,
            'user.email_deleted',
            { actor, repoId: 0, at: clock.now() },
            { user_id: userId, email: found.email },
          )
        }
      }),
  }
}
