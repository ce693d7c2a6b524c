import { type Insertable, type Selectable, type Updateable } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { selectPage } from '../../../../core/db/page.ts'
import { asId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import type { RepoImportTable } from './repo-import.table.ts'

/** An import of a repository; times are epoch milliseconds. */
export interface RepoImport {
  readonly id: number
  readonly storage: string
  readonly state: RepoImportTable['state']
  readonly isAsync: boolean
  readonly isCanceled: boolean
  readonly actorId: UserId
  readonly ownerId: UserId
  readonly name: string
  readonly repoId: RepoId | undefined
  readonly phase: string
  readonly cursor: string
  readonly done: Readonly<Record<string, number>>
  readonly total: Readonly<Record<string, number>>
  readonly warnings: readonly string[]
  /** Number of all warnings, including those that are not stored. */
  readonly warningsCount: number
  readonly error: string
  /** Encrypted. */
  readonly request: string
  readonly createdAt: number
  readonly updatedAt: number
}

const toRepoImport = (row: Selectable<RepoImportTable>): RepoImport => ({
  id: row.id,
  storage: row.storage,
  state: row.state,
  isAsync: row.is_async === 1,
  isCanceled: row.is_canceled === 1,
  actorId: asId(row.actor_id),
  ownerId: asId(row.owner_id),
  name: row.name,
  repoId: row.repo_id === 0 ? undefined : asId(row.repo_id),
  phase: row.phase,
  cursor: row.cursor,
  done: JSON.parse(row.done) as RepoImport['done'],
  total: JSON.parse(row.total) as RepoImport['total'],
  warnings: JSON.parse(row.warnings) as RepoImport['warnings'],
  warningsCount: row.warnings_count,
  error: row.error,
  request: row.request,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

type NewRepoImport = Pick<
  Insertable<RepoImportTable>,
  'storage' | 'is_async' | 'actor_id' | 'owner_id' | 'name' | 'request' | 'warnings' | 'warnings_count'
> & { readonly at: number }

/** Throws the unique violation of a name that another running import has. */
export async function insertRepoImport(tx: Tx, { at, ...values }: NewRepoImport): Promise<RepoImport> {
  const row = await tx
    .insertInto('repo_import')
    .values({
      ...values,
      reserved_name: `${values.owner_id}/${values.name.toLowerCase()}`,
      state: 'running',
      created_at: at,
      updated_at: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return toRepoImport(row)
}

export type ProgressValues = Updateable<
  Pick<
    RepoImportTable,
    'cursor' | 'done' | 'phase' | 'repo_id' | 'total' | 'updated_at' | 'warnings' | 'warnings_count'
  >
>

/** The last step that was written. */
export type StepPosition = Pick<RepoImport, 'cursor' | 'phase'>

/**
 * Changes the progress of an import that is at `position`. `canceled`: it was ended or is to stop; `moved`: another run
 * has written a step.
 */
export async function recordProgress(
  tx: Tx,
  { id, position: { phase, cursor } }: { readonly id: number; readonly position: StepPosition },
  values: ProgressValues,
): Promise<'canceled' | 'done' | 'moved'> {
  const { numUpdatedRows } = await tx
    .updateTable('repo_import')
    .set(values)
    .where('id', '=', id)
    .where('state', '=', 'running')
    .where('is_canceled', '=', 0)
    .where('phase', '=', phase)
    .where('cursor', '=', cursor)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows > 0n) return 'done'
  const found = await findRepoImport(tx, id)
  return found?.state === 'running' && !found.isCanceled ? 'moved' : 'canceled'
}

interface End extends Pick<RepoImport, 'id' | 'storage'> {
  readonly state: Exclude<RepoImport['state'], 'running'>
  readonly error: string
  /** Id of the repository; 0 without one. */
  readonly repoId: number
  readonly at: number
}

/** Ends a running import, which makes its name free. */
export async function endRepoImport(
  tx: Tx,
  { id, storage, state, error, repoId, at }: End,
  values: Pick<ProgressValues, 'warnings' | 'warnings_count'> = {},
): Promise<void> {
  await tx
    .updateTable('repo_import')
    .set({
      ...values,
      state,
      error,
      repo_id: repoId,
      reserved_name: storage,
      request: '',
      updated_at: at,
      ended_at: at,
    })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .execute()
}

/** Deletes the records of imports that ended before a time in epoch milliseconds. */
export async function pruneRepoImports(tx: Tx, before: number): Promise<void> {
  await tx.deleteFrom('repo_import').where('ended_at', '>', 0).where('ended_at', '<', before).execute()
}

/** Cancels a running import, which ends at its next step. */
export async function cancelRepoImport(tx: Tx, id: number): Promise<void> {
  await tx.updateTable('repo_import').set({ is_canceled: 1 }).where('id', '=', id).execute()
}

/** The number of running asynchronous imports that an account started. */
export async function countRunningImports(db: Db, actorId: UserId): Promise<number> {
  const { count } = await db
    .selectFrom('repo_import')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('actor_id', '=', actorId)
    .where('state', '=', 'running')
    .where('is_async', '=', 1)
    .executeTakeFirstOrThrow()
  return count
}

/** Running asynchronous imports, oldest first. */
export async function listRunningImports(db: Db): Promise<RepoImport[]> {
  const running = db.selectFrom('repo_import').selectAll().where('state', '=', 'running').where('is_async', '=', 1)
  return (await running.orderBy('id').execute()).map(toRepoImport)
}

export async function findRepoImport(db: Db, id: number): Promise<RepoImport | undefined> {
  const row = await db.selectFrom('repo_import').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toRepoImport(row)
}

/** The imports that an account started, newest first. */
export const listRepoImports = (db: Db, actorId: UserId, paging: Paging): Promise<Page<RepoImport>> =>
  selectPage(
    db.selectFrom('repo_import').selectAll().where('actor_id', '=', actorId).orderBy('id', 'desc'),
    paging,
    toRepoImport,
  )

export async function findImportByStorage(db: Db, storage: string): Promise<RepoImport | undefined> {
  const row = await db.selectFrom('repo_import').selectAll().where('storage', '=', storage).executeTakeFirst()
  return row && toRepoImport(row)
}
