import type { Viewer } from '../../../../core/access/viewer.ts'
import type { Database } from '../../../../core/db/database.ts'
import type { IssueId } from '../../../../core/platform/crypto/ids.ts'
import { notFound } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { forkQueries } from '../../../code/index.ts'
import { ISSUE_SORTS, type Issue, issueQueries } from '../../../issues/index.ts'
import type { Repo, RepoInView } from '../../../repositories/index.ts'
import { userQueries, ownerQueries } from '../../../accounts/index.ts'
import { parseHead } from '../heads.ts'
import { findIssueByMerge, findIssueByTarget, listPullIssueIds } from './lists.store.ts'
import type { PullFilter, PullSort } from './pull-filter.ts'

export interface PullQuery extends Omit<PullFilter, 'authorId'> {
  /** Login. */
  readonly author: string | undefined
  readonly sort: PullSort
}

export type PullLists = ReturnType<typeof createPullLists>

/** Lists of pull requests, returned as issues (behaviour/pull-requests#listing-pull-requests). */
export function createPullLists({ read, dialect }: Pick<Database, 'read' | 'dialect'>) {
  const getIssue = async (id: IssueId | undefined): Promise<Issue> => {
    const issue = id && (await issueQueries.findById(read, id))
    if (!issue) throw errors.pullNotFound()
    return issue
  }
  return {
    /** Throws BadRequest for an unknown author. */
    async list(
      viewer: Viewer,
      { repo }: Pick<RepoInView, 'repo'>,
      { author, sort, ...rest }: PullQuery,
      paging: Paging,
    ): Promise<Page<Issue>> {
      const account = author === undefined ? undefined : await userQueries.findByName(read, author)
      if (author !== undefined && (account === undefined || !(await ownerQueries.isInView(read, viewer, account))))
        throw errors.filterUserUnknown(author)
      const filter = { ...rest, authorId: account?.id }
      const known = isPlain(filter) ? ISSUE_SORTS.find((name) => name === sort) : undefined
      const ids =
        known === undefined
          ? listPullIssueIds(read, repo.id, { filter, sort, paging })
          : issueQueries.listIdsOfRepo(read, dialect.name, repo, {
              filter: filterOfIssues(filter),
              sort: known,
              paging,
            })
      const { items, total } = await ids
      return { items: await issueQueries.listByIds(read, items), total }
    },
    pinned: async (repo: Repo): Promise<Issue[]> =>
      issueQueries.listByIds(read, await issueQueries.listPinnedIds(read, { repoId: repo.id, isPull: true })),
    /** Finds a pull request by base branch and head, in any state. Throws NotFound. */
    async getByBranches(viewer: Viewer, { repo }: RepoInView, base: string, head: string): Promise<Issue> {
      const { prefix, branch } = parseHead(head)
      const headRepo = prefix === undefined ? repo : await forkQueries.findHead(read, viewer, repo, prefix)
      if (headRepo === undefined) throw notFound('the head repository does not exist')
      const target = { headRepoId: headRepo.id, headBranch: branch, baseRepoId: repo.id, baseBranch: base }
      return getIssue(await findIssueByTarget(read, target))
    },
    /** Finds a pull request by the commit that merged it. Throws NotFound. */
    getByMerge: async (repo: Repo, oid: string): Promise<Issue> => getIssue(await findIssueByMerge(read, repo.id, oid)),
  }
}

/** NOTE: the lists of issues read a page from covering indexes, however many pull requests there are. */
const isPlain = ({ labelIds, milestoneId, baseBranch, headBranch }: PullFilter): boolean =>
  labelIds.length === 0 && milestoneId === 0 && baseBranch === undefined && headBranch === undefined

const filterOfIssues = ({
  state,
  authorId,
}: PullFilter): Parameters<typeof issueQueries.listIdsOfRepo>[3]['filter'] => ({
  state,
  authorId,
  kinds: { issues: false, pulls: true },
  labels: [],
  milestones: undefined,
})
