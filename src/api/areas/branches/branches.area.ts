import { Type } from '@sinclair/typebox'
import { Branch } from '../../../contract/models/branch.ts'
import { pagingQuery } from '../../../contract/paging.ts'
import { presentBranch } from '../../../present/branch.present.ts'
import { repoUrls } from '../../../present/repo-urls.ts'
import { listed, ok } from '../../answer.ts'
import { defineOperation, type Operation } from '../../operation.ts'
import type { AreaDeps } from '../deps.ts'

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
        return listed(page, page.items.map((branch) => presentBranch(branch, rights(branch.name), urls)))
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
