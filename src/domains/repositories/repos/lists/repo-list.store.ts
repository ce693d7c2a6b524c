import { sql, type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool } from 'kysely'
import type { Viewer } from '../../../../core/access/viewer.ts'
import { countVisible, isPublic, nearTo, someHideFrom, visibleRepos } from '../../../../core/access/visible-repos.ts'
import type { Db } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import { cachedPage } from '../../../../core/db/page.ts'
import type { Schema } from '../../../../core/db/schema.ts'
import { cachedCount } from '../../../../core/db/read-cache.ts'
import { asId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { type Repo, reposInOrder } from '../repo.store.ts'
import { matchesKeywords, type RepoKeywords } from './repo-match.store.ts'
import type { RepoOrder, RepoSort } from './repo-order.ts'

/** The filter of a list of repositories; undefined members are ignored. */
export interface RepoFilter {
  readonly ownerId?: UserId | undefined
  /** Repositories that the user owns, or contributes to as a collaborator or team member. */
  readonly contributorId?: UserId | undefined
  /** Like `contributorId`, and repositories of organizations of which the user is a member. */
  readonly relatedTo?: UserId | undefined
  readonly notOwnerId?: UserId | undefined
  readonly teamId?: number | undefined
  readonly starredBy?: UserId | undefined
  readonly keywords?: RepoKeywords | undefined
  /** Only public repositories of public owners. */
  readonly onlyPublic?: boolean | undefined
  readonly isPrivate?: boolean | undefined
  readonly isTemplate?: boolean | undefined
  readonly isArchived?: boolean | undefined
  readonly isFork?: boolean | undefined
  readonly isMirror?: boolean | undefined
}

/** The columns of each order; sizes are bytes. */
const SORTS = {
  id: [],
  alpha: ['owner.lower_name', 'repo.lower_name'],
  name: ['repo.lower_name'],
  created: ['repo.created_at'],
  updated: ['repo.updated_at'],
  size: [sql<number>`repo.git_size + repo.lfs_size`],
  git_size: ['repo.git_size'],
  lfs_size: ['repo.lfs_size'],
  stars: ['repo.stars_count'],
  forks: ['repo.forks_count'],
} as const satisfies Record<RepoSort, readonly (string | RawBuilder<number>)[]>

type Builder = ExpressionBuilder<Schema & { owner: Schema['user'] }, 'repo' | 'owner'>

/**
 * The repositories that a viewer may see, with at most six queries for any page: hidden accounts, ids in order, rows,
 * their owners, the total.
 */
export async function listRepos(
  db: Db,
  viewer: Viewer,
  query: { readonly filter: RepoFilter; readonly order: RepoOrder },
  paging: Paging,
): Promise<Page<Repo>> {
  const { filter, order } = query
  const visible = visibleRepos(viewer, { someHide: await someHideFrom(db, viewer) })
  const withOwner = db.selectFrom('repo').innerJoin('user as owner', 'owner.id', 'repo.owner_id')
  // NOTE: joins the owners only if their names are needed.
  const needsOwner = order.by === 'alpha' || filter.keywords?.ownerName !== undefined
  const found = (needsOwner ? withOwner : (db.selectFrom('repo') as unknown as typeof withOwner)).where((eb) =>
    eb.and([...relationConditions(eb, filter), ...flagConditions(eb, filter), visible(eb)]),
  )
  let ids = found.select('repo.id')
  const first = filter.keywords?.ownerName
  if (first !== undefined) ids = ids.orderBy(sql`case when owner.lower_name = ${first.toLowerCase()} then 0 else 1 end`)
  if (order.priorityOwnerId !== undefined)
    ids = ids
      .orderBy(sql`case when repo.owner_id = ${order.priorityOwnerId} then 0 else 1 end`)
      .orderBy('repo.owner_id')
  for (const column of SORTS[order.by]) ids = ids.orderBy(column, order.direction)
  const count = async (): Promise<number> =>
    (isUnfiltered(filter) ? await countVisible(db, viewer) : undefined) ??
    cachedCount(
      db,
      found.select((eb) => eb.fn.countAll<number>().as('total')),
    )
  return cachedPage(db, ids.orderBy('repo.id', order.direction), {
    paging,
    load: (rows) =>
      reposInOrder(
        db,
        rows.map((row) => asId(row.id)),
      ),
    count,
  })
}

/** NOTE: `false` is a condition in every member except `onlyPublic`. */
const isUnfiltered = ({ onlyPublic = false, ...others }: RepoFilter): boolean =>
  !onlyPublic && Object.values(others).every((value) => value === undefined)

function relationConditions(eb: Builder, filter: RepoFilter): Expression<SqlBool>[] {
  const { ownerId, notOwnerId, contributorId, relatedTo, teamId, starredBy } = filter
  return [
    ...(ownerId === undefined ? [] : [eb('repo.owner_id', '=', ownerId)]),
    ...(notOwnerId === undefined ? [] : [eb('repo.owner_id', '!=', notOwnerId)]),
    ...(contributorId === undefined ? [] : [nearTo(contributorId, { orgs: 'teams' })]),
    ...(relatedTo === undefined ? [] : [nearTo(relatedTo, { orgs: 'all' })]),
    ...(teamId === undefined ? [] : [inTeam(teamId)]),
    ...(starredBy === undefined
      ? []
      : [eb('repo.id', 'in', eb.selectFrom('star').select('star.repo_id').where('star.user_id', '=', starredBy))]),
  ]
}

function flagConditions(eb: Builder, filter: RepoFilter): Expression<SqlBool>[] {
  const flags = [
    ['repo.is_private', filter.isPrivate],
    ['repo.is_template', filter.isTemplate],
    ['repo.is_archived', filter.isArchived],
    ['repo.is_fork', filter.isFork],
    ['repo.is_mirror', filter.isMirror],
  ] as const
  return [
    ...flags.flatMap(([column, wanted]) => (wanted === undefined ? [] : [eb(column, '=', flag(wanted))])),
    ...(filter.onlyPublic ? [isPublic()] : []),
    ...(filter.keywords === undefined ? [] : [matchesKeywords(eb, filter.keywords)]),
  ]
}

/** Repositories that the team includes, by name or because the team includes all. */
export const inTeam = (
  teamId: number,
): Expression<SqlBool> => sql<SqlBool>`repo.id in (select team_repo.repo_id from team_repo where team_repo.team_id = ${teamId}
  union select theirs.id from team inner join repo as theirs on theirs.owner_id = team.org_id where team.id = ${teamId} and team.includes_all_repositories = 1)`
