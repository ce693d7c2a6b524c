import type { Core } from '../../../core/module.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import { invalid, notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import {
  joinArmoredKeys,
  PgpError,
  type PgpKey,
  readPgpKeys,
  verifyPgpSignature,
} from '../../../core/platform/pgp/index.ts'
import { type User, findUserById } from '../users/user.store.ts'
import { listEmails } from '../users/emails/email.store.ts'
import {
  claimGpgKey,
  deleteGpgKey,
  findGpgKey,
  findGpgKeysByKeyIds,
  type GpgKey,
  listArmoredGpgKeys,
  listGpgKeys,
  setGpgKeyVerified,
} from './gpg-key.store.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import { sha256Hex } from '../../../core/platform/crypto/crypto.ts'

const MINUTE = 60_000

/** Users prove that they have the private part of a GPG key by signing a token of the current minute. */
function createGpgProof(clock: Clock) {
  const tokenAt = (user: User, minute: number): string =>
    sha256Hex([minute * MINUTE, user.createdAt, user.name, user.email, user.id].join(':'))
  const minuteNow = (): number => Math.floor(clock.now() / MINUTE)
  const token = (user: User): string => tokenAt(user, minuteNow())
  return {
    /** Valid for one to two minutes. */
    token,
    /** Whether the key signed the token of this minute or of the previous one. */
    async proves(user: User, armoredKey: string, armoredSignature: string): Promise<boolean> {
      const tokens = [token(user), tokenAt(user, minuteNow() - 1)]
      for (const text of tokens.flatMap((value) => [value, `${value}\n`, `${value}\r\n`])) {
        if (await isValidSignature({ armoredKey, armoredSignature, data: Buffer.from(text) }, clock.now())) return true
      }
      return false
    },
  }
}

async function isValidSignature(...[signature, now]: Parameters<typeof verifyPgpSignature>): Promise<boolean> {
  try {
    return await verifyPgpSignature(signature, now)
  } catch (error) {
    if (error instanceof PgpError) return false
    throw error
  }
}

interface GpgKeyInput {
  readonly armoredKey: string
  /** A signature over the token; accepted instead of a matching address. */
  readonly armoredSignature?: string | undefined
}

type GpgKeyDeps = Pick<Core, 'database' | 'clock' | 'events'>

export type GpgKeys = ReturnType<typeof createGpgKeys>

export function createGpgKeys({ database, clock, events }: GpgKeyDeps) {
  const { read } = database
  const proof = createGpgProof(clock)
  const getUser = async (id: UserId): Promise<User> => {
    const user = await findUserById(read, id)
    if (user === undefined) throw notFound('the account does not exist')
    return user
  }
  const mismatch = (user: User) =>
    invalid(
      `The provided GPG key, signature and token do not match or token is out of date. Provide a valid signature for the token: ${proof.token(user)}`,
    )
  return {
    /** The text to sign to prove a key; valid for one to two minutes. */
    token: async (userId: UserId): Promise<string> => proof.token(await getUser(userId)),
    /** Primary keys of a user. */
    list: (userId: UserId, paging: Paging): Promise<Page<GpgKey>> => listGpgKeys(read, userId, paging),

    /** Returns a key of this user; throws NotFound for keys of others. */
    async get(userId: UserId, id: number): Promise<GpgKey> {
      const key = await findGpgKey(read, id)
      if (key === undefined || key.userId !== userId) throw errors.gpgKeyNotFound()
      return key
    },

    /** All keys in one armored block; undefined when the user has none. */
    async exportArmored(userId: UserId): Promise<string | undefined> {
      const armored = await listArmoredGpgKeys(read, userId)
      return armored.length === 0 ? undefined : joinArmoredKeys(armored)
    },

    /** The text may contain several keys; returns the first. Throws Invalid with the reason. */
    async add(actor: SignedIn, { armoredKey, armoredSignature }: GpgKeyInput): Promise<GpgKey> {
      const user = await getUser(actor.account.id)
      const keys = await parse(armoredKey, clock.now())
      const own = await listActivatedEmails(read, user.id)
      for (const key of keys) {
        if (armoredSignature) {
          if (!(await proof.proves(user, key.armored, armoredSignature))) throw mismatch(user)
        } else if (!key.emails.some((email) => own.has(email))) {
          throw invalid(
            `None of the emails attached to the GPG key could be found. It may still be added if you provide a valid signature for the token: ${proof.token(user)}`,
          )
        }
      }
      return database.transaction(async (tx) => {
        const ids: number[] = []
        for (const key of keys) {
          const at = clock.now()
          const id = await claimGpgKey(tx, user.id, { ...key, isVerified: Boolean(armoredSignature) }, at)
          if (id === undefined) throw errors.gpgKeyExists()
          await events.append(
            tx,
            'user.gpg_key_added',
            { actor, repoId: 0, at },
            { user_id: user.id, key_id: key.keyId },
          )
          ids.push(id)
        }
        return (await findGpgKey(tx, ids[0]!))!
      })
    },

    /** Does nothing for an unknown id; throws forbidden for a key of another user. */
    async delete(actor: SignedIn, id: number): Promise<void> {
      const userId = actor.account.id
      const key = await findGpgKey(read, id)
      if (key === undefined) return
      if (key.userId !== userId) throw errors.keyOfOther()
      await database.transaction(async (tx) => {
        if (!(await deleteGpgKey(tx, key.keyId))) return
        await events.append(
          tx,
          'user.gpg_key_deleted',
          { actor, repoId: 0, at: clock.now() },
          { user_id: userId, key_id: key.keyId },
        )
      })
    },

    /** Marks a key as verified. Throws NotFound, and Invalid when the key did not sign the token. */
    async verify(
      { account }: SignedIn,
      { keyId, armoredSignature }: { keyId: string; armoredSignature: string },
    ): Promise<GpgKey> {
      const user = await getUser(account.id)
      const key = (await findGpgKeysByKeyIds(read, [keyId])).get(keyId.toUpperCase())
      if (key === undefined || key.userId !== user.id) throw errors.gpgKeyNotFound()
      if (!(await proof.proves(user, key.armored, armoredSignature))) throw mismatch(user)
      await database.transaction((tx) => setGpgKeyVerified(tx, key.keyId))
      return (await findGpgKey(read, key.id)) ?? key
    },
  }
}

async function listActivatedEmails(db: Db, userId: UserId): Promise<Set<string>> {
  const emails = await listEmails(db, userId)
  return new Set(emails.filter(({ isActivated }) => isActivated).map(({ email }) => email.toLowerCase()))
}

async function parse(text: string, now: number): Promise<PgpKey[]> {
  try {
    return await readPgpKeys(text, now)
  } catch (error) {
    throw error instanceof PgpError ? invalid(`failed to parse gpg key ${error.message}`) : error
  }
}
