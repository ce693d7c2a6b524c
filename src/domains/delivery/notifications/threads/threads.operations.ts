import { Type } from '@sinclair/typebox'
import { isSelf, isSiteAdmin, type SignedIn } from '../../../../core/access/viewer.ts'
import { type ApiResponse, listed, ok } from '../../../../core/http/answer/answer.ts'
import { requireUser, signedIn } from '../../../../core/http/guards/account.guards.ts'
import type { Guard } from '../../../../core/http/guards/guard.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { forbidden } from '../../../../core/platform/errors.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { type Paging, parseInteger } from '../../../../core/platform/paging.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Guards } from '../../../../core/module.ts'
import { listQuery, markQuery, readListFilter, readMarkFilter, readToStatus, statusQuery } from './thread-query.ts'
import { NotificationCount, NotificationThread } from '../notifications.model.ts'
import { presentThread } from '../notifications.present.ts'
import type { Thread } from './thread.store.ts'
import type { OwnFilter, Threads } from './threads.service.ts'

const OWN = '/notifications'
const OF_REPO = '/repos/{owner}/{repo}/notifications'
const ONE = `${OWN}/threads/{id:int}`

interface ThreadOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly site: Site
  readonly threads: Threads
}

const common = { area: 'notification', scopes: ['notification'] } as const
const List = Type.Array(NotificationThread)

/** Notifications of the requesting user (behaviour/issues#notifications). */
export const threadOperations = (deps: ThreadOperationDeps): Operation[] => [
  ...listOperations(deps),
  ...markOperations(deps),
  ...singleOperations(deps),
]

function listOperations({ guards, site, threads }: ThreadOperationDeps): Operation[] {
  const page = async (viewer: SignedIn, filter: OwnFilter, paging: Paging): Promise<ApiResponse> => {
    const found = await threads.list(viewer, filter, paging)
    return listed(
      found,
      found.items.map((view) => presentThread(view, site)),
    )
  }
  return [
    defineOperation({
      ...common,
      id: 'notifyGetList',
      method: 'GET',
      path: OWN,
      summary: 'Notification threads of the caller, the latest first',
      guard: signedIn,
      query: listQuery,
      responses: { 200: List },
      errors: [401, 422],
      handler: ({ access, query, paging }) => page(access, readListFilter(query), paging),
    }),
    defineOperation({
      ...common,
      id: 'notifyGetRepoList',
      method: 'GET',
      path: OF_REPO,
      summary: 'Notification threads of the caller about a repository, the latest first',
      guard: guards.repo('see', { needsUser: true, what: 'notifications' }),
      query: listQuery,
      responses: { 200: List },
      errors: [401, 404, 422],
      handler: ({ viewer, access: { repo }, query, paging }) =>
        page(requireUser(viewer), { ...readListFilter(query), repoId: repo.id }, paging),
    }),
    defineOperation({
      ...common,
      id: 'notifyNewAvailable',
      method: 'GET',
      path: `${OWN}/new`,
      summary: 'How many notification threads of the caller are unread',
      guard: signedIn,
      responses: { 200: NotificationCount },
      errors: [401],
      handler: async ({ access }) => ok({ new: await threads.countUnread(access) }),
    }),
  ]
}

/** COMPAT: 205 with a body: clients parse it (test/delivery/notifications/marking.test.ts). */
const changed = (body: unknown): ApiResponse => ({ status: 205, body })

function markOperations({ guards, site, threads }: ThreadOperationDeps): Operation[] {
  const mark = async (viewer: SignedIn, filter: OwnFilter, toStatus: string | undefined): Promise<ApiResponse> =>
    changed((await threads.mark(viewer, filter, readToStatus(toStatus))).map((view) => presentThread(view, site)))
  return [
    defineOperation({
      ...common,
      id: 'notifyReadList',
      method: 'PUT',
      path: OWN,
      summary: 'Mark notification threads of the caller as read, unread or pinned',
      guard: signedIn,
      query: markQuery,
      responses: { 205: List },
      errors: [400, 401],
      handler: ({ access, query }) => mark(access, readMarkFilter(query), query['to-status']),
    }),
    defineOperation({
      ...common,
      id: 'notifyReadRepoList',
      method: 'PUT',
      path: OF_REPO,
      summary: 'Mark notification threads of the caller about a repository as read, unread or pinned',
      guard: guards.repo('see', { needsUser: true, what: 'notifications' }),
      query: markQuery,
      responses: { 205: List },
      errors: [400, 401, 404],
      handler: ({ viewer, access: { repo }, query }) =>
        mark(requireUser(viewer), { ...readMarkFilter(query), repoId: repo.id }, query['to-status']),
    }),
  ]
}

interface ThreadAccess {
  readonly actor: SignedIn
  readonly thread: Thread
}

function singleOperations({ site, threads }: ThreadOperationDeps): Operation[] {
  const guard = (mayAdminister: boolean): Guard<ThreadAccess> => ({
    kind: 'signed-in',
    describe: mayAdminister ? 'the user who is notified or a site administrator' : 'the user who is notified',
    needsUser: true,
    resolve: async ({ viewer, params }) => ({
      actor: requireUser(viewer),
      thread: await threads.getById(viewer, asId(parseInteger(params['id']))),
    }),
    decide({ thread }, { viewer }) {
      if (!isSelf(viewer, thread.userId) && !(mayAdminister && isSiteAdmin(viewer)))
        throw forbidden(`only user itself and admin are allowed to read/change this thread ${thread.id}`)
    },
    recheck: async ({ actor, thread }) => void (await threads.getById(actor, thread.id)),
  })
  return [
    defineOperation({
      ...common,
      id: 'notifyGetThread',
      method: 'GET',
      path: ONE,
      summary: 'A notification thread',
      guard: guard(true),
      responses: { 200: NotificationThread },
      errors: [401, 403, 404],
      handler: async ({ access: { actor, thread } }) => ok(presentThread(await threads.view(actor, thread), site)),
    }),
    defineOperation({
      ...common,
      id: 'notifyReadThread',
      method: 'PATCH',
      path: ONE,
      summary: 'Mark a notification thread as read, unread or pinned',
      guard: guard(false),
      query: statusQuery,
      responses: { 205: NotificationThread },
      errors: [401, 403, 404],
      handler: async ({ access: { actor, thread }, query }) =>
        changed(presentThread(await threads.markOne(actor, thread, readToStatus(query['to-status'])), site)),
    }),
  ]
}
