import { systemActor, decideAccountState, type ProxyAccount } from '../../../../core/access/viewer.ts'
import { randomUUID } from 'node:crypto'
import { randomPassword, randomHex, sha256Hex } from '../../../../core/platform/crypto/crypto.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import { type User, recordLogin } from '../../users/user.store.ts'
import type { Users } from '../../users/users.service.ts'
import type { Database } from '../../../../core/db/database.ts'
import type { Events } from '../../../../core/events/index.ts'
import type { Clock } from '../../../../core/platform/clock.ts'
import type { RequestCredential, RequestSource } from '../../../../core/platform/request-source.ts'
import type { CodeKind } from '../two-factor/two-factor.service.ts'
import { deleteSession, findSessionStart, findSessionUser, insertSession } from './web-session.store.ts'

export interface RegisterByProxySettings {
  /** Uses the e-mail address that the reverse proxy sends. */
  readonly takesEmail: boolean
  /** Uses the full name that the reverse proxy sends. */
  readonly takesFullName: boolean
  readonly minPasswordLength: number
}

/** Creates the account that a reverse proxy names; undefined when it cannot be created. */
export type RegisterByProxy = (account: ProxyAccount) => Promise<User | undefined>

/**
 * NOTE: the account gets a random password that is not stored. Until another one is set, its user can sign in only
 * through the reverse proxy.
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
      // The name or address is taken or not allowed. Of two concurrent requests, the second one finds the account of
      // the first.
      if (isDomainError(error, 'invalid')) return users.findByName(name)
      throw error
    }
  }
}

const VALUE_BYTES = 32
const RECENT_MS = 15 * 60_000

/** How the user of a browser authenticated. */
export interface SignInProof {
  readonly credential: RequestCredential
  readonly secondFactor?: CodeKind | 'passkey' | undefined
}

/** The user who signs in, and the credentials verified so far. */
export interface Begun {
  readonly user: User
  readonly proof: SignInProof
}

export type Sessions = ReturnType<typeof createSessions>

/**
 * Browser sessions for the pages of the server. The API does not accept them (behaviour/base-interface#authentication).
 */
export function createSessions({
  database,
  clock,
  events,
  lifetime,
}: {
  database: Database
  clock: Clock
  events: Events
  lifetime: number
}) {
  return {
    /** The lifetime of a session, in seconds. */
    lifetime,
    /** Returns the value for the cookie; the database stores only its hash. */
    async open(
      account: Pick<User, 'id'>,
      source: RequestSource,
      secondFactor?: SignInProof['secondFactor'],
    ): Promise<string> {
      const userId = account.id
      const actor = { account, source }
      const value = randomHex(VALUE_BYTES)
      const now = clock.now()
      await database.transaction(async (tx) => {
        await insertSession(tx, {
          token_hash: sha256Hex(value),
          user_id: userId,
          created_at: now,
          expires_at: now + lifetime * 1000,
        })
        await recordLogin(tx, userId, now)
        await events.append(
          tx,
          'user.signed_in',
          { actor, repoId: 0, at: now },
          { user_id: userId, ...(secondFactor !== undefined && { second_factor: secondFactor }) },
        )
      })
      return value
    },
    /** Undefined for an expired session, or when its user may no longer sign in. */
    async find(value: string): Promise<User | undefined> {
      const user = value === '' ? undefined : await findSessionUser(database.read, sha256Hex(value), clock.now())
      return user !== undefined && decideAccountState(user) === 'allowed' ? user : undefined
    },
    /** Whether the user has just proved who it is: required to change how it signs in. */
    async isRecent(value: string): Promise<boolean> {
      const openedAt = await findSessionStart(database.read, sha256Hex(value))
      return openedAt !== undefined && clock.now() - openedAt < RECENT_MS
    },
    close: (value: string): Promise<void> => database.transaction((tx) => deleteSession(tx, sha256Hex(value))),
  }
}
