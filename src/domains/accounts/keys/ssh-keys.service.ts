import type { Actor } from '../../../core/access/viewer.ts'
import { type Database, retryingTaken } from '../../../core/db/database.ts'
import type { Events } from '../../../core/events/index.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import { forbidden, invalid, notFound } from '../../../core/platform/errors.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { type KeyRules, readSshKey } from './read-ssh-key.ts'
import {
  claimPublicKey,
  deleteUserKey,
  findUserKey,
  insertUserKey,
  isKeyTitleTaken,
  listUserKeys,
  type UserKey,
} from './public-key.store.ts'

/** SSH keys of users (behaviour/users-and-admin#ssh-keys). */
export interface SshKeys {
  list(userId: UserId, fingerprint: string | undefined, paging: Paging): Promise<Page<UserKey>>
  /** Among the keys of all users. */
  findByFingerprint(fingerprint: string, paging: Paging): Promise<Page<UserKey>>
  /** Throws NotFound. */
  get(id: number): Promise<UserKey>
  /** Throws Invalid for a malformed or short key, a key in use and a title that is taken. */
  add(actor: Actor, userId: UserId, input: { title: string; key: string }): Promise<UserKey>
  /** Throws NotFound, and forbidden when the key is another user's. */
  delete(actor: Actor, userId: UserId, id: number): Promise<void>
}

interface SshKeyDeps {
  readonly database: Database
  readonly clock: Clock
  readonly events: Events
  readonly rules: KeyRules
}

export function createSshKeys({ database, clock, events, rules }: SshKeyDeps): SshKeys {
  const { read } = database
  const get = async (id: number): Promise<UserKey> => {
    const key = await findUserKey(read, id)
    if (key === undefined) throw unknown()
    return key
  }
  return {
    get,
    list: (userId, fingerprint, paging) => listUserKeys(read, { userId, fingerprint }, paging),
    findByFingerprint: (fingerprint, paging) => listUserKeys(read, { userId: undefined, fingerprint }, paging),

    async add(actor, userId, input) {
      const key = readSshKey(input.key, rules)
      return retryingTaken(database, async (tx) => {
        const keyId = await claimPublicKey(tx, key, 'user')
        if (keyId === undefined) throw invalid('Key content has been used as non-deploy key')
        if (await isKeyTitleTaken(tx, userId, input.title)) throw invalid('Key title has been used')
        const at = clock.now()
        const id = await insertUserKey(tx, {
          key_id: keyId,
          user_id: userId,
          title: input.title,
          comment: key.comment,
          created_at: at,
        })
        await events.append(
          tx,
          'user.key_added',
          { actor, repoId: 0, at },
          { user_id: userId, key_id: id, fingerprint: key.fingerprint },
        )
        return (await findUserKey(tx, id))!
      })
    },

    async delete(actor, userId, id) {
      const key = await get(id)
      if (key.userId !== userId) throw forbidden('You do not have access to this key')
      await database.transaction(async (tx) => {
        if (!(await deleteUserKey(tx, id))) throw unknown()
        await events.append(
          tx,
          'user.key_deleted',
          { actor, repoId: 0, at: clock.now() },
          { user_id: userId, key_id: id, fingerprint: key.fingerprint },
        )
      })
    },
  }
}

const unknown = (): Error => notFound('public key does not exist')
