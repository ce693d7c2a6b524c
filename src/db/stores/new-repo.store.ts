import type { RepoId, UserId } from '../../platform/ids.ts'
import { AccessMode } from '../../policy/access-mode.ts'
import type { Db, Tx } from '../database.ts'

interface NewTie {
  readonly repoId: RepoId
  readonly userId: UserId
  readonly at: number
}

/** An organization's owner, or a member of a team that may create repositories. */
export async function canCreateRepoIn(db: Db, orgId: UserId, userId: UserId): Promise<boolean> {
  const row = await db
    .selectFrom('team_member')
    .innerJoin('team', 'team.id', 'team_member.team_id')
    .select('team.id')
    .where('team_member.org_id', '=', orgId)
    .where('team_member.user_id', '=', userId)
    .where((eb) => eb.or([eb('team.mode', '=', AccessMode.owner), eb('team.can_create_org_repo', '=', 1)]))
    .executeTakeFirst()
  return row !== undefined
}

/** The creator's watch; counted in the row of the new repository by the caller. */
export async function insertFirstWatch(tx: Tx, { repoId, userId, at }: NewTie): Promise<void> {
  await tx.insertInto('watch').values({ repo_id: repoId, user_id: userId, mode: 'normal', created_at: at }).execute()
}

/** Whoever is in a team of the organization that has all repositories watches the new one too, and is counted here. */
export async function insertTeamWatches(tx: Tx, orgId: UserId, { repoId, userId, at }: NewTie): Promise<void> {
  const rows = await tx
    .selectFrom('team_member')
    .innerJoin('team', 'team.id', 'team_member.team_id')
    .select('team_member.user_id')
    .distinct()
    .where('team.org_id', '=', orgId)
    .where('team.includes_all_repositories', '=', 1)
    .where('team_member.user_id', '!=', userId)
    .execute()
  if (rows.length === 0) return
  await tx.insertInto('watch').values(rows.map((row) => ({ repo_id: repoId, user_id: row.user_id, mode: 'normal' as const, created_at: at }))).execute()
  await tx.updateTable('repo').set((eb) => ({ watchers_count: eb('watchers_count', '+', rows.length) })).where('id', '=', repoId).execute()
}

export async function insertFirstCollaborator(tx: Tx, { repoId, userId, at }: NewTie): Promise<void> {
  await tx.insertInto('collaboration').values({ repo_id: repoId, user_id: userId, mode: AccessMode.admin, created_at: at }).execute()
}
