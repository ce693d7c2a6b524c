import { repoUrls } from '../../../../core/access/repo-urls.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import { created, noContent } from '../../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Guards } from '../../../../core/module.ts'
import type { BranchWrites } from './branch-writes.service.ts'
import { Branch, CreateBranchRepoOption, RenameBranchRepoOption, UpdateBranchRepoOption } from '../refs.model.ts'
import { presentBranch } from '../refs.present.ts'
import type { Branches } from './branches.service.ts'

const PATH = '/repos/{owner}/{repo}/branches'

interface BranchWriteOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly branches: Branches
  readonly branchWrites: BranchWrites
  readonly site: Site
}

/** Operations that create, delete, rename and update branches (behaviour/git-data-and-transport#branches). */
export function branchWriteOperations({ guards, branches, branchWrites, site }: BranchWriteOperationDeps): Operation[] {
  const guard = guards.repo('write', { unit: 'repo.code', archived: 'refuse' })
  const common = {
    area: 'repository',
    scopes: ['repository'],
    guard,
    errors: [401, 403, 404, 409, 413, 422, 423],
  } as const
  return [
    defineOperation({
      ...common,
      id: 'repoCreateBranch',
      method: 'POST',
      path: PATH,
      summary: 'Create a branch',
      body: CreateBranchRepoOption,
      responses: { 201: Branch },
      async handler({ access, viewer, body }) {
        const name = body.new_branch_name
        await branchWrites.create(viewer as SignedIn, access, name, {
          ref: body.old_ref_name,
          branch: body.old_branch_name,
        })
        const rights = await branches.rights(viewer, access)
        const branch = await branches.get(access.repo, name)
        return created(presentBranch(branch, await rights(name), repoUrls(access.repo, site)))
      },
    }),
    defineOperation({
      ...common,
      id: 'repoDeleteBranch',
      method: 'DELETE',
      path: `${PATH}/{branch*}`,
      summary: 'Delete a branch',
      responses: { 204: null },
      async handler({ access, viewer, params }) {
        await branchWrites.delete(viewer as SignedIn, access, params.branch)
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: 'repoRenameBranch',
      method: 'PATCH',
      path: `${PATH}/{branch*}`,
      summary: 'Rename a branch',
      body: RenameBranchRepoOption,
      responses: { 204: null },
      async handler({ access, viewer, params, body }) {
        await branchWrites.rename(viewer as SignedIn, access, params.branch, body.name)
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: 'repoUpdateBranch',
      method: 'PUT',
      path: `${PATH}/{branch*}`,
      summary: 'Move a branch to another commit',
      body: UpdateBranchRepoOption,
      responses: { 204: null },
      async handler({ access, viewer, params, body }) {
        await branchWrites.move(viewer as SignedIn, access, params.branch, {
          to: body.new_commit_id,
          from: body.old_commit_id,
          force: body.force,
        })
        return noContent()
      },
    }),
  ]
}
