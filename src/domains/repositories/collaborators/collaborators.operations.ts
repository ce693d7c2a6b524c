import { Type } from '@sinclair/typebox'
import { AccessMode, accessName, parseAccessName } from '../../../core/access/repo-access.ts'
import { isSelf, type SignedIn } from '../../../core/access/viewer.ts'
import { listed, noContent, ok } from '../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingQuery } from '../../../core/http/openapi/paging-members.ts'
import { notFound } from '../../../core/platform/errors.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Guards } from '../../../core/module.ts'
import { UserModel as User, userPresenters } from '../../accounts/index.ts'
import type { Collaboration } from './collaboration.service.ts'
import { AddCollaboratorOption, RepoCollaboratorPermission } from './collaborator.model.ts'

const PATH = '/repos/{owner}/{repo}/collaborators'

interface CollaboratorOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly collaboration: Collaboration
  readonly site: Site
}

const common = { area: 'repository', scopes: ['repository'] } as const

export const collaboratorOperations = (deps: CollaboratorOperationDeps): Operation[] => [
  ...readOperations(deps),
  ...changeOperations(deps),
]

function readOperations({ collaboration, guards, site }: CollaboratorOperationDeps): Operation[] {
  const member = guards.repo('see', { needsUser: true })
  return [
    defineOperation({
      ...common,
      id: 'repoListCollaborators',
      method: 'GET',
      path: PATH,
      summary: 'Collaborators of a repository, without its owner and teams',
      guard: member,
      query: pagingQuery,
      responses: { 200: Type.Array(User) },
      errors: [401, 404],
      async handler({ access: { repo }, viewer, paging }) {
        const page = await collaboration.list(repo, paging)
        return listed(
          page,
          page.items.map((user) => userPresenters.present(user, viewer, site)),
          { link: false },
        )
      },
    }),
    defineOperation({
      ...common,
      id: 'repoCheckCollaborator',
      method: 'GET',
      path: `${PATH}/{collaborator}`,
      summary: 'Whether a user is a collaborator',
      guard: member,
      responses: { 204: null },
      errors: [401, 404, 422],
      async handler({ access: { repo }, viewer, params }) {
        if (!(await collaboration.isCollaborator(viewer as SignedIn, repo, params.collaborator)))
          throw notFound('the user is not a collaborator')
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: 'repoGetRepoPermissions',
      method: 'GET',
      path: `${PATH}/{collaborator}/permission`,
      summary: 'What a user may do in a repository',
      guard: member,
      responses: { 200: RepoCollaboratorPermission },
      errors: [401, 403, 404],
      async handler({ access, viewer, params }) {
        const { user, mode } = await collaboration.permissionOf(viewer as SignedIn, access, params.collaborator)
        // COMPAT: only the owner of the repository sees the state of the account here
        // (test/repositories/collaborators.test.ts).
        const presented = isSelf(viewer, access.repo.ownerId)
          ? userPresenters.present(user, viewer, site)
          : userPresenters.presentOther(user, site)
        return ok({ permission: accessName(mode), role_name: accessName(mode), user: presented })
      },
    }),
  ]
}

function changeOperations({ collaboration, guards }: CollaboratorOperationDeps): Operation[] {
  const change = {
    ...common,
    guard: guards.repo('admin'),
    responses: { 204: null },
    errors: [401, 403, 404, 422],
  } as const
  return [
    defineOperation({
      ...change,
      id: 'repoAddCollaborator',
      method: 'PUT',
      path: `${PATH}/{collaborator}`,
      summary: 'Add a collaborator or change what it may do; without a permission it may write',
      body: AddCollaboratorOption,
      async handler({ access: { repo }, viewer, params, body }) {
        const mode = parseAccessName(body.permission || 'write') ?? AccessMode.write
        await collaboration.put(viewer as SignedIn, repo, params.collaborator, mode)
        return noContent()
      },
    }),
    defineOperation({
      ...change,
      id: 'repoDeleteCollaborator',
      method: 'DELETE',
      path: `${PATH}/{collaborator}`,
      summary: 'Remove a collaborator',
      async handler({ access: { repo }, viewer, params }) {
        await collaboration.delete(viewer as SignedIn, repo, params.collaborator)
        return noContent()
      },
    }),
  ]
}
