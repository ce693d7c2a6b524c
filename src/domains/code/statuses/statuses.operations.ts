import { Type, type Static } from '@sinclair/typebox'
import { NAME_LENGTH } from '../../../core/http/body/limits.ts'
import { repoUrls } from '../../../core/access/repo-urls.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import { type ApiResponse, created, listed } from '../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingMembers, pagingQuery } from '../../../core/http/openapi/paging-members.ts'
import type { Page } from '../../../core/platform/paging.ts'
import type { Site } from '../../../core/platform/site.ts'
import { STATUS_STATES } from '../protections/protections.policy.ts'
import type { Repo } from '../../repositories/index.ts'
import type { Guards, Services } from '../../../core/module.ts'
import { CombinedStatus, CommitStatus, CreateStatusOption } from './commit-status.model.ts'
import { presentCombinedStatus, presentStatus } from './commit-status.present.ts'
import type { StatusSort } from './commit-status.store.ts'
import type { Statuses, StatusQuery, StatusView } from './statuses.service.ts'

const listQuery = Type.Object({
  sort: Type.Optional(
    Type.String({
      maxLength: NAME_LENGTH,
      description:
        'oldest, recentupdate (default), leastupdate, leastindex (highest number first) or highestindex (lowest ' +
        'number first)',
    }),
  ),
  state: Type.Optional(
    Type.String({ maxLength: NAME_LENGTH, description: 'pending, success, error, failure, warning or skipped' }),
  ),
  ...pagingMembers,
})

const SORTS: Readonly<Record<string, StatusSort>> = {
  oldest: 'oldest',
  leastupdate: 'oldest',
  leastindex: 'leastindex',
  highestindex: 'highestindex',
}

/** Unknown sorts and states are ignored, as clients expect. */
function readQuery({ sort = '', state }: Static<typeof listQuery>): StatusQuery {
  return {
    sort: Object.hasOwn(SORTS, sort) ? SORTS[sort]! : 'newest',
    state: STATUS_STATES.find((candidate) => candidate === state),
  }
}

interface StatusOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly repos: Services['repos']
  readonly site: Site
  readonly statuses: Statuses
}

/** Commit statuses (behaviour/git-data-and-transport#commit-statuses, behaviour/pull-requests#commit-statuses). */
export const statusOperations = (deps: StatusOperationDeps): Operation[] => [
  createOperation(deps),
  ...readOperations(deps),
]

const common = { area: 'repository', scopes: ['repository'] } as const

const createOperation = ({ guards, statuses, site }: StatusOperationDeps): Operation =>
  defineOperation({
    ...common,
    id: 'repoCreateStatus',
    method: 'POST',
    path: '/repos/{owner}/{repo}/statuses/{sha*}',
    summary: 'Report a result for a commit',
    guard: guards.repo('write', { unit: 'repo.code' }),
    body: CreateStatusOption,
    responses: { 201: CommitStatus },
    errors: [401, 403, 404, 422],
    async handler({ access: { repo }, viewer, params, body }) {
      const { state, context = '', description = '', target_url: targetUrl = '' } = body
      const view = await statuses.create(viewer as SignedIn, repo, params.sha, {
        state,
        context,
        description,
        targetUrl,
      })
      return created(presentStatus(view, repoUrls(repo, site).api, site))
    },
  })

function readOperations({ guards, repos, site, statuses }: StatusOperationDeps): Operation[] {
  const read = guards.repo('read', { unit: 'repo.code' })
  const answer = (repo: Repo, page: Page<StatusView>): ApiResponse =>
    listed(
      page,
      page.items.map((view) => presentStatus(view, repoUrls(repo, site).api, site)),
    )
  return [
    defineOperation({
      ...common,
      id: 'repoListStatuses',
      method: 'GET',
      path: '/repos/{owner}/{repo}/statuses/{sha*}',
      summary: 'List everything reported for a commit',
      guard: read,
      query: listQuery,
      responses: { 200: Type.Array(CommitStatus) },
      handler: async ({ access: { repo }, params, query, paging }) =>
        answer(repo, await statuses.listOf(repo, params.sha, readQuery(query), paging)),
    }),
    defineOperation({
      ...common,
      id: 'repoListStatusesByRef',
      method: 'GET',
      path: '/repos/{owner}/{repo}/commits/{ref*}/statuses',
      summary: 'List everything reported for a branch, tag or commit',
      guard: read,
      query: listQuery,
      responses: { 200: Type.Array(CommitStatus) },
      errors: [404],
      handler: async ({ access: { repo }, params, query, paging }) =>
        answer(repo, await statuses.list(repo, params.ref, readQuery(query), paging)),
    }),
    defineOperation({
      ...common,
      id: 'repoGetCombinedStatusByRef',
      method: 'GET',
      path: '/repos/{owner}/{repo}/commits/{ref*}/status',
      summary: 'Get the newest result of each context and their combined state',
      guard: read,
      query: pagingQuery,
      responses: { 200: CombinedStatus },
      errors: [404],
      async handler({ access, viewer, params, paging }) {
        const combined = await statuses.combined(access.repo, params.ref, paging)
        return {
          status: 200,
          body: presentCombinedStatus(combined, await repos.view(viewer, access), site),
          total: combined.page.total,
          link: true,
        }
      },
    }),
  ]
}
