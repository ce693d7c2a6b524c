import { Type } from '@sinclair/typebox'
import { type ApiResponse, created, listed, ok } from '../../../../core/http/answer/answer.ts'
import { requireUser } from '../../../../core/http/guards/account.guards.ts'
import { pagingQuery } from '../../../../core/http/openapi/paging-members.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { isPublicOnly, isRestrictedToken, type Viewer } from '../../../../core/access/viewer.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Guards } from '../../../../core/module.ts'
import { Issue } from '../issue.model.ts'
import { canWriteIssue } from '../issue.policy.ts'
import { presentIssue } from '../issue.present.ts'
import type { Issues } from '../issues.service.ts'
import type { IssueInView } from '../views.ts'
import type { Dependencies, DependencyPair } from './dependencies.service.ts'
import { IssueDependency, IssueMeta } from '../issues.model.ts'
import { presentHidden } from '../issues.present.ts'

const ONE = '/repos/{owner}/{repo}/issues/{index:int}'
const DEPENDENCIES = `${ONE}/dependencies`
const BLOCKS = `${ONE}/blocks`

interface DependencyOperationDeps {
  readonly guards: Pick<Guards, 'issue'>
  readonly issues: Issues
  readonly dependencies: Dependencies
  readonly site: Site
}

const common = { area: 'issue', scopes: ['issue'] } as const

/** Issues that an issue depends on, and those that depend on it (behaviour/issues#dependencies-and-blocks). */
export const dependencyOperations = (deps: DependencyOperationDeps): Operation[] => [
  ...listOperations(deps),
  ...changeOperations(deps, {
    path: DEPENDENCIES,
    ids: ['issueCreateIssueDependencies', 'issueRemoveIssueDependencies'],
    summaries: ['Make an issue depend on another one', 'Delete a dependency of an issue'],
    guard: deps.guards.issue('write', { isHidden: true, archived: 'refuse' }),
    errors: [400, 404, 422, 423],
    pairOf: (own, other) => ({ dependent: own, blocker: other }),
  }),
  ...changeOperations(deps, {
    path: BLOCKS,
    ids: ['issueCreateIssueBlocking', 'issueRemoveIssueBlocking'],
    summaries: ['Make another issue depend on an issue', 'Delete the dependency of another issue on an issue'],
    guard: deps.guards.issue('read', { needsUser: true }),
    errors: [400, 404, 422],
    pairOf: (own, other) => ({ dependent: other, blocker: own }),
  }),
]

function listOperations({ guards, dependencies, site }: DependencyOperationDeps): Operation[] {
  const list = {
    ...common,
    method: 'GET',
    guard: guards.issue('read'),
    query: pagingQuery,
    errors: [404],
  } as const
  return [
    defineOperation({
      ...list,
      id: 'issueListIssueDependencies',
      path: DEPENDENCIES,
      summary: 'Issues that an issue depends on; those that the caller may not read are titled HIDDEN',
      responses: { 200: Type.Array(IssueDependency) },
      async handler({ access, viewer, paging }) {
        const page = await dependencies.listBlockers(viewer, access, paging)
        const seesParts =
          canWriteIssue(access.access, access.issue) && !isRestrictedToken(viewer) && !isPublicOnly(viewer)
        const models = page.items.map((item) =>
          'labels' in item ? presentIssue(item, viewer, site) : presentHidden(item, seesParts),
        )
        return listed(page, models)
      },
    }),
    defineOperation({
      ...list,
      id: 'issueListBlocks',
      path: BLOCKS,
      summary: 'Issues that depend on an issue, of those that the caller may read',
      responses: { 200: Type.Array(Issue) },
      async handler({ access, viewer, paging }) {
        const views = await dependencies.listDependents(viewer, access, paging)
        return ok(views.map((view) => presentIssue(view, viewer, site)))
      },
    }),
  ]
}

/** What differs between the two sides of a dependency. */
interface Side {
  readonly path: string
  /** Ids of the operations that add and delete. */
  readonly ids: readonly [string, string]
  readonly summaries: readonly [string, string]
  readonly guard: ReturnType<Guards['issue']>
  readonly errors: readonly number[]
  pairOf(own: IssueInView, other: IssueInView): DependencyPair
}

function changeOperations(
  deps: DependencyOperationDeps,
  { path, ids, summaries, guard, errors, pairOf }: Side,
): Operation[] {
  const { dependencies, site, issues } = deps
  const change = { ...common, path, guard, errors, body: IssueMeta, responses: { 201: Issue } } as const
  const find = async (viewer: Viewer, own: IssueInView, { owner, repo, index }: IssueMeta): Promise<DependencyPair> => {
    const name = { owner: owner || own.repo.owner.name, repo: repo || own.repo.name, number: index ?? 0 }
    return pairOf(own, await dependencies.getOther(viewer, name))
  }
  const answer = async (viewer: Viewer, { repo, issue }: IssueInView): Promise<ApiResponse> =>
    created(presentIssue(await issues.view(viewer, repo, await issues.getById(issue.id)), viewer, site))
  return [
    defineOperation({
      ...change,
      id: ids[0],
      method: 'POST',
      summary: summaries[0],
      async handler({ access, viewer, body }) {
        const pair = await find(viewer, access, body)
        if (dependencies.isForbidden(pair)) return CROSS_REPOSITORY
        await dependencies.add(requireUser(viewer), pair)
        return answer(viewer, access)
      },
    }),
    defineOperation({
      ...change,
      id: ids[1],
      method: 'DELETE',
      summary: summaries[1],
      async handler({ access, viewer, body }) {
        await dependencies.delete(requireUser(viewer), await find(viewer, access, body))
        return answer(viewer, access)
      },
    }),
  ]
}

/** COMPAT: the body is a string, not an object (test/issues/dependencies.test.ts). */
const CROSS_REPOSITORY: ApiResponse = {
  status: 400,
  body: 'CrossRepositoryDependencies not enabled',
  headers: { 'x-ingot-reason': 'bad_request' },
}
