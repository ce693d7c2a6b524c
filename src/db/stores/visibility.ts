import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely'
import { unitBit, UNITS } from '../../policy/units.ts'
import type { Viewer } from '../../policy/viewer.ts'
import type { Tables } from '../tables/index.ts'

type RepoAndOwner = Tables & { owner: Tables['user'] }
const ALWAYS = sql<SqlBool>`1 = 1`
const NEVER = sql<SqlBool>`1 = 0`

type Builder = ExpressionBuilder<RepoAndOwner, 'repo' | 'owner'>

/**
 * The rows a viewer may see, for queries over `repo` joined with `user as owner`: the SQL twin of
 * policy/repo-access.ts `decideRepoAccess`, proven equal by a property test.
 */
export function visibleRepos(viewer: Viewer): (eb: Builder) => Expression<SqlBool> {
  return (eb) => {
    if (viewer.kind === 'anonymous') return eb.and([eb('repo.is_private', '=', 0), eb('owner.visibility', '=', 'public')])
    const { account } = viewer
    const conditions: Expression<SqlBool>[] = []
    if (viewer.onlyRepos) conditions.push(viewer.onlyRepos.size === 0 ? NEVER : eb('repo.id', 'in', [...viewer.onlyRepos]))
    if (viewer.scopes.publicOnly) conditions.push(eb('repo.is_private', '=', 0), eb('owner.visibility', '=', 'public'))
    if (!account.isAdmin) conditions.push(eb.or([eb('repo.owner_id', '=', account.id), collaborates(eb, account.id), sees(eb, viewer)]))
    return conditions.length === 0 ? ALWAYS : eb.and(conditions)
  }
}

export function collaborates(eb: Builder, userId: number): Expression<SqlBool> {
  return eb.exists(
    eb.selectFrom('collaboration').select('collaboration.mode').whereRef('collaboration.repo_id', '=', 'repo.id')
      .where('collaboration.user_id', '=', userId).where('collaboration.mode', '>', 0),
  )
}

/** The owner is in sight, and the repository is public or one of the viewer's teams includes it. */
function sees(eb: Builder, viewer: Extract<Viewer, { kind: 'user' }>): Expression<SqlBool> {
  const { account } = viewer
  const member = eb.exists(
    eb.selectFrom('org_member').select('org_member.org_id').whereRef('org_member.org_id', '=', 'owner.id').where('org_member.user_id', '=', account.id),
  )
  const owners = account.isRestricted ? (['public'] as const) : (['public', 'limited'] as const)
  const ownerInSight = eb.or([eb('owner.visibility', 'in', owners), member])
  const publicly = account.isRestricted
    ? eb.and([eb('repo.is_private', '=', 0), eb('owner.visibility', '=', 'public')])
    : eb('repo.is_private', '=', 0)
  return eb.and([ownerInSight, eb.or([publicly, eb.and([member, throughTeam(eb, account.id)])])])
}

/** One of the user's teams includes the repository and grants something that is switched on there. */
export function throughTeam(eb: Builder, userId: number): Expression<SqlBool> {
  const includes = (tb: ExpressionBuilder<RepoAndOwner, 'repo' | 'owner' | 'team' | 'team_member'>): Expression<SqlBool> =>
    tb.or([
      tb('team.includes_all_repositories', '=', 1),
      tb.exists(tb.selectFrom('team_repo').select('team_repo.team_id').whereRef('team_repo.team_id', '=', 'team.id').whereRef('team_repo.repo_id', '=', 'repo.id')),
    ])
  const grants = (tb: ExpressionBuilder<RepoAndOwner, 'repo' | 'owner' | 'team' | 'team_member'>): Expression<SqlBool> =>
    tb.or([
      tb('team.mode', '>=', 3),
      tb.exists(
        tb.selectFrom('team_unit').select('team_unit.team_id').whereRef('team_unit.team_id', '=', 'team.id').where('team_unit.mode', '>', 0)
          .where((ub) => ub.or(UNITS.map((unit) => ub.and([ub('team_unit.unit', '=', unit), sql<SqlBool>`(repo.units & ${sql.lit(unitBit(unit))}) <> 0`])))),
      ),
    ])
  return eb.exists(
    eb.selectFrom('team_member').innerJoin('team', 'team.id', 'team_member.team_id').select('team.id')
      .whereRef('team_member.org_id', '=', 'owner.id').where('team_member.user_id', '=', userId)
      .where(includes).where(grants),
  )
}
