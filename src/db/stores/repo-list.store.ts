import { sql, type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool } from 'kysely'
import type { UserId } from '../../platform/ids.ts'
import type { Page, Paging } from '../../platform/paging.ts'
import type { Viewer } from '../../policy/viewer.ts'
import type { Db } from '../database.ts'
import { flag } from '../tables/flag.ts'
import type { Tables } from '../tables/index.ts'
import { withOwners, type Repo } from './repo.store.ts'
import { matchesKeywords, type RepoKeywords } from './repo-match.ts'
import { collaborates, countVisible, isPublic, nearTo, throughTeam, visibleRepos } from './visibility.ts'

/** Narrows a list of repositories; undefined members do not. */
export interface RepoFilter {
  readonly ownerId?: UserId | undefined
  /** Owned by this user, or it takes part through a collaboration or a team. */
  readonly contributorId?: UserId | undefined
  /** As contributorId, or owned by an organization of which the user is a member. */
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

/** The orders a list can have, as columns; sizes are bytes. */
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
} as const satisfies Record<string, readonly (string | RawBuilder<number>)[]>

export type RepoSort = keyof typeof SORTS
export const isRepoSort = (text: string): text is RepoSort => Object.hasOwn(SORTS, text)

export interface RepoOrder {
  readonly by: RepoSort
  readonly direction: 'asc' | 'desc'
  /** The rows of this owner go first, the others by their owners. */
  readonly priorityOwnerId?: UserId | undefined
}

export const BY_ID: RepoOrder = { by: 'id', direction: 'asc' }

type Builder = ExpressionBuilder<Tables & { owner: Tables['user'] }, 'repo' | 'owner'>

/** The repositories a viewer may see, at most five queries whatever the page: rows, their owners, the total. */
export async function listRepos(db: Db, viewer: Viewer, query: { readonly filter: RepoFilter; readonly order: RepoOrder }, paging: Paging): Promise<Page<Repo>> {
  const { filter, order } = query
  const wanted = (eb: Builder): Expression<SqlBool> => eb.and([visibleRepos(viewer)(eb), ...ties(eb, filter), ...facts(eb, filter)])
  const withOwner = db.selectFrom('repo').innerJoin('user as owner', 'owner.id', 'repo.owner_id')
  // NOTE: owners are looked at only where their names are asked for.
  const asksOwner = order.by === 'alpha' || filter.keywords?.ownerName !== undefined
  const found = (asksOwner ? withOwner : (db.selectFrom('repo') as unknown as typeof withOwner)).where(wanted)
  let rows = found.selectAll('repo').limit(paging.limit).offset(paging.offset)
  const first = filter.keywords?.ownerName
  if (first !== undefined) rows = rows.orderBy(sql`case when owner.lower_name = ${first.toLowerCase()} then 0 else 1 end`)
  if (order.priorityOwnerId !== undefined) rows = rows.orderBy(sql`case when repo.owner_id = ${order.priorityOwnerId} then 0 else 1 end`).orderBy('repo.owner_id')
  for (const column of SORTS[order.by]) rows = rows.orderBy(column, order.direction)
  const page = await rows.orderBy('repo.id', order.direction).execute()
  const count = async (): Promise<number> => (await found.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()).total
  const total = (isUnfiltered(filter) ? await countVisible(db, viewer) : undefined) ?? (await count())
  return { items: await withOwners(db, page), total }
}

/** NOTE: `false` asks for something in every member but this one. */
const isUnfiltered = ({ onlyPublic = false, ...rest }: RepoFilter): boolean => !onlyPublic && Object.values(rest).every((value) => value === undefined)

function ties(eb: Builder, filter: RepoFilter): Expression<SqlBool>[] {
  const { ownerId, notOwnerId, contributorId, relatedTo, teamId, starredBy } = filter
  return [
    ...(ownerId === undefined ? [] : [eb('repo.owner_id', '=', ownerId)]),
    ...(notOwnerId === undefined ? [] : [eb('repo.owner_id', '!=', notOwnerId)]),
    ...(contributorId === undefined ? [] : [nearTo(eb, contributorId), contributes(eb, contributorId)]),
    ...(relatedTo === undefined ? [] : [nearTo(eb, relatedTo), eb.or([contributes(eb, relatedTo), ownedByOrgOf(eb, relatedTo)])]),
    ...(teamId === undefined ? [] : [ofTeam(eb, teamId)]),
    ...(starredBy === undefined ? [] : [eb.exists(eb.selectFrom('star').select('star.repo_id').whereRef('star.repo_id', '=', 'repo.id').where('star.user_id', '=', starredBy))]),
  ]
}

function facts(eb: Builder, filter: RepoFilter): Expression<SqlBool>[] {
  const flags = [
    ['repo.is_private', filter.isPrivate],
    ['repo.is_template', filter.isTemplate],
    ['repo.is_archived', filter.isArchived],
    ['repo.is_fork', filter.isFork],
    ['repo.is_mirror', filter.isMirror],
  ] as const
  return [
    ...flags.flatMap(([column, wanted]) => (wanted === undefined ? [] : [eb(column, '=', flag(wanted))])),
    ...(filter.onlyPublic ? [isPublic(eb)] : []),
    ...(filter.keywords === undefined ? [] : [matchesKeywords(eb, filter.keywords)]),
  ]
}

function contributes(eb: Builder, userId: UserId): Expression<SqlBool> {
  return eb.or([eb('repo.owner_id', '=', userId), collaborates(eb, userId), throughTeam(eb, userId)])
}

function ownedByOrgOf(eb: Builder, userId: UserId): Expression<SqlBool> {
  return eb.exists(
    eb.selectFrom('org_member').select('org_member.org_id').whereRef('org_member.org_id', '=', 'repo.owner_id').where('org_member.user_id', '=', userId),
  )
}

/** In the team by name, or by a team that has every repository. */
export function ofTeam(eb: Builder, teamId: number): Expression<SqlBool> {
  return eb.or([
    eb.exists(eb.selectFrom('team_repo').select('team_repo.team_id').whereRef('team_repo.repo_id', '=', 'repo.id').where('team_repo.team_id', '=', teamId)),
    eb.exists(
      eb.selectFrom('team').select('team.id').whereRef('team.org_id', '=', 'repo.owner_id').where('team.id', '=', teamId).where('team.includes_all_repositories', '=', 1),
    ),
  ])
}
