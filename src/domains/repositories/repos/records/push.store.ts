import { type CredentialRestriction, formatRestriction } from '../../../../core/access/authorize.ts'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { updateRepo } from '../repo.store.ts'
import { asId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'

export interface PushRecord {
  readonly ref: string
  readonly oldOid: string
  readonly newOid: string
}

export interface BranchRecord {
  readonly name: string
  readonly oid: string
  readonly pusherId: UserId
  /** Epoch milliseconds of the push. */
  readonly updatedAt: number
}

export interface PushOrigin {
  readonly repoId: RepoId
  readonly pusherId: number
  /** The restriction of the credentials that pushed. */
  readonly restriction?: CredentialRestriction | undefined
  readonly at: number
}

const CHUNK = 100

export async function insertPushes(tx: Tx, origin: PushOrigin, pushes: readonly PushRecord[]): Promise<void> {
  for (let at = 0; at < pushes.length; at += CHUNK) {
    const rows = pushes.slice(at, at + CHUNK).map((push) => ({
      repo_id: origin.repoId,
      pusher_id: origin.pusherId,
      ref: push.ref,
      old_oid: push.oldOid,
      new_oid: push.newOid,
      created_at: origin.at,
    }))
    await tx.insertInto('push').values(rows).execute()
  }
}

/** Inserts branches or updates existing ones. */
export async function upsertBranches(
  tx: Tx,
  origin: PushOrigin,
  branches: readonly { readonly name: string; readonly oid: string }[],
): Promise<void> {
  for (let at = 0; at < branches.length; at += CHUNK) {
    const rows = branches.slice(at, at + CHUNK).map(({ name, oid }) => ({
      repo_id: origin.repoId,
      name,
      oid,
      pusher_id: origin.pusherId,
      pusher_restriction: formatRestriction(origin.restriction),
      updated_at: origin.at,
    }))
    await tx
      .insertInto('branch')
      .values(rows)
      .onConflict((on) =>
        on.columns(['repo_id', 'name']).doUpdateSet((eb) => ({
          oid: eb.ref('excluded.oid'),
          pusher_id: eb.ref('excluded.pusher_id'),
          pusher_restriction: eb.ref('excluded.pusher_restriction'),
          updated_at: eb.ref('excluded.updated_at'),
        })),
      )
      .execute()
  }
}

async function deleteBranches(tx: Tx, repoId: RepoId, names: readonly string[]): Promise<void> {
  for (let at = 0; at < names.length; at += CHUNK) {
    await tx
      .deleteFrom('branch')
      .where('repo_id', '=', repoId)
      .where('name', 'in', names.slice(at, at + CHUNK))
      .execute()
  }
}

/** Branches ordered by name. */
export async function listBranchRecords(db: Db, repoId: RepoId): Promise<BranchRecord[]> {
  const rows = await db.selectFrom('branch').selectAll().where('repo_id', '=', repoId).orderBy('name').execute()
  return rows.map((row) => ({ name: row.name, oid: row.oid, pusherId: asId(row.pusher_id), updatedAt: row.updated_at }))
}

async function countBranches(db: Db, repoId: RepoId): Promise<number> {
  const query = db
    .selectFrom('branch')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('repo_id', '=', repoId)
  return (await query.executeTakeFirstOrThrow()).count
}

export interface PushRows {
  readonly pushes: readonly PushRecord[]
  /** Branches that the push created or updated. */
  readonly branches: readonly { readonly name: string; readonly oid: string }[]
  /** Names of branches. */
  readonly deletedBranches: readonly string[]
  /** If absent, the default branch does not change. */
  readonly defaultBranch?: string | undefined
}

/** Records a push: the rows of branches and the columns of the repository. */
export async function recordPush(
  tx: Tx,
  origin: PushOrigin,
  { pushes, branches, deletedBranches, defaultBranch }: PushRows,
): Promise<void> {
  const { repoId, at } = origin
  await insertPushes(tx, origin, pushes)
  await upsertBranches(tx, origin, branches)
  await deleteBranches(tx, repoId, deletedBranches)
  const hasBranches = branches.length + deletedBranches.length > 0
  await updateRepo(tx, repoId, {
    pushed_at: at,
    updated_at: at,
    ...(hasBranches && { branches_count: await countBranches(tx, repoId) }),
    ...(branches.length > 0 && { is_empty: 0 as const }),
    ...(defaultBranch !== undefined && { default_branch: defaultBranch }),
  })
}
