import type { ApiResponse } from '../../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import type { Page } from '../../../../core/platform/paging.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Guards } from '../../../../core/module.ts'
import { type ActionsLevel, forEachLevel } from '../levels.ts'
import { jobListQuery, requireStatuses, runListQuery } from './run-query.ts'
import { ActionWorkflowJobsResponse, ActionWorkflowRunsResponse } from '../actions.model.ts'
import { presentJob, presentRun } from '../actions.present.ts'
import type { Runs } from './runs.service.ts'

interface RunListOperationDeps {
  readonly guards: Pick<Guards, 'org' | 'repo'>
  readonly runs: Runs
  readonly site: Site
}

const IDS = {
  repo: { runs: 'getWorkflowRuns', jobs: 'listWorkflowJobs' },
  org: { runs: 'getOrgWorkflowRuns', jobs: 'getOrgWorkflowJobs' },
  user: { runs: 'getUserWorkflowRuns', jobs: 'getUserWorkflowJobs' },
  admin: { runs: 'listAdminWorkflowRuns', jobs: 'listAdminWorkflowJobs' },
} as const

/** A page under its own member name and with its total, which the headers also contain. */
export const counted = ({ total }: Page<unknown>, name: string, items: readonly unknown[]): ApiResponse => ({
  status: 200,
  body: { [name]: items, total_count: total },
  total,
  link: true,
})

/** Lists of runs and jobs of each level (behaviour/actions#runs-jobs-workflows-tasks-artifacts). */
export const runListOperations = (deps: RunListOperationDeps): Operation[] =>
  forEachLevel(deps.guards, (level) => listsOf(deps, level))

function listsOf<Access>({ runs, site }: RunListOperationDeps, level: ActionsLevel<Access>): Operation[] {
  const { path, area, guards, scope } = level
  const common = { method: 'GET', area, scopes: [area], guard: guards.member, errors: [400, 401, 403, 404] } as const
  return [
    defineOperation({
      ...common,
      id: IDS[level.name].runs,
      path: `${path}/runs`,
      summary: 'List runs, the newest first',
      query: runListQuery,
      responses: { 200: ActionWorkflowRunsResponse },
      async handler({ access, viewer, query, paging }) {
        const { status, event, branch, actor, head_sha: oid } = query
        const filter = { statuses: requireStatuses(status), event, branch, actor, oid }
        const page = await runs.list({ scope: scope(access), viewer }, { filter, paging })
        return counted(
          page,
          'workflow_runs',
          page.items.map((view) => presentRun(view, site)),
        )
      },
    }),
    defineOperation({
      ...common,
      id: IDS[level.name].jobs,
      path: `${path}/jobs`,
      summary: 'List jobs, by id',
      query: jobListQuery,
      responses: { 200: ActionWorkflowJobsResponse },
      async handler({ access, viewer, query, paging }) {
        const statuses = requireStatuses(query.status)
        const page = await runs.listJobs({ scope: scope(access), viewer }, { statuses, paging })
        return counted(
          page,
          'jobs',
          page.items.map((view) => presentJob(view, site)),
        )
      },
    }),
  ]
}
