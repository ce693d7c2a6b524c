import { Type } from '@sinclair/typebox'
import { listed, ok } from '../../../../core/http/answer/answer.ts'
import { requireUser } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { pagingQuery } from '../../../../core/http/openapi/paging-members.ts'
import type { Site } from '../../../../core/platform/site.ts'
import { WatchInfo } from '../../../repositories/index.ts'
import type { Guards } from '../../../../core/module.ts'
import { UserModel as User, userPresenters } from '../../../accounts/index.ts'
import { presentSubscription } from '../notifications.present.ts'
import type { Subscriptions } from './subscriptions.service.ts'

const LIST = '/repos/{owner}/{repo}/issues/{index:int}/subscriptions'

interface SubscriptionOperationDeps {
  readonly guards: Pick<Guards, 'issue'>
  readonly site: Site
  readonly subscriptions: Subscriptions
}

/** Subscriptions to issues (behaviour/issues#subscriptions). */
export function subscriptionOperations({ guards, site, subscriptions }: SubscriptionOperationDeps): Operation[] {
  const common = { area: 'issue', scopes: ['issue'] } as const
  const reader = guards.issue('read')
  const signedInReader = guards.issue('read', { needsUser: true })
  const change = (isWatching: boolean): Operation =>
    defineOperation({
      ...common,
      id: isWatching ? 'issueAddSubscription' : 'issueDeleteSubscription',
      method: isWatching ? 'PUT' : 'DELETE',
      path: `${LIST}/{user}`,
      summary: isWatching
        ? 'Subscribe a user to an issue; 200 when it is subscribed already'
        : 'Unsubscribe a user from an issue; 200 when it is not subscribed',
      guard: signedInReader,
      responses: { 200: WatchInfo, 201: WatchInfo },
      errors: [401, 403, 404],
      async handler({ viewer, access, params }) {
        const change = { username: params.user, isWatching }
        const isChanged = await subscriptions.set(requireUser(viewer), access.issue, change)
        return { status: isChanged ? 201 : 200, body: presentSubscription(access, isWatching, site) }
      },
    })
  return [
    defineOperation({
      ...common,
      id: 'issueSubscriptions',
      method: 'GET',
      path: LIST,
      summary: 'Users who chose to be notified of an issue',
      guard: reader,
      query: pagingQuery,
      responses: { 200: Type.Array(User) },
      errors: [404],
      async handler({ viewer, access, paging }) {
        const page = await subscriptions.list(access.issue, paging)
        const users = page.items.map((user) => userPresenters.present(user, viewer, site))
        return listed(page, users, { link: false })
      },
    }),
    defineOperation({
      ...common,
      id: 'issueCheckSubscription',
      method: 'GET',
      path: `${LIST}/check`,
      summary: 'Whether the caller is notified of an issue',
      guard: signedInReader,
      responses: { 200: WatchInfo },
      errors: [401, 404],
      async handler({ viewer, access }) {
        const isSubscribed = await subscriptions.isSubscribed(requireUser(viewer).account.id, access.issue)
        return ok(presentSubscription(access, isSubscribed, site))
      },
    }),
    change(true),
    change(false),
  ]
}
