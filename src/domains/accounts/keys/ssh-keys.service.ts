import type { Core } from '../../../core/module.ts'
import type { Actor } from '../../../core/access/viewer.ts'
import { retryOnUniqueViolation } from '../../../core/db/database.ts'
import { forbidden, invalid, isDomainError } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import type { SshPublicKey } from '../../../core/platform/ssh/key.ts'
import { type KeyRules, readSshKey } from './read-ssh-key.ts'
import {
  claimPublicKey,
  deleteUserKey,
  findUserKey,
  insertUserKey,
  isKeyTitleTaken,
  listKeysOfSource,
  listUserKeys,
  type UserKey,
} from './public-key.store.ts'

interface SshKeyDeps extends Pick<Core, 'database' | 'clock' | 'events'> {
  readonly rules: KeyRules
}

export type SshKeys = ReturnType<typeof createSshKeys>

/** SSH keys of users (behaviour/users-and-admin#ssh-keys). */
export function createSshKeys({ database, clock, events, rules }: SshKeyDeps) {
  const { read } = database
  const get = async (id: number): Promise<UserKey> => {
    const key = await findUserKey(read, id)
    if (key === undefined) throw unknown()
    return key
  }
  return {
    /** Throws NotFound. */
    get,
    list: (userId: UserId, fingerprint: string | undefined, paging: Paging): Promise<Page<UserKey>> =>
      listUserKeys(read, { userId, fingerprint }, paging),
    /** Searches the keys of all users. */
    findByFingerprint: (fingerprint: string, paging: Paging): Promise<Page<UserKey>> =>
      listUserKeys(read, { userId: undefined, fingerprint }, paging),

    /** Throws Invalid for a malformed or short key, a key in use, or a duplicate title. */
    async add(actor: Actor, userId: UserId, input: { title: string; key: string }): Promise<UserKey> {
      const key = readSshKey(input.key, rules)
      return retryOnUniqueViolation(database, async (tx) => {
        const keyId = await claimPublicKey(tx, key, 'user')
        if (keyId === undefined) throw errors.publicKeyTaken()
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

    /** Throws NotFound, and forbidden for a key of another user or of a sign-in source. */
    async delete(actor: Actor, userId: UserId, id: number): Promise<void> {
      const key = await get(id)
      if (key.userId !== userId) throw errors.keyOfOther()
      if (key.sourceId !== 0) throw forbidden('SSH Key is externally managed for this user')
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

    /**
     * Replaces the keys that the user has from the source by those of `lines`; returns whether anything changed. Omits
     * lines that are not acceptable keys, and keys in use.
     */
    async replaceOfSource(actor: Actor, userId: UserId, { sourceId, lines }: SourceKeys): Promise<boolean> {
      const given = new Map(acceptable(lines, rules).map((key) => [key.fingerprint, key]))
      const present = await listKeysOfSource(read, userId, sourceId)
      const old = present.filter(({ fingerprint }) => !given.has(fingerprint))
      const fresh = [...given.values()].filter((key) => !present.some((one) => one.fingerprint === key.fingerprint))
      if (old.length === 0 && fresh.length === 0) return false
      return retryOnUniqueViolation(database, async (tx) => {
        const origin = { actor, repoId: 0, at: clock.now() }
        let isChanged = false
        for (const { id, fingerprint } of old) {
          if (!(await deleteUserKey(tx, id))) continue
          await events.append(tx, 'user.key_deleted', origin, { user_id: userId, key_id: id, fingerprint })
          isChanged = true
        }
        for (const key of fresh) {
          const { comment, fingerprint } = key
          const keyId = await claimPublicKey(tx, key, 'user')
          if (keyId === undefined) continue
          const id = await insertUserKey(tx, {
            key_id: keyId,
            user_id: userId,
            title: `sign-in source ${sourceId}: ${fingerprint}`,
            comment,
            source_id: sourceId,
            created_at: origin.at,
          })
          await events.append(tx, 'user.key_added', origin, { user_id: userId, key_id: id, fingerprint })
          isChanged = true
        }
        return isChanged
      })
    },
  }
}

interface SourceKeys {
  readonly sourceId: number
  readonly lines: readonly string[]
}

function acceptable(lines: readonly string[], rules: KeyRules): SshPublicKey[] {
  return lines.flatMap((line) => {
    try {
      return [readSshKey(line, rules)]
    } catch (error) {
      if (isDomainError(error)) return []
      throw error
    }
  })
}

const unknown = (): Error => errors.publicKeyNotFound()
