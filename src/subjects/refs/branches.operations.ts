import { Type } from '@sinclair/typebox'
import { repoUrls } from '../../access/repo-urls.ts'
import type { AreaDeps } from '../../app/deps.ts'
import { listed, ok } from '../../http/answer.ts'
import { defineOperation, type Operation } from '../../http/operation.ts'
import { pagingQuery } from '../../http/paging-members.ts'
import { Branch } from './branch.model.ts'
import { presentBranch } from './branch.present.ts'

/** Branches (reference git-data §2). */
export function branchOperations({ guards, code, site }: Pick<AreaDeps, 'guards' | 'code' | 'site'>): Operation[] {
  const read = guards.repo('read', { unit: 'repo.code' })
  const common = { area: 'repository', scopes: ['repository'] } as const
  return [
    defineOperation({
      ...common,
      id: 'repoListBranches',
      method: 'GET',
      path: '/repos/{owner}/{repo}/branches',
      summary: 'List branches, the newest first',
      guard: read,
      query: pagingQuery,
      responses: { 200: Type.Array(Branch) },
      async handler({ access, viewer, paging }) {
        const { repo } = access
        const page = await code.branches.list(repo, paging)
        const [rights, urls] = [await code.branches.rights(viewer, access), repoUrls(repo, site)]
        return listed(
          page,
          page.items.map((branch) => presentBranch(branch, rights(branch.name), urls)),
        )
      },
    }),
    defineOperation({
      ...common,
      id: 'repoGetBranch',
      method: 'GET',
      path: '/repos/{owner}/{repo}/branches/{branch*}',
      summary: 'Get a branch',
      guard: read,
      responses: { 200: Branch },
      errors: [404],
      async handler({ access, viewer, params }) {
        const branch = await code.branches.get(access.repo, params['branch']!)
        const rights = await code.branches.rights(viewer, access)
        return ok(presentBranch(branch, rights(branch.name), repoUrls(access.repo, site)))
      },
    }),
  ]
}
