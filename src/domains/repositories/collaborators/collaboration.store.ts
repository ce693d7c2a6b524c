import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import { AccessMode, asAccessMode } from '../../../core/access/repo-access.ts'
import type { Db, Tx } from '../../../core/db/database.ts'
import { countRows, selectPage } from '../../../core/db/page.ts'
import type { Schema } from '../../../core/db/schema.ts'
import type { RepoId, UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { type User, userRows } from '../../accounts/index.ts'

/** Explicit collaborators by id, excluding the owner and team members. */
export async function listCollaborators(db: Db, repoId: RepoId, paging: Paging): Promise<Page<User>> {
  const collaborations = db.selectFrom('collaboration').where('collaboration.repo_id', '=', repoId)
  const users = collaborations
    .innerJoin('user', 'user.id', 'collaboration.user_id')
    .selectAll('user')
    .orderBy('user.id')
  return selectPage(users, paging, userRows.toUser, () => countRows(collaborations))
}

/** `none` for a user who is not a collaborator. */
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

/** False if the user was not a collaborator. */
export async function deleteCollaboration(tx: Tx, repoId: RepoId, userId: UserId): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('collaboration')
    .where('repo_id', '=', repoId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Deletes the collaborations of a new owner, or of the members of an organization that becomes the owner. */
export async function deleteCollaborationsOf(tx: Tx, repoId: RepoId, owner: Pick<User, 'id' | 'kind'>): Promise<void> {
  const query = tx.deleteFrom('collaboration').where('repo_id', '=', repoId)
  if (owner.kind === 'organization')
    await query
      .where(
        'user_id',
        'in',
        tx.selectFrom('org_member').select('org_member.user_id').where('org_member.org_id', '=', owner.id),
      )
      .execute()
  else await query.where('user_id', '=', owner.id).execute()
}

type TeamBuilder = ExpressionBuilder<Schema, 'team' | 'team_member' | 'user'>

interface TeamGrantFilter {
  readonly orgId: UserId
  readonly repoId: RepoId
  /** Minimum mode on `pulls`, or on any other unit; undefined ignores other units. */
  readonly pulls: AccessMode
  readonly anyUnit: AccessMode | undefined
}

/** Collaborators of at least this mode, by id. */
export async function listCollaboratorsWith(db: Db, repoId: RepoId, minimum: AccessMode): Promise<User[]> {
  const rows = await db
    .selectFrom('collaboration')
    .innerJoin('user', 'user.id', 'collaboration.user_id')
    .selectAll('user')
    .where('collaboration.repo_id', '=', repoId)
    .where('collaboration.mode', '>=', minimum)
    .orderBy('user.id')
    .execute()
  return rows.map(userRows.toUser)
}

/** Members of the organization's teams that include the repository and grant at least these modes, by id. */
export async function listTeamMembersWith(db: Db, filter: TeamGrantFilter): Promise<User[]> {
  const includes = (eb: TeamBuilder): Expression<SqlBool> =>
    eb.or([
      eb('team.includes_all_repositories', '=', 1),
      eb.exists(
        eb
          .selectFrom('team_repo')
          .select('team_repo.team_id')
          .whereRef('team_repo.team_id', '=', 'team.id')
          .where('team_repo.repo_id', '=', filter.repoId),
      ),
    ])
  const grants = (eb: TeamBuilder): Expression<SqlBool> => {
    const unit = eb.selectFrom('team_unit').select('team_unit.team_id').whereRef('team_unit.team_id', '=', 'team.id')
    const alternatives: Expression<SqlBool>[] = [
      eb('team.mode', '>=', AccessMode.admin),
      eb.exists(unit.where('team_unit.unit', '=', 'repo.pulls').where('team_unit.mode', '>=', filter.pulls)),
    ]
    if (filter.anyUnit !== undefined) alternatives.push(eb.exists(unit.where('team_unit.mode', '>=', filter.anyUnit)))
    return eb.or(alternatives)
  }
  const rows = await db
    .selectFrom('team_member')
    .innerJoin('team', 'team.id', 'team_member.team_id')
    .innerJoin('user', 'user.id', 'team_member.user_id')
    .selectAll('user')
    .distinct()
    .where('team_member.org_id', '=', filter.orgId)
    .where(includes)
    .where(grants)
    .orderBy('user.id')
    .execute()
  return rows.map(userRows.toUser)
}
