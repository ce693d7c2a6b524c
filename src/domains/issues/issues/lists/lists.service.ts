import { isOrgMember } from '../../../../core/access/repo-grants.store.ts'
import { viewerId, type Viewer } from '../../../../core/access/viewer.ts'
import type { Database } from '../../../../core/db/database.ts'
import type { IssueId, UserId } from '../../../../core/platform/crypto/ids.ts'
import { badRequest } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { teamQueries, userQueries, ownerQueries } from '../../../accounts/index.ts'
import { type Repo, repoQueries } from '../../../repositories/index.ts'
import { type IssueView, loadIssueViewsByIds } from '../views.ts'
import { wordsOf } from '../texts/fold-text.ts'
import type { Position, IssueFilter, IssueSort, TextQuery } from './issue-filter.ts'
import { findLabelsNamed, findMilestonesNamed } from './find-named.store.ts'
import { listRepoIssueIds } from './repo-issues.store.ts'
import { searchIssueIds } from './search.store.ts'

/** The filters that both lists share; logins, names and texts as the client sent them. */
interface ListQuery extends Pick<IssueFilter, 'state' | 'kinds' | 'since' | 'before' | 'isDraft'> {
  readonly q: string
  /** Names. */
  readonly labels: readonly string[]
  /** Titles and ids. */
  readonly milestones: readonly string[]
  readonly createdBy: string | undefined
  readonly sort: IssueSort
}

export interface RepoListQuery extends ListQuery {
  readonly assignedBy: string | undefined
  readonly mentionedBy: string | undefined
}

export interface SearchQuery extends ListQuery {
  readonly owner: string | undefined
  readonly team: string | undefined
  /** About the viewer; false for no filter. */
  readonly isCreated: boolean
  readonly isAssigned: boolean
  readonly isMentioned: boolean
  /** The viewer has an open request for a review. */
  readonly isReviewRequested: boolean
  readonly isReviewed: boolean
}

/** A page, or the issues after a position. */
export type Window = { readonly paging: Paging } | { readonly limit: number; readonly after: Position | undefined }

export interface IssuePage extends Page<IssueView> {
  /** The position of the last item if more follow; for windows by position only. */
  readonly next: Position | undefined
  /** False for a window by position, which has no page number. */
  readonly hasPages: boolean
}

export type IssueLists = ReturnType<typeof createIssueLists>

/** Lists of issues and pull requests (behaviour/issues#listing-and-search). */
export function createIssueLists({ read, dialect }: Pick<Database, 'read' | 'dialect'>) {
  const userId = (viewer: Viewer, login: string | undefined) => findUserId(read, viewer, login)
  return {
    /** Throws NotFound for an unknown login. The caller has checked that the kinds are readable. */
    async listOf(viewer: Viewer, repo: Repo, query: RepoListQuery, window: Window): Promise<IssuePage> {
      const [labels, milestones, authorId, assigneeId, mentionedId] = await Promise.all([
        findLabelsNamed(read, repo, query.labels),
        findMilestonesNamed(read, repo, query.milestones),
        userId(viewer, query.createdBy),
        userId(viewer, query.assignedBy),
        userId(viewer, query.mentionedBy),
      ])
      const filter = { ...commonFilter(query, window), authorId, assigneeId, mentionedId, labels, milestones }
      const found = await listRepoIssueIds(read, dialect.name, repo, {
        filter,
        sort: query.sort,
        paging: pagingOf(window),
      })
      return toPage(found, window, (ids) => loadIssueViewsByIds(read, viewer, ids, () => [repo]))
    },
    /** Throws NotFound for an unknown login, BadRequest for an unknown owner or team. */
    async search(viewer: Viewer, query: SearchQuery, window: Window): Promise<IssuePage> {
      const self = viewerId(viewer)
      const [owned, authorId] = await Promise.all([
        findOwned(read, viewer, query),
        self !== undefined && query.isCreated ? self : userId(viewer, query.createdBy),
      ])
      const filter = {
        ...commonFilter(query, window),
        ...owned,
        authorId,
        assigneeId: query.isAssigned ? self : undefined,
        mentionedId: query.isMentioned ? self : undefined,
        requestedOfId: query.isReviewRequested ? self : undefined,
        reviewedById: query.isReviewed ? self : undefined,
        labels: query.labels,
        milestones: query.milestones,
      }
      const search = { filter, sort: query.sort, paging: pagingOf(window) }
      return toPage(await searchIssueIds(read, dialect, viewer, search), window, (ids) =>
        loadIssueViewsByIds(read, viewer, ids, (repoIds) => repoQueries.inOrder(read, repoIds)),
      )
    },
  }
}

const commonFilter = ({ state, kinds, since, before, isDraft, q }: ListQuery, window: Window): IssueFilter => ({
  state,
  kinds,
  since,
  before,
  isDraft,
  texts: readTexts(q),
  after: 'after' in window ? window.after : undefined,
})

function readTexts(q: string): TextQuery | undefined {
  const words = wordsOf(q)
  if (words.length === 0) return undefined
  const text = q.trim()
  return { words, number: /^\d{1,15}$/.test(text) ? Number(text) : undefined }
}

/** NOTE: a window by position reads one more issue, to find out whether another window follows. */
const pagingOf = (window: Window): Paging =>
  'paging' in window ? window.paging : { page: 1, limit: window.limit + 1, offset: 0 }

async function toPage(
  { items: ids, total }: Page<IssueId>,
  window: Window,
  load: (ids: readonly IssueId[]) => Promise<IssueView[]>,
): Promise<IssuePage> {
  if ('paging' in window) return { items: await load(ids), total, next: undefined, hasPages: true }
  const items = await load(ids.slice(0, window.limit))
  const last = ids.length > window.limit ? items.at(-1)?.issue : undefined
  return { items, total, next: last && { createdAt: last.createdAt, id: last.id }, hasPages: false }
}

/** Also throws NotFound for an account that is hidden from the viewer. */
async function findUserId(
  db: Database['read'],
  viewer: Viewer,
  login: string | undefined,
): Promise<UserId | undefined> {
  if (login === undefined) return undefined
  const user = await userQueries.findByName(db, login)
  if (user === undefined || !(await ownerQueries.isInView(db, viewer, user))) throw errors.userNotFound()
  return user.id
}

interface Owned {
  readonly ownerId: UserId | undefined
  readonly teamId: number | undefined
}

/** NOTE: only members of an organization can see its teams. */
async function findOwned(db: Database['read'], viewer: Viewer, { owner, team }: SearchQuery): Promise<Owned> {
  if (owner === undefined) {
    if (team !== undefined) throw badRequest('owner organisation is required for filtering on team')
    return { ownerId: undefined, teamId: undefined }
  }
  const user = await userQueries.findByName(db, owner)
  if (user === undefined || !(await ownerQueries.isInView(db, viewer, user))) throw errors.filterUserUnknown(owner)
  if (team === undefined) return { ownerId: user.id, teamId: undefined }
  const found = (await seesTeams(db, viewer, user.id)) ? await teamQueries.findByName(db, user.id, team) : undefined
  if (found === undefined) throw badRequest(`team does not exist [org_id ${user.id}, team_id 0, name: ${team}]`)
  return { ownerId: user.id, teamId: found.id }
}

const seesTeams = async (db: Database['read'], viewer: Viewer, orgId: UserId): Promise<boolean> =>
  viewer.kind === 'user' && (viewer.account.isAdmin || (await isOrgMember(db, orgId, viewer.account.id)))
