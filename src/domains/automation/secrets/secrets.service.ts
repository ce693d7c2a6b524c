import type { Core } from '../../../core/module.ts'
import type { Actor } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import type { SealedColumns } from '../../../core/db/sealed-columns.ts'
import { asId, type RepoId, type UserId } from '../../../core/platform/crypto/ids.ts'
import { errors } from '../../errors.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import {
  type ActionsOwner,
  lockOwner,
  ownerColumns,
  countSecrets,
  deleteSecret,
  findSecretId,
  insertSecret,
  listSealedSecrets,
  listSecrets,
  type Secret,
  updateSecret,
} from './secret.store.ts'
import type { secretEvents } from './secrets.events.ts'
import { MAX_VALUE_LENGTH, readDescription, readName, requireName, requireRoom } from './settings.policy.ts'

interface SecretInput {
  /** Case-insensitive; stored in upper case. */
  readonly name: string
  readonly value: string
  readonly description: string
}

type SecretDeps = Pick<Core, 'database' | 'clock' | 'events' | 'secrets' | 'log'>

/** The encryption context of a value: copied to another owner or name, it cannot be decrypted. */
const secretContext = (owner: ActionsOwner, name: string): string =>
  `actions_secret.value:${'repoId' in owner ? `repo:${owner.repoId}` : `owner:${owner.ownerId}`}:${name}`

export const sealedSecretColumns: SealedColumns = {
  table: 'actions_secret',
  key: 'id',
  contexts: {
    value: ({ repo_id: repoId, owner_id: ownerId, name }) =>
      secretContext(
        repoId === null ? { ownerId: asId(Number(ownerId)) } : { repoId: asId(Number(repoId)) },
        String(name),
      ),
  },
}

export type ActionsSecrets = ReturnType<typeof createSecrets>

/** Secrets of Actions: stored encrypted and never returned by the API (behaviour/actions#secrets). */
export function createSecrets(deps: SecretDeps) {
  const { database, clock, secrets, log } = deps
  const append = createAppend(deps)
  return {
    /** Sorted by name; without values. */
    list: (owner: ActionsOwner, paging: Paging): Promise<Page<Secret>> => listSecrets(database.read, owner, paging),

    /**
     * Stores a secret and returns it if it is new; returns undefined if it replaces an existing one. Throws BadRequest
     * for a bad name or a value of more than 65536 bytes, Invalid when the owner has too many.
     */
    async put(
      actor: Actor,
      owner: ActionsOwner,
      { name: text, value, description: given }: SecretInput,
    ): Promise<Secret | undefined> {
      const name = requireName(text)
      if (Buffer.byteLength(value) > MAX_VALUE_LENGTH) throw errors.valueTooLong()
      const description = readDescription(given)
      return database.transaction(async (tx) => {
        await lockOwner(tx, owner)
        const at = clock.now()
        const values = { value: secrets.seal(value, secretContext(owner, name)), description, updated_at: at }
        const present = await findSecretId(tx, owner, name)
        if (present === undefined) {
          requireRoom('secrets', await countSecrets(tx, owner))
          await insertSecret(tx, { ...ownerColumns(owner), name, ...values, created_at: at })
        } else await updateSecret(tx, present, values)
        await append(tx, present === undefined ? 'secret.created' : 'secret.edited', { actor, owner, name })
        return present === undefined ? { name, description, createdAt: at } : undefined
      })
    },

    /** Throws NotFound. */
    async delete(actor: Actor, owner: ActionsOwner, text: string): Promise<void> {
      const name = readName(text)
      await database.transaction(async (tx) => {
        const id = name === undefined ? undefined : await findSecretId(tx, owner, name)
        if (id === undefined || !(await deleteSecret(tx, id))) throw errors.secretNotFound()
        await append(tx, 'secret.deleted', { actor, owner, name: name! })
      })
    },

    /**
     * Values by name for a run in a repository: its own secrets, and those of its owner with other names. Omits values
     * that can no longer be decrypted, and logs their names.
     */
    async loadFor({
      id: repoId,
      ownerId,
    }: {
      readonly id: RepoId
      readonly ownerId: UserId
    }): Promise<ReadonlyMap<string, string>> {
      const all = await listSealedSecrets(database.read, { repoId, ownerId })
      const inOrder = all.toSorted((a, b) => Number('repoId' in a.owner) - Number('repoId' in b.owner))
      const values = new Map<string, string>()
      for (const { name, owner, sealed } of inOrder) {
        try {
          values.set(name, secrets.open(sealed, secretContext(owner, name)))
        } catch {
          log.warn({ name, ...owner }, 'a secret cannot be decrypted with the keys of this server')
        }
      }
      return values
    },
  }
}

interface ChangedSecret {
  readonly actor: Actor
  readonly owner: ActionsOwner
  readonly name: string
}

function createAppend({ clock, events }: SecretDeps) {
  return async (tx: Tx, kind: keyof typeof secretEvents, { actor, owner, name }: ChangedSecret): Promise<void> => {
    const { repo_id, owner_id } = ownerColumns(owner)
    const repoId = repo_id ?? 0
    await events.append(
      tx,
      kind,
      { actor, repoId, at: clock.now() },
      { repo_id: repoId, owner_id: owner_id ?? 0, name },
    )
  }
}
