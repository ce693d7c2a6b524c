import { repoUrls } from '../../access/repo-urls.ts'
import type { AreaDeps } from '../../app/deps.ts'
import { created, noContent } from '../../http/answer.ts'
import { defineOperation, type Operation } from '../../http/operation.ts'
import { Branch } from './branch.model.ts'
import { presentBranch } from './branch.present.ts'
import { CreateBranchRepoOption, RenameBranchRepoOption, UpdateBranchRepoOption } from './ref.model.ts'

const PATH = '/repos/{owner}/{repo}/branches'

/** Making, deleting, renaming and moving branches (reference git-data §2). */
export function branchWriteOperations({ guards, code, site }: Pick<AreaDeps, 'guards' | 'code' | 'site'>): Operation[] {
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
        await code.branchWrites.create(viewer, access, name, { ref: body.old_ref_name, branch: body.old_branch_name })
        const rights = await code.branches.rights(viewer, access)
        return created(
          presentBranch(await code.branches.get(access.repo, name), rights(name), repoUrls(access.repo, site)),
        )
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
        await code.branchWrites.remove(viewer, access, params['branch']!)
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
        await code.branchWrites.rename(viewer, access, params['branch']!, body.name)
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
        await code.branchWrites.move(viewer, access, params['branch']!, {
          to: body.new_commit_id,
          from: body.old_commit_id,
          force: body.force,
        })
        return noContent()
      },
    }),
  ]
}
