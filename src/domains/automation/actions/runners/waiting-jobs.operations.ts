import { Type } from '@sinclair/typebox'
import { pagingMembers } from '../../../../core/http/openapi/paging-members.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import type { Guards } from '../../../../core/module.ts'
import { ActionRunJob } from '../actions.model.ts'
import { type ActionsLevel, forEachLevel } from '../levels.ts'
import type { Runs } from '../runs/runs.service.ts'
import { presentWaitingJob } from '../actions.present.ts'

interface WaitingJobDeps {
  readonly guards: Pick<Guards, 'org' | 'repo'>
  readonly runs: Pick<Runs, 'listWaiting'>
}

const listQuery = Type.Object({
  ...pagingMembers,
  labels: Type.Optional(
    Type.String({
      maxLength: 8192,
      description: 'Comma-separated: only jobs that a runner with these labels may take',
    }),
  ),
})

/** The jobs that wait for a runner, for services that start one for each (behaviour/actions#runners). */
export const waitingJobOperations = ({ guards, runs }: WaitingJobDeps): Operation[] =>
  forEachLevel(guards, (level) => [listOperation(runs, level)])

function listOperation<Access>(runs: WaitingJobDeps['runs'], level: ActionsLevel<Access>): Operation {
  const { name, path, area, guards, scope } = level
  return defineOperation({
    id: `${name}SearchRunJobs`,
    method: 'GET',
    path: `${path}/runners/jobs`,
    ...(name === 'admin' ? { aliases: ['/admin/runners/jobs'] } : {}),
    area,
    scopes: [area],
    summary: 'List jobs that wait for a runner',
    guard: guards.owner,
    query: listQuery,
    responses: { 200: Type.Array(ActionRunJob) },
    errors: [401, 403, 404],
    async handler({ access, query, paging }) {
      const labels = query.labels?.split(',').map((label) => label.trim())
      const { items, total } = await runs.listWaiting(scope(access), { labels, paging })
      return { status: 200, body: items.map(presentWaitingJob), total }
    },
  })
}
