import { randomBytes } from 'node:crypto'
import type { Database } from '../../../core/db/database.ts'
import { hmacSha256Hex } from '../../../core/platform/crypto/crypto.ts'
import type { RateLimit } from '../../../core/platform/concurrency/rate-limit.ts'
import type { PasswordHasher } from '../../../core/platform/crypto/password-hasher.ts'
import { errors } from '../../errors.ts'
import { clientNetwork } from '../../../core/platform/http/client-network.ts'
import { boundedCache } from '../../../core/platform/lru.ts'
import type { RequestClient, RequestCredential } from '../../../core/platform/request-source.ts'
import { type User, findLogin } from '../users/user.store.ts'
import type { AcceptedPassword, PasswordDecider, PasswordSources } from '../sign-in-sources/password-sources.service.ts'
import type { LoginThrottle } from './login-throttle.ts'
import type { SignInRecords } from './sign-in-records.service.ts'

/**
 * Returns the account for a login name or activated address and its password, and the sign-in source that checked it
 * unless the server did. Throws unauthenticated, after many
 * attempts too-many-requests, and unavailable when a sign-in source must decide that cannot be reached; slows down
 * guessing.
 */
export type PasswordCheck = (login: string, password: string, client: RequestClient) => Promise<CheckedPassword>

export interface CheckedPassword {
  readonly user: User
  readonly sourceId: AcceptedPassword['sourceId'] | undefined
}

const VERIFIED_MS = 60_000

/**
 * Verifying a password costs a slow hash on the thread pool, or questions to a directory. Successful pairs are cached
 * for a minute under a key of this process, so that scripts and git clients do not cause that at every request; the
 * cache key includes the stored hash, so a changed password misses. A password that was changed in a directory is
 * accepted until the minute is over.
 */
export function createPasswordCheck(deps: {
  readonly database: Database
  readonly throttle: LoginThrottle
  readonly passwords: PasswordHasher
  readonly sources: Pick<PasswordSources, 'decider'>
  readonly rateLimit: RateLimit
  readonly records: Pick<SignInRecords, 'failed'>
}): PasswordCheck {
  const key = randomBytes(32)
  const verified = boundedCache<string, Pick<CheckedPassword, 'sourceId'>>(10_000, VERIFIED_MS)
  const pending = new Map<string, Promise<CheckedPassword | undefined>>()
  // NOTE: an unknown name costs one hash, too, so that the response time does not reveal which names exist.
  const decoy = deps.passwords.hash('decoy', 'server')

  const once = async (
    cacheKey: string,
    verify: () => Promise<CheckedPassword | undefined>,
  ): Promise<CheckedPassword | undefined> => {
    const running = pending.get(cacheKey) ?? verify().finally(() => pending.delete(cacheKey))
    pending.set(cacheKey, running)
    return running
  }

  return async (login, password, client) => {
    const address = clientNetwork(client.address)
    const { user, passwordHash } = (await findLogin(deps.database.read, login)) ?? NOBODY
    const decider = await deps.sources.decider(login, user)
    const stored = decider?.version ?? (passwordHash || (await decoy))
    const cacheKey = hmacSha256Hex(key, JSON.stringify([user?.id ?? login, stored, password]))
    const earlier = verified.get(cacheKey)
    if (user && earlier && !user.isLoginProhibited) return { user, ...earlier }
    const account = throttleKey(login, user)
    deps.rateLimit.take(address)
    await deps.throttle.before(account, address)
    const checked = await once(cacheKey, async () => {
      if (decider !== undefined) return decider.verify(password)
      const isRight = await deps.passwords.verify(password, stored, `network ${address}`)
      return isRight && user && passwordHash ? { user, sourceId: undefined } : undefined
    })
    if (checked === undefined || checked.user.isLoginProhibited) {
      deps.throttle.failed(account, address)
      deps.records.failed({ client, credential: credentialOf(decider), userId: user?.id ?? 0 })
      throw errors.wrongCredentials()
    }
    deps.throttle.succeeded(account, address)
    verified.set(cacheKey, { sourceId: checked.sourceId })
    return checked
  }
}

const NOBODY = { user: undefined, passwordHash: '' }

/** All names of an account count together: its login name in any spelling, and its addresses. */
const throttleKey = (login: string, user: User | undefined): string =>
  user === undefined ? login.trim().toLowerCase() : `id ${user.id}`

const credentialOf = (decider: PasswordDecider | undefined): RequestCredential =>
  decider?.credential ?? { kind: 'password', id: 0 }
