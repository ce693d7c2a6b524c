import { Type, type Static } from '@sinclair/typebox'
import { NAME_LENGTH, URL_LENGTH } from '../../../../core/http/body/limits.ts'
import { pagingMembers } from '../../../../core/http/openapi/paging-members.ts'
import { invalid } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { asId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { RepoFilter } from './repo-list.store.ts'
import { BY_ID, type RepoOrder, isRepoSort } from './repo-order.ts'
import type { RepoKeywords } from './repo-match.store.ts'

const Yes = (description: string) => Type.Optional(Type.Boolean({ description }))
const Id = (description: string) => Type.Optional(Type.Integer({ description }))

export const repoSearchQuery = Type.Object({
  ...pagingMembers,
  q: Type.Optional(
    Type.String({ maxLength: URL_LENGTH, description: 'Comma list of words, one of which must fit; or owner/name' }),
  ),
  topic: Yes('Words are whole topics'),
  includeDesc: Yes('Look into descriptions too'),
  uid: Id('Owned by this user, or it takes part'),
  priority_owner_id: Id('Owner whose repositories go first'),
  team_id: Id('Of this team'),
  starredBy: Id('Starred by this user'),
  private: Yes('Private repositories too; yes unless given'),
  is_private: Yes('Only private or only public repositories'),
  template: Yes('Only templates or none'),
  archived: Yes('Only archived repositories or none'),
  mode: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'source, fork, mirror or collaborative' })),
  exclusive: Yes('With uid: only owned ones'),
  sort: Type.Optional(
    Type.String({
      maxLength: NAME_LENGTH,
      description: 'alpha, created, updated, size, git_size, lfs_size, id, stars or forks',
    }),
  ),
  order: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'asc or desc; with sort' })),
})
type Query = Static<typeof repoSearchQuery>

/** The filter of `/repos/search`. Throws Invalid for an unknown mode. */
export function readRepoFilter(query: Query): RepoFilter {
  const uid = idOrUndefined(query.uid)
  return {
    ...(query.exclusive ? { ownerId: uid } : { contributorId: uid }),
    ...modeFilter(query.mode, uid),
    teamId: idOrUndefined(query.team_id),
    starredBy: idOrUndefined(query.starredBy),
    keywords: readKeywords(query),
    onlyPublic: query.private === false,
    isPrivate: query.is_private,
    isTemplate: query.template,
    isArchived: query.archived,
  }
}

/** The order of `/repos/search`: by id unless `sort` is given. Throws Invalid for unknown values. */
export function readRepoOrder({ sort, order = 'asc', priority_owner_id }: Query): RepoOrder {
  const priorityOwnerId = idOrUndefined(priority_owner_id)
  if (sort === undefined) return { ...BY_ID, priorityOwnerId }
  if (order !== 'asc' && order !== 'desc') throw errors.sortOrderInvalid(order)
  if (!isRepoSort(sort) || sort === 'name') throw errors.sortModeInvalid(sort)
  return { by: sort, direction: order, priorityOwnerId }
}

function modeFilter(mode: string | undefined, uid: UserId | undefined): RepoFilter {
  switch (mode) {
    case undefined:
      return {}
    case 'source':
      return { isFork: false, isMirror: false }
    case 'fork':
      return { isFork: true }
    case 'mirror':
      return { isMirror: true }
    case 'collaborative':
      return { isMirror: false, notOwnerId: uid }
    default:
      throw invalid(`Invalid search mode: "${mode}"`)
  }
}

function readKeywords({ q = '', topic, includeDesc }: Query): RepoKeywords | undefined {
  const words = q
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
  if (words.length === 0) return undefined
  const path = words.length === 1 ? /^([^/]+)\/([^/]+)$/.exec(words[0]!) : null
  return {
    words,
    onlyTopics: topic ?? false,
    descriptions: includeDesc ?? false,
    ownerName: path?.[1],
    repoName: path?.[2],
  }
}

/** Absent, zero and negative ids do not filter. */
const idOrUndefined = (id: number | undefined): UserId | undefined =>
  id === undefined || id <= 0 ? undefined : asId(id)
