import { type Static, Type } from '@sinclair/typebox'
import { listed, ok } from '../../../../core/http/answer/answer.ts'
import { LIST_ITEMS, NAME_LENGTH } from '../../../../core/http/body/limits.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { pagingMembers } from '../../../../core/http/openapi/paging-members.ts'
import type { Issue } from '../../../issues/index.ts'
import type { RepoInView } from '../../../repositories/index.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Guards } from '../../../../core/module.ts'
import { PullRequest } from '../pull.model.ts'
import { presentPull, presentPulls } from '../pull.present.ts'
import type { Pulls } from '../pulls.service.ts'
import { PULL_SORTS } from './pull-filter.ts'
import type { PullLists, PullQuery } from './pull-lists.service.ts'
import type { Viewer } from '../../../../core/access/viewer.ts'

const LIST = '/repos/{owner}/{repo}/pulls'
const common = { area: 'repository', scopes: ['repository'], method: 'GET' } as const

const Word = (description: string) => Type.Optional(Type.String({ maxLength: NAME_LENGTH, description }))

const listQuery = Type.Object({
  ...pagingMembers,
  state: Word('open or closed; all for anything else'),
  sort: Word(PULL_SORTS.join(', ')),
  labels: Type.Optional(
    Type.Array(Type.Integer({ 'x-strict': true }), {
      maxItems: LIST_ITEMS,
      description: 'Ids; a pull request has one of them',
    }),
  ),
  milestone: Type.Optional(Type.Integer({ description: 'Id; 0 does not filter' })),
  poster: Word('Login'),
  base: Word('Name of the base branch'),
  base_branch: Word('Another name of base'),
  head: Word('Name of the head branch, in any repository'),
})

interface PullListOperationDeps {
  readonly guards: Pick<Guards, 'pulls'>
  readonly pulls: Pulls
  readonly lists: PullLists
  readonly site: Site
}

/** Lists of pull requests, and lookups by branches and by commit (behaviour/pull-requests#listing-pull-requests). */
export const pullListOperations = (deps: PullListOperationDeps): Operation[] => [...lists(deps), ...lookUps(deps)]

function lists({ guards, pulls, lists: pullLists, site }: PullListOperationDeps): Operation[] {
  return [
    defineOperation({
      ...common,
      id: 'repoListPullRequests',
      path: LIST,
      summary: 'List pull requests, the newest first, in all states unless one is given',
      guard: guards.pulls(),
      query: listQuery,
      responses: { 200: Type.Array(PullRequest) },
      errors: [400, 403, 404, 422],
      async handler({ access, viewer, query, paging }) {
        const page = await pullLists.list(viewer, access, readQuery(query), paging)
        return listed(page, presentPulls(await pulls.views(viewer, access, page.items), viewer, site))
      },
    }),
    defineOperation({
      ...common,
      id: 'repoListPinnedPullRequests',
      path: `${LIST}/pinned`,
      summary: 'List the pinned pull requests in their order',
      guard: guards.pulls(),
      responses: { 200: Type.Array(PullRequest) },
      errors: [403, 404],
      async handler({ access, viewer }) {
        // NOTE: pinned pull requests are few, and are shown with their totals.
        const views = await pulls.viewsWithTotals(viewer, access, await pullLists.pinned(access.repo))
        return ok(presentPulls(views, viewer, site))
      },
    }),
  ]
}

function lookUps({ guards, pulls, lists: pullLists, site }: PullListOperationDeps): Operation[] {
  const one = { ...common, guard: guards.pulls(), responses: { 200: PullRequest } } as const
  const answer = async (viewer: Viewer, target: RepoInView, issue: Issue) =>
    ok(presentPull(await pulls.view(viewer, target, issue), viewer, site))
  return [
    defineOperation({
      ...one,
      id: 'repoGetPullRequestByBaseHead',
      path: `${LIST}/{base}/{head*}`,
      summary: 'The pull request of two branches, the open one if there are several',
      errors: [400, 403, 404],
      handler: async ({ access, viewer, params: { base, head } }) =>
        answer(viewer, access, await pullLists.getByBranches(viewer, access, base, head)),
    }),
    defineOperation({
      ...one,
      id: 'repoGetCommitPullRequest',
      path: '/repos/{owner}/{repo}/commits/{sha}/pull',
      summary: 'The pull request that a commit merged',
      errors: [403, 404],
      handler: async ({ access, viewer, params }) =>
        answer(viewer, access, await pullLists.getByMerge(access.repo, params.sha)),
    }),
  ]
}

function readQuery(query: Static<typeof listQuery>): PullQuery {
  const { state, sort, labels = [], milestone = 0, poster, base, base_branch: baseBranch, head } = query
  return {
    state: state === 'open' || state === 'closed' ? state : 'all',
    sort: PULL_SORTS.find((known) => known === sort) ?? 'latest',
    labelIds: labels,
    milestoneId: milestone,
    author: poster || undefined,
    baseBranch: base || baseBranch || undefined,
    headBranch: head || undefined,
  }
}
