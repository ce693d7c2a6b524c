import { Type } from '@sinclair/typebox'
import { repoUrls } from '../../../../core/access/repo-urls.ts'
import { NAME_LENGTH } from '../../../../core/http/body/limits.ts'
import { listed, ok } from '../../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { pagingMembers } from '../../../../core/http/openapi/paging-members.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Guards } from '../../../../core/module.ts'
import { Branch } from '../refs.model.ts'
import { presentBranch } from '../refs.present.ts'
import type { Branches } from './branches.service.ts'

interface BranchOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly branches: Branches
  readonly site: Site
}

/** Branches (behaviour/git-data-and-transport#branches). */
export function branchOperations({ guards, branches, site }: BranchOperationDeps): Operation[] {
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
      query: Type.Object({
        q: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'A part of the name' })),
        ...pagingMembers,
      }),
      responses: { 200: Type.Array(Branch) },
      async handler({ access, viewer, query, paging }) {
        const { repo } = access
        const page = await branches.list(repo, query.q?.trim() ?? '', paging)
        const [rights, urls] = [await branches.rights(viewer, access), repoUrls(repo, site)]
        const presented: Branch[] = []
        for (const branch of await branches.views(repo, page.items))
          presented.push(presentBranch(branch, await rights(branch.name), urls))
        return listed(page, presented)
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
        const branch = await branches.get(access.repo, params.branch)
        const rights = await branches.rights(viewer, access)
        return ok(presentBranch(branch, await rights(branch.name), repoUrls(access.repo, site)))
      },
    }),
  ]
}
