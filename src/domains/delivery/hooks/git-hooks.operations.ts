import { Type } from '@sinclair/typebox'
import type { Guard } from '../../../core/http/guards/guard.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { forbidden } from '../../../core/platform/errors.ts'
import type { RepoInView } from '../../repositories/index.ts'
import type { Guards } from '../../../core/module.ts'
import { EditGitHookOption, GitHook } from './hook.model.ts'

const PATH = '/repos/{owner}/{repo}/hooks/git'

/**
 * Git hooks are scripts that run with the permissions of the server. This server does not support them, so every
 * operation responds with 403; other servers disable the feature by default.
 */
export function gitHookOperations({ guards }: { readonly guards: Pick<Guards, 'repo'> }): Operation[] {
  const refused: Guard<RepoInView> = {
    ...guards.repo('admin'),
    describe: 'no account, because the server runs no git hooks',
    decide: refuse,
  }
  const common = {
    area: 'repository',
    scopes: ['repository'],
    guard: refused,
    errors: [403, 404],
    handler: refuse,
  } as const
  return [
    defineOperation({
      ...common,
      id: 'repoListGitHooks',
      method: 'GET',
      path: PATH,
      summary: 'Git hooks of a repository',
      responses: { 200: Type.Array(GitHook) },
    }),
    defineOperation({
      ...common,
      id: 'repoGetGitHook',
      method: 'GET',
      path: `${PATH}/{id}`,
      summary: 'A git hook',
      responses: { 200: GitHook },
    }),
    defineOperation({
      ...common,
      id: 'repoEditGitHook',
      method: 'PATCH',
      path: `${PATH}/{id}`,
      summary: 'Edit a git hook',
      body: EditGitHookOption,
      responses: { 200: GitHook },
    }),
    defineOperation({
      ...common,
      id: 'repoDeleteGitHook',
      method: 'DELETE',
      path: `${PATH}/{id}`,
      summary: 'Reset a git hook',
      responses: { 204: null },
    }),
  ]
}

function refuse(): never {
  throw forbidden('must be allowed to edit Git hooks')
}
