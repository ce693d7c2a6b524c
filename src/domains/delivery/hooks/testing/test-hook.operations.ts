import { Type } from '@sinclair/typebox'
import { noContent } from '../../../../core/http/answer/answer.ts'
import { PATH_LENGTH } from '../../../../core/http/body/limits.ts'
import { requireUser } from '../../../../core/http/guards/account.guards.ts'
import type { Guard } from '../../../../core/http/guards/guard.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { TestHook } from './test-hook.ts'

/** Tries a webhook of a repository out (behaviour/orgs-webhooks-actions#webhooks). */
export function testHookOperations(testHook: TestHook, guard: Guard<{ readonly repo: Repo }>): Operation[] {
  return [
    defineOperation({
      id: 'repoTestHook',
      method: 'POST',
      path: '/repos/{owner}/{repo}/hooks/{id:int}/tests',
      area: 'repository',
      summary: 'Send a push of the default branch, or of another ref, to a webhook',
      scopes: ['repository'],
      guard,
      query: Type.Object({
        ref: Type.Optional(Type.String({ maxLength: PATH_LENGTH, description: 'a branch, a tag or a commit' })),
      }),
      responses: { 204: null },
      errors: [403, 404],
      async handler({ access: { repo }, params, query: { ref }, viewer }) {
        await testHook(requireUser(viewer), { repo, hookId: params.id, ref })
        return noContent()
      },
    }),
  ]
}
