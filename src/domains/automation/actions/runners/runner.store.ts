import { type ExpressionBuilder, type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { type Db, dialectOf, type Tx } from '../../../../core/db/database.ts'
import type { Schema } from '../../../../core/db/schema.ts'
import { flag } from '../../../../core/db/flag.ts'
import { selectPage } from '../../../../core/db/page.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { type ActionsScope, type ScopeColumns, scopeColumns } from '../levels.ts'
import type { ActionRunnerTable } from '../actions.table.ts'
import type { RepoId, UserId } from '../../../../core/platform/crypto/ids.ts'

/** Times are epoch milliseconds, 0 for never. */
export interface Runner {
  readonly id: number
  readonly uuid: string
  readonly name: string
  /** 0 for runners of a repository and of the site. */
  readonly ownerId: number
  /** 0 for runners of an account and of the site. */
  readonly repoId: number
  readonly version: string
  readonly description: string
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
  version: row.version,
  description: row.description,
  labels: JSON.parse(row.labels) as string[],
  isDisabled: row.is_disabled === 1,
  isEphemeral: row.is_ephemeral === 1,
  onlineAt: row.online_at,
  activeAt: row.active_at,
})

/** The runners of exactly this level; for the site, all runners (behaviour/actions#runners). */
function runnersOf(db: Db, scope: ActionsScope) {
  const runners = db.selectFrom('action_runner')
  if (scope.kind === 'site') return runners
  const { owner_id, repo_id } = scopeColumns(scope)
  return owner_id === null ? runners.where('repo_id', '=', repo_id) : runners.where('owner_id', '=', owner_id)
}

/** Runners of this level and of those from which it inherits: a repository from its owner and the site. */
const visibleRunnersOf = (db: Db, scope: ActionsScope) =>
  scope.kind === 'site'
    ? runnersOf(db, scope)
    : db
        .selectFrom('action_runner')
        .where((runner) =>
          runner.or([
            runner.and([runner('owner_id', 'is', null), runner('repo_id', 'is', null)]),
            ...(scope.kind === 'owner'
              ? [runner('owner_id', '=', scope.ownerId)]
              : [
                  runner('repo_id', '=', scope.repoId),
                  runner('owner_id', '=', db.selectFrom('repo').select('owner_id').where('id', '=', scope.repoId)),
                ]),
          ]),
        )

export interface RunnerFilter {
  readonly isDisabled?: boolean | undefined
  /** Includes runners of the levels above. */
  readonly includesInherited?: boolean | undefined
}

/** Ordered by the last time online, latest first. */
export function listRunners(
  db: Db,
  scope: ActionsScope,
  { isDisabled, includesInherited = false, paging }: RunnerFilter & { readonly paging: Paging },
): Promise<Page<Runner>> {
  const ofLevel = includesInherited ? visibleRunnersOf(db, scope) : runnersOf(db, scope)
  const all = ofLevel.selectAll().orderBy('online_at', 'desc').orderBy('id', 'desc')
  return selectPage(isDisabled === undefined ? all : all.where('is_disabled', '=', flag(isDisabled)), paging, toRunner)
}

/** Returns undefined also for a runner that is neither of this level nor inherited. */
export async function findRunner(db: Db, scope: ActionsScope, id: number): Promise<Runner | undefined> {
  const row = await visibleRunnersOf(db, scope).selectAll().where('id', '=', id).executeTakeFirst()
  return row && toRunner(row)
}

/** Returns undefined also for a runner of another level. Locks the row until the transaction ends. */
export async function lockRunner(tx: Tx, scope: ActionsScope, id: number): Promise<Runner | undefined> {
  const row = await dialectOf(tx)
    .lockRows(runnersOf(tx, scope).selectAll().where('id', '=', id))
    .executeTakeFirst()
  return row && toRunner(row)
}

export async function insertRunner(tx: Tx, values: Insertable<ActionRunnerTable>): Promise<Runner> {
  return toRunner(await tx.insertInto('action_runner').values(values).returningAll().executeTakeFirstOrThrow())
}

export async function updateRunner(tx: Tx, id: number, values: Updateable<ActionRunnerTable>): Promise<Runner> {
  const query = tx.updateTable('action_runner').set(values).where('id', '=', id)
  return toRunner(await query.returningAll().executeTakeFirstOrThrow())
}

export async function deleteRunner(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('action_runner').where('id', '=', id).execute()
}

/**
 * Increments the counters by which runners detect a waiting job of this repository: those of the site, of the owner and
 * of the repository. Locks their rows in this order until the transaction ends.
 */
export async function raiseQueues(
  tx: Tx,
  { id: repoId, ownerId }: { readonly id: RepoId; readonly ownerId: UserId },
): Promise<void> {
  await tx
    .insertInto('action_queue')
    .values([
      { owner_id: null, repo_id: null, version: 1 },
      { owner_id: ownerId, repo_id: null, version: 1 },
      { owner_id: null, repo_id: repoId, version: 1 },
    ])
    .onConflict((conflict) =>
      conflict
        .expression(sql`coalesce(owner_id, 0), coalesce(repo_id, 0)`)
        .doUpdateSet({ version: sql<number>`action_queue.version + 1` }),
    )
    .execute()
}

/** Locks the counter of an owner, whose row exists since a job of the owner began to wait. */
export async function lockQueueOfOwner(tx: Tx, ownerId: number): Promise<void> {
  const isOfOwner = sql<boolean>`coalesce(owner_id, 0) = ${ownerId} and coalesce(repo_id, 0) = 0`
  const query = tx.selectFrom('action_queue').select('version').where(isOfOwner)
  await dialectOf(tx).lockRows(query).execute()
}

/** The active token of a level, encrypted. */
export async function findActiveToken(db: Db, scope: ActionsScope): Promise<string | undefined> {
  const { owner_id, repo_id } = scopeColumns(scope)
  const row = await db
    .selectFrom('action_registration_token')
    .select('sealed')
    .where('owner_id', owner_id === null ? 'is' : '=', owner_id)
    .where('repo_id', repo_id === null ? 'is' : '=', repo_id)
    .where('is_active', '=', 1)
    .executeTakeFirst()
  return row?.sealed
}

/** The level of a registration token, and whether it is the current one there. Undefined for an unknown token. */
export async function findTokenByHash(
  db: Db,
  hash: string,
): Promise<(ScopeColumns & { isActive: boolean }) | undefined> {
  const row = await db
    .selectFrom('action_registration_token')
    .select(['owner_id', 'repo_id', 'is_active'])
    .where('hash', '=', hash)
    .executeTakeFirst()
  return row && { owner_id: row.owner_id, repo_id: row.repo_id, isActive: row.is_active === 1 }
}

/** Invalidates the active token of a level. */
export async function deactivateTokens(tx: Tx, { owner_id, repo_id }: ScopeColumns): Promise<void> {
  await tx
    .updateTable('action_registration_token')
    .set({ is_active: 0 })
    .where('owner_id', owner_id === null ? 'is' : '=', owner_id)
    .where('repo_id', repo_id === null ? 'is' : '=', repo_id)
    .where('is_active', '=', 1)
    .execute()
}

interface NewToken {
  readonly hash: string
  readonly sealed: string
  readonly at: number
}

/** Inserts nothing when a concurrent transaction has inserted the active token of the level. */
export async function insertActiveToken(tx: Tx, scope: ActionsScope, { hash, sealed, at }: NewToken): Promise<void> {
  await tx
    .insertInto('action_registration_token')
    .values({ ...scopeColumns(scope), hash, sealed, created_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Nothing happens for a runner that may take more than one task. */
export async function deleteEphemeralRunner(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('action_runner').where('id', '=', id).where('is_ephemeral', '=', 1).execute()
}

/** Deletes ephemeral runners whose task has ended, and that have not asked about it since. */
export async function deleteSilentEphemeralRunners(tx: Tx, before: number): Promise<void> {
  await tx
    .deleteFrom('action_runner')
    .where('is_ephemeral', '=', 1)
    .where('active_at', '<', before)
    .where((eb) => eb.exists(tasksOf(eb)))
    .where((eb) =>
      eb.not(
        eb.exists(
          tasksOf(eb).where((task) => task.or([task('status', '=', 'running'), task('updated_at', '>=', before)])),
        ),
      ),
    )
    .execute()
}

const tasksOf = (eb: ExpressionBuilder<Schema, 'action_runner'>) =>
  eb.selectFrom('action_task').select('id').whereRef('action_task.runner_id', '=', 'action_runner.id')
