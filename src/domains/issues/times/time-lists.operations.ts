import { Type } from '@sinclair/typebox'
import { isRepoAdmin } from '../../../core/access/repo-access.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import { listed, ok } from '../../../core/http/answer/answer.ts'
import { requireUser, signedIn } from '../../../core/http/guards/account.guards.ts'
import { nested } from '../../../core/http/guards/guard.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { errors } from '../../errors.ts'
import { canReadIssue, canWriteIssue } from '../issues/issue.policy.ts'
import { TrackedTime as TrackedTimeModel } from '../issues/timeline/timeline.model.ts'
import type { RepoInView } from '../../repositories/index.ts'
import type { TimeOperationDeps } from './times.operations.ts'
import { presentTime } from './times.present.ts'
import { readSpan, spanQuery, timesQuery } from './times.query.ts'
import { isTracking } from './tracking.policy.ts'

const PATH = '/repos/{owner}/{repo}/times'

/** Times of a repository and of a user (behaviour/issues#stopwatches-and-tracked-times). */
export const timeListOperations = (deps: TimeOperationDeps): Operation[] => [
  ...repoOperations(deps),
  ...userOperations(deps),
]

function requireTracking({ repo }: RepoInView): void {
  if (!isTracking(repo)) throw errors.timeTrackingDisabled()
}

function repoOperations({ guards, times, findUser, site }: TimeOperationDeps): Operation[] {
  const readers = nested(guards.repo('see', { needsUser: true }), {
    describe: 'read repo.issues',
    resolve: () => ({}),
    decide({ access }) {
      if (!canReadIssue(access, { isPull: false })) throw errors.unitNotReadable('repo.issues')
    },
  })
  const common = {
    area: 'repository',
    scopes: ['repository'],
    method: 'GET',
    responses: { 200: Type.Array(TrackedTimeModel) },
    errors: [400, 403, 404, 422],
  } as const
  return [
    defineOperation({
      ...common,
      id: 'repoTrackedTimes',
      path: PATH,
      summary: 'Times of a repository; those who may not write its issues see their own',
      guard: readers,
      query: timesQuery,
      async handler({ access, viewer, query, paging }) {
        requireTracking(access)
        const actor = requireUser(viewer)
        const seesAll = canWriteIssue(access.access, { isPull: false })
        const userId = await findUser.filter(actor, query.user, seesAll)
        const page = await times.list(actor, { ...readSpan(query), repoId: access.repo.id, userId }, paging)
        return listed(
          page,
          page.items.map((view) => presentTime(view, viewer, site)),
        )
      },
    }),
    defineOperation({
      ...common,
      id: 'userTrackedTimes',
      path: `${PATH}/{user}`,
      summary: 'Times of a user in a repository: for itself and administrators of the repository',
      guard: nested(readers, {
        describe: 'the user, or admin',
        resolve: () => ({}),
        decide({ access }, { viewer, params }) {
          if (!isRepoAdmin(access) && !isNamed(requireUser(viewer), params['user']!))
            throw errors.timesOfOthersForbidden()
        },
      }),
      async handler({ access, viewer, params }) {
        requireTracking(access)
        const actor = requireUser(viewer)
        const { id } = await findUser.named(actor, params.user)
        const views = await times.listAll(actor, { repoId: access.repo.id, userId: id })
        return ok(views.map((view) => presentTime(view, viewer, site)))
      },
    }),
  ]
}

const isNamed = ({ account }: SignedIn, name: string): boolean => account.name.toLowerCase() === name.toLowerCase()

function userOperations({ times, site }: TimeOperationDeps): Operation[] {
  return [
    defineOperation({
      id: 'userCurrentTrackedTimes',
      area: 'user',
      scopes: ['user'],
      method: 'GET',
      path: '/user/times',
      summary: 'Times of the caller, for issues that it may read',
      guard: signedIn,
      query: spanQuery,
      responses: { 200: Type.Array(TrackedTimeModel) },
      errors: [422],
      async handler({ access, viewer, query, paging }) {
        const page = await times.list(access, { ...readSpan(query), userId: access.account.id }, paging)
        return listed(
          page,
          page.items.map((view) => presentTime(view, viewer, site)),
        )
      },
    }),
  ]
}
