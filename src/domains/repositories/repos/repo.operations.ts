import { Type } from '@sinclair/typebox'
import { ok } from '../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Guards } from '../../../core/module.ts'
import { presentRepo } from './repo.present.ts'
import { Repository } from './repository.model.ts'
import type { Repos } from './repos.service.ts'

interface RepoOperationDeps {
  readonly guards: Pick<Guards, 'repo' | 'repoById'>
  readonly repos: Repos
  readonly site: Site
}

/** One repository, by name and by id. */
export function repoOperations({ guards, repos, site }: RepoOperationDeps): Operation[] {
  return [
    defineOperation({
      id: 'repoGet',
      method: 'GET',
      path: '/repos/{owner}/{repo}',
      area: 'repository',
      summary: 'A repository',
      scopes: ['repository'],
      guard: guards.repo('see'),
      responses: { 200: Repository },
      errors: [404],
      handler: async ({ viewer, access }) => ok(presentRepo(await repos.view(viewer, access), site)),
    }),
    defineOperation({
      id: 'repoGetByID',
      method: 'GET',
      path: '/repositories/{id:int}',
      area: 'repository',
      summary: 'A repository by its id',
      scopes: ['repository'],
      guard: guards.repoById,
      responses: { 200: Repository },
      errors: [404],
      handler: async ({ viewer, access }) => ok(presentRepo(await repos.view(viewer, access), site)),
    }),
    defineOperation({
      id: 'repoGetLicenses',
      method: 'GET',
      path: '/repos/{owner}/{repo}/licenses',
      area: 'repository',
      summary: 'SPDX ids of the licences of a repository',
      scopes: ['repository'],
      guard: guards.repo('read', { unit: 'repo.code' }),
      responses: { 200: Type.Array(Type.String()) },
      errors: [403, 404],
      handler: ({ access: { repo } }) => ok(repo.licenses),
    }),
  ]
}
