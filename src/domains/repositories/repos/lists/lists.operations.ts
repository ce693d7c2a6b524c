import { Type } from '@sinclair/typebox'
import { type ApiResponse, listed } from '../../../../core/http/answer/answer.ts'
import { NAME_LENGTH } from '../../../../core/http/body/limits.ts'
import { requireSignInWhenConfigured, signedIn } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { pagingMembers, pagingQuery } from '../../../../core/http/openapi/paging-members.ts'
import { invalid } from '../../../../core/platform/errors.ts'
import type { Page } from '../../../../core/platform/paging.ts'
import type { Guards } from '../../../../core/module.ts'
import { Repository } from '../repos.model.ts'
import type { RepoView } from '../lookup.ts'
import type { Repos } from '../repos.service.ts'
import type { RepoListJson } from './repo-list-json.ts'
import { BY_ID, type RepoOrder } from './repo-order.ts'

const ORDERS: Readonly<Record<string, RepoOrder>> = {
  name: { by: 'name', direction: 'asc' },
  id: BY_ID,
  size: { by: 'size', direction: 'desc' },
}

interface RepoListOperationDeps {
  readonly guards: Pick<Guards, 'org' | 'visibleUser'>
  readonly repos: Repos
  readonly json: RepoListJson
  /** Whether listing the repositories of users requires signing in. */
  readonly exploreNeedsSignIn: boolean
}

/** Operations that list repositories by owner, ordered by id by default (behaviour/repositories#lists-and-search). */
export function repoListOperations({ guards, repos, json, exploreNeedsSignIn }: RepoListOperationDeps): Operation[] {
  const answer = (page: Page<RepoView>): ApiResponse => listed(page, json(page.items))
  return [
    defineOperation({
      id: 'userCurrentListRepos',
      method: 'GET',
      path: '/user/repos',
      area: 'user',
      summary: 'List the repositories the caller owns or takes part in',
      scopes: ['repository', 'user'],
      guard: signedIn,
      query: Type.Object({
        ...pagingMembers,
        order_by: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'id, name or size' })),
      }),
      responses: { 200: Type.Array(Repository) },
      errors: [422],
      async handler({ viewer, access, query, paging }) {
        const order = Object.hasOwn(ORDERS, query.order_by ?? 'id') ? ORDERS[query.order_by ?? 'id'] : undefined
        if (order === undefined) throw invalid('invalid order_by')
        return answer(await repos.list(viewer, { filter: { relatedTo: access.account.id }, order }, paging))
      },
    }),
    defineOperation({
      id: 'userListRepos',
      method: 'GET',
      path: '/users/{username}/repos',
      area: 'user',
      summary: "List a user's repositories",
      scopes: ['repository', 'user'],
      guard: requireSignInWhenConfigured(guards.visibleUser, exploreNeedsSignIn),
      query: pagingQuery,
      responses: { 200: Type.Array(Repository) },
      errors: [404],
      handler: async ({ viewer, access: owner, paging }) =>
        answer(await repos.list(viewer, { filter: { ownerId: owner.id }, order: BY_ID }, paging)),
    }),
    defineOperation({
      id: 'orgListRepos',
      method: 'GET',
      path: '/orgs/{org}/repos',
      area: 'organization',
      summary: "List an organization's repositories",
      scopes: ['organization'],
      guard: guards.org('see'),
      query: pagingQuery,
      responses: { 200: Type.Array(Repository) },
      errors: [404],
      handler: async ({ viewer, access: { org }, paging }) =>
        answer(await repos.list(viewer, { filter: { ownerId: org.id }, order: BY_ID }, paging)),
    }),
  ]
}
