import { randomBytes } from 'node:crypto'
import type { Database } from '../../../core/db/database.ts'
import { hmacSha256Hex } from '../../../core/platform/crypto/crypto.ts'
import type { RateLimit } from '../../../core/platform/concurrency/rate-limit.ts'
import type { PasswordHasher } from '../../../core/platform/crypto/password-hasher.ts'
import { errors } from '../../errors.ts'
import { clientNetwork } from '../../../core/platform/http/client-network.ts'
import { boundedCache } from '../../../core/platform/lru.ts'
import type { RequestClient } from '../../../core/platform/request-source.ts'
import { type User, findLogin } from '../users/user.store.ts'
import type { LoginThrottle } from './login-throttle.ts'
import type { SignInRecords } from './sign-in-records.service.ts'

/**
 * Returns the account for a login name or activated address and its password. Throws unauthenticated and, after many
 * attempts, too-many-requests; slows down guessing.
 */
export type PasswordCheck = (login: string, password: string, client: RequestClient) => Promise<User>

const REMEMBER_MS = 60_000

/**
 * Verifying a password costs a slow hash on the thread pool. Successful pairs are cached for a minute under a key of
 * this process, so that scripts and git clients do not cause a hash at every request; the cache key includes the stored
 * hash, so a changed password misses.
 */
export function createPasswordCheck(deps: {
  readonly database: Database
  readonly throttle: LoginThrottle
  readonly passwords: PasswordHasher
  readonly rateLimit: RateLimit
  readonly records: Pick<SignInRecords, 'failed'>
}): PasswordCheck {
  const key = randomBytes(32)
  const remembered = boundedCache<string, true>(10_000, REMEMBER_MS)
  const pending = new Map<string, Promise<boolean>>()
  // NOTE: an unknown name costs one hash, too, so that the response time does not reveal which names exist.
  const decoy = deps.passwords.hash('decoy', 'server')

  return async (login, password, client) => {
    const address = clientNetwork(client.address)
    const found = await findLogin(deps.database.read, login)
    const stored = found?.passwordHash || (await decoy)
    const mark = hmacSha256Hex(key, JSON.stringify([found?.user.id, stored, password]))
    if (found && remembered.has(mark) && !found.user.isLoginProhibited) return found.user
    deps.rateLimit.take(address)
    await deps.throttle.before(login.toLowerCase(), address)
    const verify = (): Promise<boolean> => deps.passwords.verify(password, stored, `network ${address}`)
    const running = pending.get(mark) ?? verify().finally(() => pending.delete(mark))
    pending.set(mark, running)
    const right = await running
    if (!found || !right || found.passwordHash === '' || found.user.isLoginProhibited) {
      deps.throttle.failed(login.toLowerCase(), address)
      deps.records.failed({ client, kind: 'password', userId: found?.user.id ?? 0 })
      throw errors.wrongCredentials()
    }
    deps.throttle.succeeded(login.toLowerCase(), address)
    remembered.set(mark, true)
    return found.user
  }
}
