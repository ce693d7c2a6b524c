import { sql, type SqlBool } from 'kysely'
import type { Db } from '../../../../core/db/database.ts'
import type { IssueId } from '../../../../core/platform/crypto/ids.ts'
import { type Page, type Paging, totalOf } from '../../../../core/platform/paging.ts'
import type { Repo } from '../../../repositories/index.ts'
import { matchingTexts, type SearchedTexts } from '../texts/text-match.store.ts'
import { countIds, type Driver, type Listing, ORDERS, selectIds } from './ranges.store.ts'
import { chooseDriver, chooseToCount } from './choose-driver.ts'
import type { IssueFilter, IssueSort, Named } from './issue-filter.ts'
import { hasLabelOf, hasMilestoneOf, residualsOf, updatedRange } from './lists.store.ts'

/** The filter of the issues of one repository. */
interface RepoIssueFilter extends IssueFilter {
  /** The labels of each name: an issue must have one of each. */
  readonly labels: readonly Named[]
  /** An issue must have one of them; undefined for any. */
  readonly milestones: Named | undefined
}

type Counted = Pick<Repo, 'id' | 'openIssuesCount' | 'closedIssuesCount' | 'openPullsCount' | 'closedPullsCount'>

interface RepoList {
  readonly filter: RepoIssueFilter
  readonly sort: IssueSort
  readonly paging: Paging
}

/** The maximum number of merged ranges. */
const MAX_SOURCES = 16

/** The ids of issues of a repository in order: at most three queries, see `chooseDriver`. */
export async function listRepoIssueIds(
  db: Db,
  dialect: SearchedTexts['dialect'],
  repo: Counted,
  { filter, sort, paging }: RepoList,
): Promise<Page<IssueId>> {
  const byCreation = ORDERS[sort].key === undefined
  const all = allOf(repo, filter)
  const narrow = await narrowDrivers(db, repo, { filter, byCreation, dialect })
  const driver = chooseDriver({ narrow, wide: all, byCreation, wanted: paging.offset + paging.limit })
  const listing: Listing = {
    driver,
    residuals: [
      ...residualsOf(filter),
      ...filter.labels.map(({ ids }, position) => hasLabelOf(`label ${position}`, ids)),
      ...(filter.milestones === undefined ? [] : [hasMilestoneOf(filter.milestones.ids)]),
    ],
    filter,
    sort,
  }
  const { ids, total } = await selectIds(db, listing, paging)
  const isUnfiltered = listing.residuals.length === 0 && filter.texts === undefined
  const count = (): Promise<number> | number =>
    isUnfiltered
      ? all.count
      : countIds(db, { ...listing, driver: chooseToCount(narrow) ?? driver, filter: { ...filter, after: undefined } })
  return {
    items: ids,
    total: total ?? (filter.after === undefined ? totalOf(paging, ids.length) : undefined) ?? (await count()),
  }
}

function allOf(repo: Counted, { state, kinds }: IssueFilter): Driver {
  const open = (kinds.issues ? repo.openIssuesCount : 0) + (kinds.pulls ? repo.openPullsCount : 0)
  const closed = (kinds.issues ? repo.closedIssuesCount : 0) + (kinds.pulls ? repo.closedPullsCount : 0)
  return {
    name: 'all',
    sources: [{ table: 'issue', at: sql<SqlBool>`issue.repo_id = ${repo.id}` }],
    count: (state === 'closed' ? 0 : open) + (state === 'open' ? 0 : closed),
    isOrdered: true,
  }
}

interface Narrowing {
  readonly filter: RepoIssueFilter
  readonly byCreation: boolean
  readonly dialect: SearchedTexts['dialect']
}

/** The access paths of the given filters; texts first, which no other access path covers. */
async function narrowDrivers(db: Db, repo: Counted, { filter, byCreation, dialect }: Narrowing): Promise<Driver[]> {
  const { authorId, assigneeId, mentionedId, labels, milestones, texts } = filter
  if (texts !== undefined)
    return [
      { name: 'texts', sources: [{ table: matchingTexts({ query: texts, repoId: repo.id, dialect }) }], count: 0 },
    ]
  const users = [
    ...(assigneeId === undefined ? [] : [ofUser('assignee', 'issue_assignee', { repo, userId: assigneeId })]),
    ...(mentionedId === undefined ? [] : [ofUser('mention', 'issue_mention', { repo, userId: mentionedId })]),
    ...(authorId === undefined ? [] : [ofAuthor(repo, authorId)]),
  ]
  const updated = updatedRange(filter)
  // NOTE: these are counted in their index, others by the counters of their rows.
  const counted = [
    ...users,
    ...(updated === undefined
      ? []
      : [
          {
            name: 'updated',
            sources: [{ table: 'issue' as const, at: sql<SqlBool>`issue.repo_id = ${repo.id} and ${updated}` }],
            count: 0,
          },
        ]),
  ]
  const needsCounts = counted.length + labels.length + (milestones ? 1 : 0) > 1 || updated !== undefined || !byCreation
  return [
    ...(needsCounts ? await Promise.all(counted.map((driver) => withCount(db, driver, filter))) : counted),
    ...labels.flatMap((label, position) => ofLabel(label, { name: `label ${position}`, repo })),
    ...(milestones === undefined ? [] : ofMilestones(milestones)),
  ]
}

const withCount = async (db: Db, driver: Driver, filter: IssueFilter): Promise<Driver> => ({
  ...driver,
  count: await countIds(db, { driver, residuals: [], filter: { ...filter, after: undefined }, sort: 'latest' }),
})

const ofUser = (
  name: string,
  table: 'issue_assignee' | 'issue_mention',
  { repo, userId }: { readonly repo: Counted; readonly userId: number },
): Driver => ({
  name,
  sources: [{ table, at: sql<SqlBool>`found.repo_id = ${repo.id} and found.user_id = ${userId}` }],
  count: 0,
  splitsState: true,
  isOrdered: true,
})

const ofAuthor = (repo: Counted, userId: number): Driver => ({
  name: 'author',
  sources: [{ table: 'issue', at: sql<SqlBool>`issue.repo_id = ${repo.id} and issue.poster_id = ${userId}` }],
  count: 0,
  splitsState: true,
  isOrdered: true,
})

const ofLabel = ({ ids, count }: Named, { name, repo }: { readonly name: string; readonly repo: Counted }): Driver[] =>
  ids.length > MAX_SOURCES
    ? []
    : [
        {
          name,
          sources: ids.map((id) => ({
            table: 'issue_label',
            at: sql<SqlBool>`found.label_id = ${id} and found.repo_id = ${repo.id}`,
          })),
          count,
          splitsState: true,
          isOrdered: true,
          repeats: ids.length > 1,
        },
      ]

const ofMilestones = ({ ids, count }: Named): Driver[] =>
  ids.length > MAX_SOURCES
    ? []
    : [
        {
          name: 'milestone',
          sources: ids.map((id) => ({ table: 'issue', at: sql<SqlBool>`issue.milestone_id = ${id}` })),
          count,
          splitsState: true,
          isOrdered: true,
        },
      ]
