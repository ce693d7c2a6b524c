import { sql, type Expression, type ExpressionBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely'
import { unitBit, UNITS } from '../../policy/units.ts'
import type { Account, Viewer, Visibility } from '../../policy/viewer.ts'
import type { Db } from '../database.ts'
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
    if (viewer.kind === 'anonymous') return isPublic(eb)
    const { account } = viewer
    const conditions: Expression<SqlBool>[] = []
    if (viewer.onlyRepos) conditions.push(viewer.onlyRepos.size === 0 ? NEVER : eb('repo.id', 'in', [...viewer.onlyRepos]))
    if (viewer.scopes.publicOnly) conditions.push(isPublic(eb))
    // NOTE: what decides most rows goes first: databases look no further, and the others ask a table for each row.
    if (!account.isAdmin) conditions.push(eb.or([sees(eb, viewer), eb('repo.owner_id', '=', account.id), collaborates(eb, account.id)]))
    return conditions.length === 0 ? ALWAYS : eb.and(conditions)
  }
}

const HIDDEN_FROM_ALL = ['limited', 'private'] as const

const hiddenFrom = ({ isRestricted }: Account): readonly Visibility[] => (isRestricted ? HIDDEN_FROM_ALL : ['private'])

/**
 * How many rows `visibleRepos` leaves, told by indexes: the public ones less those of owners who hide, and the few others
 * that the viewer has to do with. Undefined for viewers of whom that says nothing.
 */
export async function countVisible(db: Db, viewer: Viewer): Promise<number | undefined> {
  if (viewer.kind === 'anonymous') return countPublic(db, HIDDEN_FROM_ALL)
  if (viewer.onlyRepos) return undefined
  if (viewer.scopes.publicOnly) return countPublic(db, HIDDEN_FROM_ALL)
  const { account } = viewer
  if (account.isAdmin) return undefined
  const hidden = hiddenFrom(account)
  const counted = (eb: Builder): Expression<SqlBool> => eb.and([eb('repo.is_private', '=', 0), ownerIsNone(eb, hidden)])
  const others = (db.selectFrom('repo') as unknown as WithOwner).where((eb) => eb.and([nearTo(eb, account.id), visibleRepos(viewer)(eb), eb.not(counted(eb))]))
  const { total } = await others.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return total + (await countPublic(db, hidden))
}

type WithOwner = SelectQueryBuilder<RepoAndOwner, 'repo' | 'owner', object>

async function countPublic(db: Db, hidden: readonly Visibility[]): Promise<number> {
  const all = db.selectFrom('repo').where('repo.is_private', '=', 0)
  // NOTE: with a cross join SQLite begins with the owners.
  const less = db.selectFrom('user as hidden').crossJoin('repo').whereRef('repo.owner_id', '=', 'hidden.id').where('hidden.visibility', 'in', hidden).where('repo.is_private', '=', 0)
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const { hiding } = await less.select((eb) => eb.fn.countAll<number>().as('hiding')).executeTakeFirstOrThrow()
  return total - hiding
}

/** All that a user can have to do with, found by indexes: what the conditions for each row are then asked of. */
export function nearTo(eb: Builder, userId: number): Expression<SqlBool> {
  const own = eb.selectFrom('repo as own').select('own.id').where('own.owner_id', '=', userId)
  const shared = eb.selectFrom('collaboration').select('collaboration.repo_id as id').where('collaboration.user_id', '=', userId)
  const ofOrgs = eb.selectFrom('org_member').innerJoin('repo as theirs', 'theirs.owner_id', 'org_member.org_id').select('theirs.id').where('org_member.user_id', '=', userId)
  return eb('repo.id', 'in', own.union(shared).union(ofOrgs))
}

export const isPublic = (eb: Builder): Expression<SqlBool> => eb.and([eb('repo.is_private', '=', 0), ownerIsNone(eb, HIDDEN_FROM_ALL)])

/** NOTE: asked of the few who hide and not of each owner: counting 20,000 repositories takes a third of the time. */
function ownerIsNone(eb: Builder, hidden: readonly Visibility[]): Expression<SqlBool> {
  return eb('repo.owner_id', 'not in', eb.selectFrom('user as hidden').select('hidden.id').where('hidden.visibility', 'in', hidden))
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
    eb.selectFrom('org_member').select('org_member.org_id').whereRef('org_member.org_id', '=', 'repo.owner_id').where('org_member.user_id', '=', account.id),
  )
  const ownerInSight = eb.or([ownerIsNone(eb, hiddenFrom(account)), member])
  const publicly = account.isRestricted ? isPublic(eb) : eb('repo.is_private', '=', 0)
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
      .whereRef('team_member.org_id', '=', 'repo.owner_id').where('team_member.user_id', '=', userId)
      .where(includes).where(grants),
  )
}
