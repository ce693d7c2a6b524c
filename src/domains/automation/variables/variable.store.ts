import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Db, Tx } from '../../../core/db/database.ts'
import { countRows, selectPage } from '../../../core/db/page.ts'
import { defineQuery } from '../../../core/db/prepared-statement.ts'
import { asId, type RepoId, type UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import type { ActionsOwner } from '../secrets/secret.store.ts'
import type { ActionsVariableTable } from './variable.table.ts'

export interface Variable {
  readonly id: number
  readonly owner: ActionsOwner
  readonly name: string
  readonly description: string
  readonly value: string
}

const toVariable = (row: Selectable<ActionsVariableTable>): Variable => ({
  id: row.id,
  owner: row.repo_id === null ? { ownerId: asId(row.owner_id!) } : { repoId: asId(row.repo_id) },
  name: row.name,
  description: row.description,
  value: row.value,
})

function variablesOf(db: Db, owner: ActionsOwner) {
  const variables = db.selectFrom('actions_variable')
  return 'repoId' in owner
    ? variables.where('repo_id', '=', owner.repoId)
    : variables.where('owner_id', '=', owner.ownerId)
}

/** Sorted by name. */
export const listVariables = (db: Db, owner: ActionsOwner, paging: Paging): Promise<Page<Variable>> =>
  selectPage(variablesOf(db, owner).selectAll().orderBy('name'), paging, toVariable)

export async function findVariable(db: Db, owner: ActionsOwner, name: string): Promise<Variable | undefined> {
  const row = await variablesOf(db, owner).selectAll().where('name', '=', name).executeTakeFirst()
  return row && toVariable(row)
}

export const countVariables = (db: Db, owner: ActionsOwner): Promise<number> =>
  countRows(variablesOf(db, owner).select('id'))

/** Variables of a repository and of its owner. */
export async function listVariablesInForce(
  db: Db,
  { repoId, ownerId }: { readonly repoId: RepoId; readonly ownerId: UserId },
): Promise<Variable[]> {
  return (await variablesInForce(db, { repoId, ownerId })).map(toVariable)
}

const variablesInForce = defineQuery((db, { repoId, ownerId }: { readonly repoId: RepoId; readonly ownerId: UserId }) =>
  db
    .selectFrom('actions_variable')
    .selectAll()
    .where((eb) => eb.or([eb('repo_id', '=', repoId), eb('owner_id', '=', ownerId)])),
)

export async function insertVariable(tx: Tx, values: Insertable<ActionsVariableTable>): Promise<void> {
  await tx.insertInto('actions_variable').values(values).execute()
}

export async function updateVariable(tx: Tx, id: number, values: Updateable<ActionsVariableTable>): Promise<void> {
  await tx.updateTable('actions_variable').set(values).where('id', '=', id).execute()
}

export async function deleteVariable(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('actions_variable').where('id', '=', id).execute()
}
