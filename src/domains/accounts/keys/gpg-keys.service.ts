import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Database, Db } from '../../../core/db/database.ts'
import type { Events } from '../../../core/events/index.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import { forbidden, invalid, notFound } from '../../../core/platform/errors.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { joinArmoredKeys, PgpError, type PgpKey, readPgpKeys } from '../../../core/platform/pgp/index.ts'
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
import { createGpgProof } from './gpg-proof.service.ts'

interface GpgKeyInput {
  readonly armoredKey: string
  /** A signature over the token, which replaces a matching address. */
  readonly armoredSignature?: string | undefined
}

export interface GpgKeys {
  /** Primary keys of a user. */
  list(userId: UserId, paging: Paging): Promise<Page<GpgKey>>
  /** The user's own; throws NotFound for others. */
  get(userId: UserId, id: number): Promise<GpgKey>
  /** All keys in one armored block; undefined when there are none. */
  exportArmored(userId: UserId): Promise<string | undefined>
  /** The text may contain several keys; returns the first. Throws Invalid with the reason. */
  add(actor: SignedIn, input: GpgKeyInput): Promise<GpgKey>
  /** Does nothing for an unknown id; throws forbidden for another user's. */
  delete(actor: SignedIn, id: number): Promise<void>
  /** The text to sign to prove a key; valid for one to two minutes. */
  token(userId: UserId): Promise<string>
  /** Marks a key as verified. Throws NotFound, and Invalid when the signature is not by the key over the token. */
  verify(actor: SignedIn, input: { keyId: string; armoredSignature: string }): Promise<GpgKey>
}

interface GpgKeyDeps {
  readonly database: Database
  readonly clock: Clock
  readonly events: Events
}

export function createGpgKeys({ database, clock, events }: GpgKeyDeps): GpgKeys {
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
    token: async (userId) => proof.token(await getUser(userId)),
    list: (userId, paging) => listGpgKeys(read, userId, paging),

    async get(userId, id) {
      const key = await findGpgKey(read, id)
      if (key === undefined || key.userId !== userId) throw notFound('the GPG key does not exist')
      return key
    },

    async exportArmored(userId) {
      const armored = await listArmoredGpgKeys(read, userId)
      return armored.length === 0 ? undefined : joinArmoredKeys(armored)
    },

    async add(actor, { armoredKey, armoredSignature }) {
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
          if (id === undefined) throw invalid('A key with the same id already exists')
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

    async delete(actor, id) {
      const userId = actor.account.id
      const key = await findGpgKey(read, id)
      if (key === undefined) return
      if (key.userId !== userId) throw forbidden('You do not have access to this key')
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

    async verify({ account }, { keyId, armoredSignature }) {
      const user = await getUser(account.id)
      const key = (await findGpgKeysByKeyIds(read, [keyId])).get(keyId.toUpperCase())
      if (key === undefined || key.userId !== user.id) throw notFound('the GPG key does not exist')
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
