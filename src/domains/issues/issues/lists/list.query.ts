import { Type, type Static } from '@sinclair/typebox'
import { Timestamp } from '../../../../core/http/answer/text.ts'
import { NAME_LENGTH, URL_LENGTH } from '../../../../core/http/body/limits.ts'
import { pagingMembers } from '../../../../core/http/openapi/paging-members.ts'
import { invalidField } from '../../../../core/platform/errors.ts'
import type { Paging } from '../../../../core/platform/paging.ts'
import { endOfSecond, parseOptionalTimestamp, startOfSecond } from '../../../../core/platform/timestamp.ts'
import { cursorMember, readCursor, ISSUE_SORTS, type IssueFilter, type IssueSort } from './issue-filter.ts'
import type { RepoListQuery, SearchQuery, Window } from './lists.service.ts'

const Word = (description: string) => Type.Optional(Type.String({ maxLength: NAME_LENGTH, description }))
const Words = (description: string) => Type.Optional(Type.String({ maxLength: URL_LENGTH, description }))
const Yes = (description: string) => Type.Optional(Type.Boolean({ description }))

const commonMembers = {
  ...pagingMembers,
  cursor: cursorMember,
  state: Word('open, closed or all; open by default'),
  type: Word('issues or pulls; both by default'),
  q: Word('Words that occur in one text of the issue, or its number'),
  since: Type.Optional(Timestamp({ description: 'Changed at this time or later' })),
  before: Type.Optional(Timestamp({ description: 'Changed at this time or earlier' })),
  created_by: Word('Login of the author'),
  draft: Yes('true: only drafts; false: only pull requests that are not drafts'),
  sort: Word(ISSUE_SORTS.join(', ')),
}

export const repoListQuery = Type.Object({
  ...commonMembers,
  labels: Words('Comma list of names; an issue has all of them'),
  milestones: Words('Comma list of titles or ids; an issue has one of them'),
  assigned_by: Word('Login of an assignee'),
  mentioned_by: Word('Login of a user who is mentioned'),
})
type RepoQuery = Static<typeof repoListQuery>

export const searchQuery = Type.Object({
  ...commonMembers,
  labels: Words('Comma list of names; an issue has one of them'),
  milestones: Words('Comma list of titles, in any case, or ids; an issue has one of them'),
  owner: Word('Owner of the repositories'),
  team: Word('Team of the owner, which is an organization'),
  created: Yes('Created by the caller'),
  assigned: Yes('Assigned to the caller'),
  mentioned: Yes('The caller is mentioned'),
  review_requested: Yes('The caller is asked for a review'),
  reviewed: Yes('The caller has reviewed'),
  priority_repo_id: Type.Optional(Type.Integer({ description: 'Has no effect' })),
})
type AllQuery = Static<typeof searchQuery>

/** Ignores unknown values, and `relevance`: a text occurs in an issue or does not. */
const readSort = (sort: string | undefined): IssueSort => ISSUE_SORTS.find((known) => known === sort) ?? 'latest'

export const readRepoQuery = (query: RepoQuery, kinds: IssueFilter['kinds']): RepoListQuery => ({
  ...readCommon(query),
  kinds,
  assignedBy: query.assigned_by || undefined,
  mentionedBy: query.mentioned_by || undefined,
})

export const readSearchQuery = (query: AllQuery): SearchQuery => ({
  ...readCommon(query),
  kinds: { issues: query.type !== 'pulls', pulls: query.type !== 'issues' },
  owner: query.owner || undefined,
  team: query.team || undefined,
  isCreated: query.created ?? false,
  isAssigned: query.assigned ?? false,
  isMentioned: query.mentioned ?? false,
  isReviewRequested: query.review_requested ?? false,
  isReviewed: query.reviewed ?? false,
})

/** Throws Invalid for an invalid cursor, or one of a list in another order. */
export function readWindow(query: Pick<RepoQuery, 'cursor' | 'sort'>, paging: Paging): Window {
  if (query.cursor === undefined) return { paging }
  const sort = readSort(query.sort)
  if (sort !== 'latest' && sort !== 'oldest')
    throw invalidField('cursor', 'only for lists in the order of creation, latest or oldest')
  return { limit: paging.limit, after: readCursor(query.cursor) }
}

const readCommon = (query: RepoQuery | AllQuery) => ({
  state: readState(query.state),
  q: query.q ?? '',
  since: readTime(query.since),
  before: readBefore(query.before),
  labels: readWords(query.labels),
  milestones: readWords(query.milestones),
  createdBy: query.created_by || undefined,
  isDraft: query.draft,
  sort: readSort(query.sort),
})

const readState = (state: string | undefined): IssueFilter['state'] =>
  state === 'closed' || state === 'all' ? state : 'open'

/** The start of the second of the time, in epoch milliseconds. */
function readTime(text: string | undefined): number | undefined {
  const time = parseOptionalTimestamp(text)
  return time === undefined ? undefined : startOfSecond(time)
}

/** Includes the whole second. */
function readBefore(text: string | undefined): number | undefined {
  const time = parseOptionalTimestamp(text)
  return time === undefined ? undefined : endOfSecond(time)
}

const MAX_WORDS = 50

function readWords(list: string | undefined): string[] {
  const words = [...new Set((list ?? '').split(',').filter((word) => word !== ''))]
  return words.slice(0, MAX_WORDS)
}
