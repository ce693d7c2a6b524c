import { systemActor } from '../../../../core/access/viewer.ts'
import { randomUUID } from 'node:crypto'
import type { ProxyAccount } from '../../../../core/access/credentials.ts'
import { randomPassword } from '../../../../core/platform/crypto/crypto.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import type { User } from '../../users/user.store.ts'
import type { Users } from '../../users/users.service.ts'

export interface RegisterByProxySettings {
  /** Takes the e-mail address that the reverse proxy sends. */
  readonly takesEmail: boolean
  /** Takes the full name that the reverse proxy sends. */
  readonly takesFullName: boolean
  readonly minPasswordLength: number
}

/** Creates the account that a reverse proxy names; undefined when it cannot be made. */
export type RegisterByProxy = (account: ProxyAccount) => Promise<User | undefined>

/**
 * NOTE: the account gets a random password that is not stored: until another is set, its user signs in by the reverse
 * proxy alone.
 */
export function createRegisterByProxy(
  users: Pick<Users, 'create' | 'findByName'>,
  { takesEmail, takesFullName, minPasswordLength }: RegisterByProxySettings,
): RegisterByProxy {
  return async ({ name, email, fullName }) => {
    try {
      return await users.create(systemActor, {
        name,
        email: takesEmail && email !== '' ? email : `${randomUUID()}@localhost`,
        fullName: takesFullName ? fullName : '',
        password: randomPassword(minPasswordLength),
      })
    } catch (error) {
      // A name or address that is taken or not allowed; two requests at once find the account that the other one made.
      if (isDomainError(error, 'invalid')) return users.findByName(name)
      throw error
    }
  }
}
