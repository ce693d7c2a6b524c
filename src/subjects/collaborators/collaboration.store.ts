import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import { AccessMode, asAccessMode } from '../../access/access-mode.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Schema } from '../../db/schema.ts'
import type { RepoId, UserId } from '../../platform/ids.ts'
import type { Page, Paging } from '../../platform/paging.ts'
import { toUser, type User } from '../users/index.ts'

/** Explicit collaborators by id; neither the owner nor team members. */
export async function listCollaborators(db: Db, repoId: RepoId, paging: Paging): Promise<Page<User>> {
  const rows = await db
    .selectFrom('collaboration')
    .innerJoin('user', 'user.id', 'collaboration.user_id')
    .selectAll('user')
    .where('collaboration.repo_id', '=', repoId)
    .orderBy('user.id')
    .limit(paging.limit)
    .offset(paging.offset)
    .execute()
  const { total } = await db
    .selectFrom('collaboration')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('repo_id', '=', repoId)
    .executeTakeFirstOrThrow()
  return { items: rows.map(toUser), total }
}

/** `none` for somebody who is not a collaborator. */
export async function findCollaborationMode(db: Db, repoId: RepoId, userId: UserId): Promise<AccessMode> {
  const row = await db
    .selectFrom('collaboration')
    .select('mode')
    .where('repo_id', '=', repoId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row === undefined ? AccessMode.none : asAccessMode(row.mode)
}

export async function upsertCollaboration(
  tx: Tx,
  repoId: RepoId,
  userId: UserId,
  values: { mode: AccessMode; at: number },
): Promise<void> {
  await tx
    .insertInto('collaboration')
    .values({ repo_id: repoId, user_id: userId, mode: values.mode, created_at: values.at })
    .onConflict((conflict) => conflict.columns(['repo_id', 'user_id']).doUpdateSet({ mode: values.mode }))
    .execute()
}

/** False when there was none. */
export async function deleteCollaboration(tx: Tx, repoId: RepoId, userId: UserId): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('collaboration')
    .where('repo_id', '=', repoId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** The new owner needs no collaboration any more, nor do the members of an organization. */
export async function deleteCollaborationsOf(tx: Tx, repoId: RepoId, owner: Pick<User, 'id' | 'kind'>): Promise<void> {
  const gone = tx.deleteFrom('collaboration').where('repo_id', '=', repoId)
  if (owner.kind === 'organization')
    await gone
      .where(
        'user_id',
        'in',
        tx.selectFrom('org_member').select('org_member.user_id').where('org_member.org_id', '=', owner.id),
      )
      .execute()
  else await gone.where('user_id', '=', owner.id).execute()
}

type TeamBuilder = ExpressionBuilder<Schema, 'team' | 'team_member' | 'user'>

interface TeamReach {
  readonly orgId: UserId
  readonly repoId: RepoId
  /** Least mode on `pulls`, and on any other unit; undefined leaves other units out. */
  readonly pulls: AccessMode
  readonly anyUnit: AccessMode | undefined
}

/** Collaborators of at least this mode, by id. */
export async function listCollaboratorsWith(db: Db, repoId: RepoId, least: AccessMode): Promise<User[]> {
  const rows = await db
    .selectFrom('collaboration')
    .innerJoin('user', 'user.id', 'collaboration.user_id')
    .selectAll('user')
    .where('collaboration.repo_id', '=', repoId)
    .where('collaboration.mode', '>=', least)
    .orderBy('user.id')
    .execute()
  return rows.map(toUser)
}

/** Members of the organization's teams that include the repository and reach far enough, by id. */
export async function listTeamMembersWith(db: Db, reach: TeamReach): Promise<User[]> {
  const includes = (eb: TeamBuilder): Expression<SqlBool> =>
    eb.or([
      eb('team.includes_all_repositories', '=', 1),
      eb.exists(
        eb
          .selectFrom('team_repo')
          .select('team_repo.team_id')
          .whereRef('team_repo.team_id', '=', 'team.id')
          .where('team_repo.repo_id', '=', reach.repoId),
      ),
    ])
  const grants = (eb: TeamBuilder): Expression<SqlBool> => {
    const unit = eb.selectFrom('team_unit').select('team_unit.team_id').whereRef('team_unit.team_id', '=', 'team.id')
    const ways: Expression<SqlBool>[] = [
      eb('team.mode', '>=', AccessMode.admin),
      eb.exists(unit.where('team_unit.unit', '=', 'repo.pulls').where('team_unit.mode', '>=', reach.pulls)),
    ]
    if (reach.anyUnit !== undefined) ways.push(eb.exists(unit.where('team_unit.mode', '>=', reach.anyUnit)))
    return eb.or(ways)
  }
  const rows = await db
    .selectFrom('team_member')
    .innerJoin('team', 'team.id', 'team_member.team_id')
    .innerJoin('user', 'user.id', 'team_member.user_id')
    .selectAll('user')
    .distinct()
    .where('team_member.org_id', '=', reach.orgId)
    .where(includes)
    .where(grants)
    .orderBy('user.id')
    .execute()
  return rows.map(toUser)
}
