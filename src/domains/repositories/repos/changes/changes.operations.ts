import { noContent, ok } from '../../../../core/http/answer/answer.ts'
import { requireUser } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Guards } from '../../../../core/module.ts'
import type { OrgRepos } from '../deletion/delete-org-repos.ts'
import type { RepoChanges } from './repo-changes.service.ts'
import { presentRepo } from '../repo.present.ts'
import { EditRepoOption, ReposDeletion, Repository } from '../repos.model.ts'
import type { Repos } from '../repos.service.ts'

interface RepoChangeOperationDeps {
  readonly guards: Pick<Guards, 'org' | 'repo'>
  readonly orgRepos: Pick<OrgRepos, 'requestDeletion'>
  readonly repoChanges: RepoChanges
  readonly repos: Repos
  readonly site: Site
}

/** Editing and deleting a repository (behaviour/repositories#editing, behaviour/repositories#deletion-and-renames). */
export function repoChangeOperations({
  guards,
  orgRepos,
  repoChanges,
  repos,
  site,
}: RepoChangeOperationDeps): Operation[] {
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
        // COMPAT: the response contains the permissions before the edit (test/repositories/edit.test.ts).
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
    defineOperation({
      id: 'repoConvert',
      method: 'POST',
      path: '/repos/{owner}/{repo}/convert',
      area: 'repository',
      summary: 'Make a pull mirror an ordinary repository',
      scopes: ['repository'],
      guard: guards.repo('admin'),
      responses: { 200: Repository },
      errors: [403, 404, 422],
      async handler({ viewer, access: { repo, access } }) {
        await repoChanges.convertMirror(requireUser(viewer), repo)
        return ok(presentRepo(await repos.view(viewer, { repo: await repos.getById(repo.id), access }), site))
      },
    }),
    defineOperation({
      id: 'orgDeleteRepos',
      method: 'DELETE',
      path: '/orgs/{org}/repos',
      area: 'organization',
      summary: 'Delete all repositories of an organization, in the background',
      scopes: ['organization'],
      guard: guards.org('owner'),
      responses: { 202: ReposDeletion, 204: null },
      errors: [403, 404],
      async handler({ viewer, access: { org } }) {
        const repositories = await orgRepos.requestDeletion(requireUser(viewer), org.id)
        return repositories > 0 ? { status: 202, body: { repositories } } : noContent()
      },
    }),
  ]
}
