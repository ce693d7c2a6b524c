import { Type } from '@sinclair/typebox'
import type { SignedIn } from '../../../core/access/viewer.ts'
import { ok } from '../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Guards } from '../../../core/module.ts'
import { UserModel as User, presentUser } from '../../accounts/index.ts'
import type { Collaboration } from './collaboration.service.ts'

interface AssigneeOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly collaboration: Pick<Collaboration, 'assignees' | 'reviewers'>
  readonly site: Site
}

/** Users who can be assigned or asked for a review; neither list has pages. */
export function assigneeOperations({ collaboration, guards, site }: AssigneeOperationDeps): Operation[] {
  const common = {
    method: 'GET',
    area: 'repository',
    scopes: ['repository'],
    guard: guards.repo('see', { needsUser: true }),
    responses: { 200: Type.Array(User) },
  } as const
  return [
    defineOperation({
      ...common,
      id: 'repoGetAssignees',
      path: '/repos/{owner}/{repo}/assignees',
      summary: 'Users whom issues may be assigned to',
      errors: [401, 404],
      handler: async ({ access: { repo }, viewer }) =>
        ok((await collaboration.assignees(repo)).map((user) => presentUser(user, viewer, site))),
    }),
    defineOperation({
      ...common,
      id: 'repoGetReviewers',
      path: '/repos/{owner}/{repo}/reviewers',
      summary: 'Users of whom a review may be asked',
      errors: [401, 403, 404],
      handler: async ({ access: { repo }, viewer }) =>
        ok((await collaboration.reviewers(viewer as SignedIn, repo)).map((user) => presentUser(user, viewer, site))),
    }),
  ]
}
