import { Type } from '@sinclair/typebox'
import { AccessMode, unitMode } from '../../../core/access/repo-access.ts'
import { repoUrls } from '../../../core/access/repo-urls.ts'
import { type ApiResponse, listed, noContent, ok } from '../../../core/http/answer/answer.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import { pagingQuery } from '../../../core/http/openapi/paging-members.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Viewer } from '../../../core/access/viewer.ts'
import { isDomainError } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { Site } from '../../../core/platform/site.ts'
import { BranchModel, presentBranch } from '../../code/index.ts'
import type { RepoInView } from '../../repositories/index.ts'
import type { Guards, Services } from '../../../core/module.ts'
import { EditMergeQueueEntryOption, MergeQueueEntry } from './merge-queue.model.ts'
import { presentQueued } from './merge-queue.present.ts'
import type { MergeQueue } from './merge-queue.service.ts'

interface MergeQueueOperationDeps {
  readonly guards: Pick<Guards, 'pull' | 'repo'>
  readonly queue: MergeQueue
  readonly branches: Services['branches']
  readonly site: Site
}

const common = { area: 'repository', scopes: ['repository'] } as const

/** Merge queues (behaviour/pull-requests#merge-queue); a pull request is queued by `repoMergePullRequest`. */
export const mergeQueueOperations = (deps: MergeQueueOperationDeps): Operation[] => [
  listOperation(deps),
  ...entryOperations(deps),
]

/**
 * NOTE: a branch whose name ends with `/queue` has the same address. Git allows either a branch `a` or a branch
 * `a/queue`, so only one of the two exists.
 */
function listOperation({ guards, queue, branches, site }: MergeQueueOperationDeps): Operation {
  return defineOperation({
    ...common,
    id: 'repoListMergeQueue',
    method: 'GET',
    path: '/repos/{owner}/{repo}/branches/{branch*}/queue',
    summary: 'List the merge queue of a branch, the head first',
    guard: guards.repo('read', { unit: 'repo.code' }),
    query: pagingQuery,
    responses: { 200: Type.Union([Type.Array(MergeQueueEntry), BranchModel]) },
    errors: [404],
    async handler({ access, viewer, params, paging }) {
      const namesake = await findNamesake({ branches, site }, viewer, access, params.branch)
      if (namesake !== undefined) return namesake
      if (unitMode(access.access, 'repo.pulls') < AccessMode.read) throw errors.pullsNotReadable()
      const page = await queue.list(access.repo, params.branch, paging)
      return listed(
        page,
        page.items.map((view) => presentQueued(view, viewer, site)),
      )
    },
  })
}

/** Finds the branch `<name>/queue` when no branch `<name>` exists. Throws NotFound when neither exists. */
async function findNamesake(
  { branches, site }: Pick<MergeQueueOperationDeps, 'branches' | 'site'>,
  viewer: Viewer,
  access: RepoInView,
  name: string,
): Promise<ApiResponse | undefined> {
  try {
    await branches.get(access.repo, name)
    return undefined
  } catch (error) {
    if (!isDomainError(error, 'not-found')) throw error
    const branch = await branches.get(access.repo, `${name}/queue`)
    const rights = await branches.rights(viewer, access)
    return ok(presentBranch(branch, await rights(branch.name), repoUrls(access.repo, site)))
  }
}

const PATH = '/repos/{owner}/{repo}/pulls/{index:int}/queue'

function entryOperations({ guards, queue, site }: MergeQueueOperationDeps): Operation[] {
  return [
    defineOperation({
      ...common,
      id: 'repoGetMergeQueueEntry',
      method: 'GET',
      path: PATH,
      summary: 'Get the position of a pull request in the merge queue of its base',
      guard: guards.pull('read'),
      responses: { 200: MergeQueueEntry },
      errors: [403, 404],
      handler: async ({ access, viewer }) => ok(presentQueued(await queue.get(access), viewer, site)),
    }),
    defineOperation({
      ...common,
      id: 'repoMoveMergeQueueEntry',
      method: 'PATCH',
      path: PATH,
      summary: 'Move a pull request to another position in its merge queue',
      guard: guards.pull('admin', {
        archived: 'refuse',
        refusal: 'user should be an owner or a collaborator with admin write of a repository',
      }),
      body: EditMergeQueueEntryOption,
      responses: { 200: MergeQueueEntry },
      errors: [401, 403, 404, 409, 422, 423],
      handler: async ({ access, viewer, body }) =>
        ok(presentQueued(await queue.move(access, body.position), viewer, site)),
    }),
    defineOperation({
      ...common,
      id: 'repoLeaveMergeQueue',
      method: 'DELETE',
      path: PATH,
      summary: 'Put a pull request out of its merge queue',
      guard: guards.pull('read', { needsUser: true, archived: 'refuse' }),
      responses: { 204: null },
      errors: [401, 403, 404, 409, 423],
      async handler({ access, viewer }) {
        if (!(await queue.leave(requireUser(viewer), access))) throw errors.notInMergeQueue()
        return noContent()
      },
    }),
  ]
}
