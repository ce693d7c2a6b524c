import { randomBytes } from 'node:crypto'
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import type { Actor } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import type { Core } from '../../../../core/module.ts'
import type { RateLimit } from '../../../../core/platform/concurrency/rate-limit.ts'
import { sha256Hex } from '../../../../core/platform/crypto/crypto.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import { invalid, notFound, oversize } from '../../../../core/platform/errors.ts'
import { clientNetwork } from '../../../../core/platform/http/client-network.ts'
import type { RequestClient } from '../../../../core/platform/request-source.ts'
import { type User, findUserById } from '../../users/user.store.ts'
import type { SignInRecords } from '../sign-in-records.service.ts'
import { deleteRecoveryCodes, findTwoFactor } from '../two-factor/two-factor.store.ts'
import { type Challenge, type ChallengeScope, makeChallenge, readChallenge } from './challenges.ts'
import { type CreationOptions, creationOptions, type RequestOptions, requestOptions } from './options.ts'
import {
  deleteChallengesUntil,
  deletePasskeys,
  findCredential,
  hasPasskeys,
  insertPasskey,
  listPasskeys,
  type Passkey,
  recordUse,
  updatePasskeyName,
  useChallenge,
} from './passkey.store.ts'
import { findRelyingParty, type RelyingParty } from './relying-party.ts'
import { parseResponse, verifyAssertion, verifyRegistration } from './verify.ts'

export type { Passkey } from './passkey.store.ts'

/** The options that a page passes to the authenticator, and the ticket that its form returns. */
interface Offer<Options> {
  readonly ticket: string
  readonly options: Options
}

/** The fields of a form that the script of the page filled in. */
export interface Answer {
  readonly ticket: string
  readonly response: string
}

/** A browser that must present a passkey: of `user` after the password, otherwise of any user. */
interface Challenged {
  readonly cookie: string
  readonly user?: Pick<User, 'id'> | undefined
}

interface Registering {
  readonly user: Pick<User, 'id' | 'name' | 'fullName'>
  /** The cookie of the session. */
  readonly cookie: string
}

export type SignInOffer = Offer<RequestOptions>
export type RegistrationOffer = Offer<CreationOptions>
export type Passkeys = ReturnType<typeof createPasskeys>

export interface PasskeyDeps extends Pick<Core, 'database' | 'clock' | 'events' | 'secrets' | 'log'> {
  rootUrl(): string
  readonly rateLimit: RateLimit
  readonly records: Pick<SignInRecords, 'failed'>
}

const MAX_PASSKEYS = 25
const MAX_NAME = 64
const HANDLE_BYTES = 32
/** Clocks of servers differ: a used challenge is stored for longer than it is valid. */
const CLOCK_SKEW_MS = 10 * 60_000

const tooLate = (): Error => invalid('That took too long. Try again.')

/**
 * Passkeys (WebAuthn): the second step of signing in with the password, or the only one if the authenticator verifies
 * its user. Each challenge belongs to one browser, expires, and works once.
 */
export function createPasskeys(deps: PasskeyDeps) {
  const { database, clock, events } = deps
  const { read } = database
  const party = (): RelyingParty | undefined => findRelyingParty(deps.rootUrl())
  const append = (
    tx: Tx,
    kind: 'user.passkey_added' | 'user.passkey_deleted',
    actor: Actor,
    { userId, id, name }: Pick<Passkey, 'userId' | 'id' | 'name'>,
  ): Promise<void> =>
    events.append(tx, kind, { actor, repoId: 0, at: clock.now() }, { user_id: userId, passkey_id: id, name })

  return {
    /** Whether browsers have passkeys for this server, by its root URL. */
    isAvailable: (): boolean => party() !== undefined,

    /** Whether signing in with the password requires a second step. */
    isEnrolled: (userId: UserId): Promise<boolean> => hasPasskeys(read, userId),

    list: (userId: UserId): Promise<Passkey[]> => listPasskeys(read, userId),

    /** Undefined where browsers have no passkeys, or when the user has no room for another. */
    async offerRegistration({ user, cookie }: Registering): Promise<RegistrationOffer | undefined> {
      const rp = party()
      const present = await listPasskeys(read, user.id)
      if (rp === undefined || present.length >= MAX_PASSKEYS) return undefined
      const handle = present[0]?.userHandle ?? randomBytes(HANDLE_BYTES).toString('base64url')
      const { ticket, value } = makeChallenge(deps, { purpose: 'register', cookie, userId: user.id }, handle)
      return { ticket, options: creationOptions({ rp, user, handle, present, challenge: value }) }
    },

    /** Throws invalid with a message for the user. */
    async register(
      actor: Actor,
      { user, cookie }: Registering,
      { name, ...answer }: Answer & { readonly name: string },
    ): Promise<void> {
      const challenge = readChallenge(deps, answer.ticket, { purpose: 'register', cookie, userId: user.id })
      const rp = party()
      if (challenge === undefined || rp === undefined) throw tooLate()
      const verified = await verifyRegistration(answer.response, { challenge: challenge.value, party: rp })
      if (!verified.ok) {
        deps.log.info({ user: user.id, reason: verified.reason }, 'refused to register a passkey')
        throw invalid('This passkey cannot be registered.')
      }
      const { id, publicKey, transports, signCount } = verified.value
      const values = {
        user_id: user.id,
        name: checkedName(name),
        credential_id: id,
        public_key: publicKey,
        transports: transports.join(','),
        user_handle: challenge.userHandle,
        sign_count: signCount,
        created_at: clock.now(),
      }
      await database.transaction(async (tx) => {
        if (!(await consume(tx, deps, challenge))) throw tooLate()
        if ((await listPasskeys(tx, user.id)).length >= MAX_PASSKEYS)
          throw invalid(`An account has at most ${MAX_PASSKEYS} passkeys.`)
        const inserted = await insertPasskey(tx, values)
        if (inserted === undefined) throw invalid('This passkey is registered already.')
        await append(tx, 'user.passkey_added', actor, { userId: user.id, id: inserted, name: values.name })
      })
    },

    /** Throws NotFound, and invalid for a name that is too long. */
    async rename(userId: UserId, id: number, name: string): Promise<void> {
      const values = { id, name: checkedName(name) }
      const renamed = await database.transaction((tx) => updatePasskeyName(tx, userId, values))
      if (!renamed) throw notFound('passkey does not exist')
    },

    /**
     * Deletes one passkey of the user, or without `id` all; with the last one the recovery codes, unless the account
     * has one-time codes. Returns how many there were.
     */
    delete: (actor: Actor, userId: UserId, id?: number): Promise<number> =>
      database.transaction(async (tx) => {
        const deleted = await deletePasskeys(tx, userId, id)
        for (const passkey of deleted) await append(tx, 'user.passkey_deleted', actor, { userId, ...passkey })
        const hasSecondStep = (await hasPasskeys(tx, userId)) || (await findTwoFactor(tx, userId))?.isConfirmed
        if (!hasSecondStep) await deleteRecoveryCodes(tx, userId)
        return deleted.length
      }),

    /** Undefined where browsers have no passkeys. */
    async offerSignIn({ cookie, user }: Challenged): Promise<SignInOffer | undefined> {
      const rp = party()
      if (rp === undefined) return undefined
      const { ticket, value } = makeChallenge(deps, placeOf({ cookie, user }))
      const allowed = user === undefined ? [] : await listPasskeys(read, user.id)
      return { ticket, options: requestOptions({ rp, challenge: value, allowed }) }
    },

    /**
     * The user whose passkey signed the challenge; undefined when it is refused. Without `user` the authenticator must
     * have verified its user. Throws too-many-requests.
     */
    async signIn(
      { ticket, response: text }: Answer,
      { cookie, user, client }: Challenged & { readonly client: RequestClient },
    ): Promise<{ readonly user: User; readonly passkey: Passkey } | undefined> {
      deps.rateLimit.take(clientNetwork(client.address))
      const refuse = (reason: string, userId = 0): undefined => {
        deps.log.info({ user: userId, reason }, 'refused a passkey')
        deps.records.failed({ client, credential: { kind: 'passkey', id: 0 }, userId })
        return undefined
      }
      const challenge = readChallenge(deps, ticket, placeOf({ cookie, user }))
      const rp = party()
      const response = parseResponse<AuthenticationResponseJSON>(text)
      if (challenge === undefined || rp === undefined || response === undefined) return refuse('no valid challenge')
      const passkey = await findCredential(read, response.id)
      if (passkey === undefined) return refuse('unknown credential')
      if (user !== undefined && passkey.userId !== user.id) return refuse('credential of another user', user.id)
      if (user === undefined && response.response.userHandle !== passkey.userHandle)
        return refuse('the user handle is not that of the credential', passkey.userId)
      const expected = { challenge: challenge.value, party: rp, userVerification: user === undefined }
      const verified = await verifyAssertion(response, passkey, expected)
      if (!verified.ok) return refuse(verified.reason, passkey.userId)
      const isFirst = await database.transaction(
        async (tx) =>
          (await consume(tx, deps, challenge)) &&
          (await recordUse(tx, passkey.id, { count: verified.value, at: clock.now() })),
      )
      if (!isFirst) return refuse('the challenge was used already, or the counter went back', passkey.userId)
      const owner = await findUserById(read, passkey.userId)
      return owner && { user: owner, passkey }
    },
  }
}

const placeOf = ({ cookie, user }: Challenged): ChallengeScope => ({
  purpose: user === undefined ? 'sign-in' : 'second-factor',
  cookie,
  userId: user?.id ?? 0,
})

/** Returns false when the challenge was used before. */
async function consume(tx: Tx, { clock }: Pick<Core, 'clock'>, { value, until }: Challenge): Promise<boolean> {
  await deleteChallengesUntil(tx, clock.now())
  return useChallenge(tx, { challenge_hash: sha256Hex(value), expires_at: until + CLOCK_SKEW_MS })
}

function checkedName(name: string): string {
  const trimmed = name.trim()
  if (trimmed.length > MAX_NAME) throw oversize('Name', MAX_NAME, 'characters')
  return trimmed || 'Passkey'
}
