import { Repository } from '../../../contract/models/repository.ts'
import { EditRepoOption } from '../../../contract/options/edit-repo.ts'
import { presentRepo } from '../../../present/repo.present.ts'
import { requireUser } from '../../guards/account.guards.ts'
import { noContent, ok } from '../../answer.ts'
import { defineOperation, type Operation } from '../../operation.ts'
import type { AreaDeps } from '../deps.ts'

/** What is done to a repository that is there (reference repositories §7, §8). */
export function repoChangeOperations({ guards, repoChanges, repos, site }: Pick<AreaDeps, 'guards' | 'repoChanges' | 'repos' | 'site'>): Operation[] {
  return [
    defineOperation({
      id: 'repoEdit',
      method: 'PATCH',
      path: '/repos/{owner}/{repo}',
      area: 'repository',
      summary: 'Edit a repository; absent members stay as they are',
      scopes: ['repository'],
      guard: guards.repo('admin'),
      body: EditRepoOption,
      responses: { 200: Repository },
      errors: [403, 404, 422],
      async handler({ viewer, access: { repo, access }, body }) {
        await repoChanges.edit(requireUser(viewer), repo, body)
        // COMPAT: the answer shows the rights that the caller had before (repos-units).
        return ok(presentRepo(await repos.view(viewer, { repo: await repos.getById(repo.id), access }), site))
      },
    }),
    defineOperation({
      id: 'repoDelete',
      method: 'DELETE',
      path: '/repos/{owner}/{repo}',
      area: 'repository',
      summary: 'Delete a repository',
      scopes: ['repository'],
      guard: guards.repo('owner'),
      responses: { 204: null },
      errors: [403, 404],
      async handler({ viewer, access: { repo } }) {
        await repoChanges.delete(requireUser(viewer), repo)
        return noContent()
      },
    }),
  ]
}
