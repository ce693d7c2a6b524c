import { Type } from '@sinclair/typebox'
import { created, listed, noContent } from '../../../core/http/answer/answer.ts'
import { requireUser, signedIn } from '../../../core/http/guards/account.guards.ts'
import { pagingQuery } from '../../../core/http/openapi/paging-members.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pageOf } from '../../../core/platform/paging.ts'
import type { Stopwatches } from './stopwatches.service.ts'
import type { createTrackerGuard } from './times.guards.ts'
import { StopWatch } from './times.model.ts'
import { presentStopwatch } from './times.present.ts'

const PATH = '/repos/{owner}/{repo}/issues/{index:int}/stopwatch'

interface StopwatchOperationDeps {
  readonly tracker: ReturnType<typeof createTrackerGuard>
  readonly stopwatches: Stopwatches
}

/** Stopwatches (behaviour/issues#stopwatches-and-tracked-times). */
export function stopwatchOperations({ tracker, stopwatches }: StopwatchOperationDeps): Operation[] {
  const change = {
    area: 'issue',
    scopes: ['issue'],
    guard: tracker({ level: 'write' }),
    errors: [403, 404, 409],
  } as const
  return [
    defineOperation({
      ...change,
      id: 'issueStartStopWatch',
      method: 'POST',
      path: `${PATH}/start`,
      summary: 'Start a stopwatch; another one of the caller stops and its time is recorded',
      responses: { 201: StopWatch },
      handler: async ({ access, viewer }) =>
        created(presentStopwatch(await stopwatches.start(requireUser(viewer), access))),
    }),
    defineOperation({
      ...change,
      id: 'issueStopStopWatch',
      method: 'POST',
      path: `${PATH}/stop`,
      summary: 'Stop the stopwatch of the caller and record its time',
      responses: { 201: StopWatch },
      handler: async ({ access, viewer }) =>
        created(presentStopwatch(await stopwatches.stop(requireUser(viewer), access))),
    }),
    defineOperation({
      ...change,
      id: 'issueDeleteStopWatch',
      method: 'DELETE',
      path: `${PATH}/delete`,
      summary: 'Delete the stopwatch of the caller without recording its time',
      responses: { 204: null },
      async handler({ access, viewer }) {
        await stopwatches.cancel(requireUser(viewer), access)
        return noContent()
      },
    }),
    defineOperation({
      id: 'userGetStopWatches',
      area: 'user',
      scopes: ['user'],
      method: 'GET',
      path: '/user/stopwatches',
      summary: 'The running stopwatch of the caller, if any',
      guard: signedIn,
      query: pagingQuery,
      responses: { 200: Type.Array(StopWatch) },
      async handler({ access, paging }) {
        const page = pageOf(await stopwatches.list(access), paging)
        return listed(page, page.items.map(presentStopwatch))
      },
    }),
  ]
}
