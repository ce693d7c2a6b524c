import { randomBytes } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import { hashPassword, hmacSha256Hex, verifyPassword } from '../../platform/crypto.ts'
import { unauthenticated } from '../../platform/errors.ts'
import { boundedCache } from '../../platform/lru.ts'
import { findLogin, type User } from '../users/index.ts'
import type { LoginThrottle } from './login-throttle.ts'

/** The account of a login name or activated address and its password. Throws unauthenticated; slows guessing down. */
export type PasswordCheck = (login: string, password: string, address: string) => Promise<User>

export const WRONG_CREDENTIALS = 'invalid username, password or token'
const REMEMBER_MS = 60_000

/**
 * Passwords cost a slow hash on the thread pool. A pair that was right is remembered for a minute under a key of this
 * process, so that scripts and git clients do not pay at every request; a changed password changes the key's input.
 */
export function createPasswordCheck(deps: {
  readonly database: Database
  readonly throttle: LoginThrottle
}): PasswordCheck {
  const key = randomBytes(32)
  const remembered = boundedCache<string, true>(10_000, REMEMBER_MS)
  const pending = new Map<string, Promise<boolean>>()
  // NOTE: a name without account costs one hash too, so that the time of the answer does not reveal which names exist.
  const decoy = hashPassword('nobody')

  return async (login, password, address) => {
    const found = await findLogin(deps.database.read, login)
    const stored = found?.passwordHash || (await decoy)
    const mark = hmacSha256Hex(key, JSON.stringify([found?.user.id, stored, password]))
    if (found && remembered.has(mark) && !found.user.isLoginProhibited) return found.user
    await deps.throttle.before(login.toLowerCase(), address)
    const running = pending.get(mark) ?? verifyPassword(password, stored).finally(() => pending.delete(mark))
    pending.set(mark, running)
    const right = await running
    if (!found || !right || found.passwordHash === '' || found.user.isLoginProhibited) {
      deps.throttle.failed(login.toLowerCase(), address)
      throw unauthenticated(WRONG_CREDENTIALS)
    }
    deps.throttle.succeeded(login.toLowerCase(), address)
    remembered.set(mark, true)
    return found.user
  }
}
