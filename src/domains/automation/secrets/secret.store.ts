import type { Tx, Db } from '../../../core/db/database.ts'
import type { RepoId, UserId } from '../../../core/platform/crypto/ids.ts'
import { repoQueries } from '../../repositories/index.ts'
import { userQueries } from '../../accounts/index.ts'
import type { Insertable, Updateable } from 'kysely'
import { countRows, selectPage } from '../../../core/db/page.ts'
import { defineQuery } from '../../../core/db/prepared-statement.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import type { ActionsSecretTable } from './secret.table.ts'

/** The owner of secrets and variables: a repository, or the user or organization that owns some. */
export type ActionsOwner = { readonly repoId: RepoId } | { readonly ownerId: UserId }

/** The columns for the owner in a table of secrets or variables. */
interface OwnerColumns {
  readonly repo_id: number | null
  readonly owner_id: number | null
}

export const ownerColumns = (owner: ActionsOwner): OwnerColumns =>
  'repoId' in owner ? { repo_id: owner.repoId, owner_id: null } : { repo_id: null, owner_id: owner.ownerId }

/** Locks the row of the owner, so that the names and the number of its secrets and variables do not change. */
export const lockOwner = (tx: Tx, owner: ActionsOwner): Promise<void> =>
  'repoId' in owner ? repoQueries.lock(tx, owner.repoId) : userQueries.lock(tx, [owner.ownerId])

/** A secret without its value. */
export interface Secret {
  readonly name: string
  readonly description: string
  /** Epoch milliseconds. */
  readonly createdAt: number
}

export interface SealedSecret {
  readonly name: string
  readonly owner: ActionsOwner
  readonly sealed: string
}

function secretsOf(db: Db, owner: ActionsOwner) {
  const secrets = db.selectFrom('actions_secret')
  return 'repoId' in owner ? secrets.where('repo_id', '=', owner.repoId) : secrets.where('owner_id', '=', owner.ownerId)
}

/** Sorted by name. */
export const listSecrets = (db: Db, owner: ActionsOwner, paging: Paging): Promise<Page<Secret>> =>
  selectPage(
    secretsOf(db, owner).select(['name', 'description', 'created_at']).orderBy('name'),
    paging,
    ({ name, description, created_at: createdAt }): Secret => ({ name, description, createdAt }),
  )

export async function findSecretId(db: Db, owner: ActionsOwner, name: string): Promise<number | undefined> {
  const row = await secretsOf(db, owner).select('id').where('name', '=', name).executeTakeFirst()
  return row?.id
}

export const countSecrets = (db: Db, owner: ActionsOwner): Promise<number> =>
  countRows(secretsOf(db, owner).select('id'))

/** Secrets of a repository and of its owner. */
export async function listSealedSecrets(
  db: Db,
  { repoId, ownerId }: { readonly repoId: RepoId; readonly ownerId: UserId },
): Promise<SealedSecret[]> {
  const rows = await sealedSecrets(db, { repoId, ownerId })
  return rows.map(({ repo_id, name, value: sealed }) => ({
    name,
    owner: repo_id === null ? { ownerId } : { repoId },
    sealed,
  }))
}

const sealedSecrets = defineQuery((db, { repoId, ownerId }: { readonly repoId: RepoId; readonly ownerId: UserId }) =>
  db
    .selectFrom('actions_secret')
    .select(['repo_id', 'name', 'value'])
    .where((eb) => eb.or([eb('repo_id', '=', repoId), eb('owner_id', '=', ownerId)])),
)

export async function insertSecret(tx: Tx, values: Insertable<ActionsSecretTable>): Promise<void> {
  await tx.insertInto('actions_secret').values(values).execute()
}

export async function updateSecret(tx: Tx, id: number, values: Updateable<ActionsSecretTable>): Promise<void> {
  await tx.updateTable('actions_secret').set(values).where('id', '=', id).execute()
}

/** Returns false when it was already deleted. */
export async function deleteSecret(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('actions_secret').where('id', '=', id).executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
