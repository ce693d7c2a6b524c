import type { Insertable, Selectable } from 'kysely'
import { type Db, dialectOf, type Tx } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import { selectPage } from '../../../../core/db/page.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { type ActionsPlace, placeColumns } from '../place.ts'
import type { ActionRunnerTable } from '../actions.table.ts'

/** Times are epoch milliseconds, 0 for never. */
export interface Runner {
  readonly id: number
  readonly uuid: string
  readonly name: string
  /** 0 for runners of a repository and of the site. */
  readonly ownerId: number
  /** 0 for runners of an account and of the site. */
  readonly repoId: number
  readonly labels: readonly string[]
  readonly isDisabled: boolean
  readonly isEphemeral: boolean
  readonly onlineAt: number
  readonly activeAt: number
}

const toRunner = (row: Selectable<ActionRunnerTable>): Runner => ({
  id: row.id,
  uuid: row.uuid,
  name: row.name,
  ownerId: row.owner_id ?? 0,
  repoId: row.repo_id ?? 0,
  labels: JSON.parse(row.labels) as string[],
  isDisabled: row.is_disabled === 1,
  isEphemeral: row.is_ephemeral === 1,
  onlineAt: row.online_at,
  activeAt: row.active_at,
})

/** The runners of exactly this place; all of them for the site (behaviour/actions#runners). */
function runnersOf(db: Db, place: ActionsPlace) {
  const runners = db.selectFrom('action_runner')
  if (place.kind === 'site') return runners
  const { owner_id, repo_id } = placeColumns(place)
  return owner_id === null ? runners.where('repo_id', '=', repo_id) : runners.where('owner_id', '=', owner_id)
}

export interface RunnerFilter {
  readonly isDisabled?: boolean | undefined
}

/** The one that was online last comes first. */
export function listRunners(
  db: Db,
  place: ActionsPlace,
  { isDisabled, paging }: RunnerFilter & { readonly paging: Paging },
): Promise<Page<Runner>> {
  const all = runnersOf(db, place).selectAll().orderBy('online_at', 'desc').orderBy('id', 'desc')
  return selectPage(isDisabled === undefined ? all : all.where('is_disabled', '=', flag(isDisabled)), paging, toRunner)
}

/** Returns undefined also if the runner is of another place. */
export async function findRunner(db: Db, place: ActionsPlace, id: number): Promise<Runner | undefined> {
  const row = await runnersOf(db, place).selectAll().where('id', '=', id).executeTakeFirst()
  return row && toRunner(row)
}

/** As findRunner; locks the row until the transaction ends. */
export async function lockRunner(tx: Tx, place: ActionsPlace, id: number): Promise<Runner | undefined> {
  const row = await dialectOf(tx)
    .lockRows(runnersOf(tx, place).selectAll().where('id', '=', id))
    .executeTakeFirst()
  return row && toRunner(row)
}

export async function insertRunner(tx: Tx, values: Insertable<ActionRunnerTable>): Promise<number> {
  const { id } = await tx.insertInto('action_runner').values(values).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function updateRunner(
  tx: Tx,
  id: number,
  values: { readonly is_disabled: 0 | 1; readonly updated_at: number },
): Promise<void> {
  await tx.updateTable('action_runner').set(values).where('id', '=', id).execute()
}

export async function deleteRunner(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('action_runner').where('id', '=', id).execute()
}
