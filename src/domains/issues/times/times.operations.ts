import { Type } from '@sinclair/typebox'
import { type ApiResponse, listed, noContent, ok } from '../../../core/http/answer/answer.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { DomainError } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { Site } from '../../../core/platform/site.ts'
import { parseOptionalTimestamp } from '../../../core/platform/timestamp.ts'
import { isRepoAdmin } from '../../../core/access/repo-access.ts'
import { canWriteIssue } from '../issues/issue.policy.ts'
import { TrackedTime as TrackedTimeModel } from '../issues/timeline/timeline.model.ts'
import type { Guards } from '../../../core/module.ts'
import type { FindUser } from './tracked-times.ts'
import type { createTrackerGuard } from './times.guards.ts'
import { AddTimeOption } from './times.model.ts'
import { presentTime } from './times.present.ts'
import type { Times } from './times.service.ts'
import { readSpan, timesQuery } from './times.query.ts'
import { isTracking } from './tracking.policy.ts'

const PATH = '/repos/{owner}/{repo}/issues/{index:int}/times'

export interface TimeOperationDeps {
  readonly guards: Pick<Guards, 'issue' | 'repo'>
  readonly tracker: ReturnType<typeof createTrackerGuard>
  readonly times: Times
  readonly findUser: FindUser
  readonly site: Site
}

const common = { area: 'issue', scopes: ['issue'], path: PATH } as const

/** COMPAT: clients read the message from `Message` here (test/issues/times.test.ts). */
const trackingOffForDeletion = (): DomainError =>
  errors.timeTrackingDisabled().with({ Message: errors.timeTrackingDisabled.message })

/** Times of one issue (behaviour/issues#stopwatches-and-tracked-times). */
export const timeOperations = (deps: TimeOperationDeps): Operation[] => [
  ...readOperations(deps),
  ...addOperations(deps),
  ...deleteOperations(deps),
]

function readOperations({ guards, times, findUser, site }: TimeOperationDeps): Operation[] {
  return [
    defineOperation({
      ...common,
      id: 'issueTrackedTimes',
      method: 'GET',
      summary: 'Times of an issue; those who may not write it see their own',
      guard: guards.issue('read', { needsUser: true }),
      query: timesQuery,
      responses: { 200: Type.Array(TrackedTimeModel) },
      errors: [403, 404, 422],
      async handler({ access, viewer, query, paging }) {
        const actor = requireUser(viewer)
        if (!isTracking(access.repo)) throw errors.timeTrackerDisabled()
        const userId = await findUser.filter(actor, query.user, canWriteIssue(access.access, access.issue))
        const page = await times.list(actor, { ...readSpan(query), issueId: access.issue.id, userId }, paging)
        return listed(
          page,
          page.items.map((view) => presentTime(view, viewer, site)),
        )
      },
    }),
  ]
}

function addOperations({ tracker, times, findUser, site }: TimeOperationDeps): Operation[] {
  return [
    defineOperation({
      ...common,
      id: 'issueAddTime',
      method: 'POST',
      summary: 'Enter a time; administrators may name another user',
      guard: tracker({ level: 'read', whenOff: errors.timeTrackingDisabled }),
      body: AddTimeOption,
      responses: { 200: TrackedTimeModel },
      errors: [400, 403, 404, 422],
      async handler({ access, viewer, body }): Promise<ApiResponse> {
        const actor = requireUser(viewer)
        const isOther = body.user_name !== undefined && body.user_name !== '' && isRepoAdmin(access.access)
        const userId = isOther ? (await findUser.named(actor, body.user_name!)).id : actor.account.id
        const createdAt = parseOptionalTimestamp(body.created)
        const view = await times.add(actor, access, { userId, seconds: body.time, createdAt })
        return ok(presentTime(view, viewer, site))
      },
    }),
  ]
}

function deleteOperations({ guards, tracker, times }: TimeOperationDeps): Operation[] {
  return [
    defineOperation({
      ...common,
      id: 'issueResetTime',
      method: 'DELETE',
      summary: 'Delete the times that the caller entered for an issue',
      guard: tracker({ level: 'read', whenOff: trackingOffForDeletion }),
      responses: { 204: null },
      errors: [400, 403, 404],
      async handler({ access, viewer }) {
        await times.deleteOwn(requireUser(viewer), access)
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: 'issueDeleteTime',
      method: 'DELETE',
      path: `${PATH}/{id:int}`,
      summary: 'Delete a time: its user and site administrators',
      guard: guards.issue('read', { needsUser: true }),
      responses: { 204: null },
      errors: [400, 403, 404],
      async handler({ access, viewer, params }) {
        if (!isTracking(access.repo)) throw trackingOffForDeletion()
        await times.delete(requireUser(viewer), access, params.id)
        return noContent()
      },
    }),
  ]
}
