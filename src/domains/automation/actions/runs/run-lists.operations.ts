import type { ApiResponse } from '../../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import type { Page } from '../../../../core/platform/paging.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Guards } from '../../../../core/module.ts'
import { type ActionsLevel, forEachLevel } from '../levels.ts'
import { jobListQuery, readJobQuery, readRunFilter, runListQuery } from './run-query.ts'
import { ActionWorkflowJobsResponse, ActionWorkflowRunsResponse } from '../actions.model.ts'
import { presentJob, presentRun } from '../actions.present.ts'
import type { RunView } from './run-views.ts'
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

/** A page of runs; `exclude_pull_requests` omits their pull requests. */
export const presentRuns = (
  page: Page<RunView>,
  { exclude_pull_requests: isShort }: { readonly exclude_pull_requests?: boolean },
  site: Site,
): ApiResponse =>
  counted(
    page,
    'workflow_runs',
    page.items.map((view) => presentRun(isShort === true ? { ...view, pulls: [] } : view, site)),
  )

/** Lists of runs and jobs of each level (behaviour/actions#runs-jobs-workflows-tasks-artifacts). */
export const runListOperations = (deps: RunListOperationDeps): Operation[] =>
  forEachLevel(deps.guards, (level) => listsOf(deps, level))

function listsOf<Access>({ runs, site }: RunListOperationDeps, level: ActionsLevel<Access>): Operation[] {
  const { path, area, guards, scope } = level
  const common = {
    method: 'GET',
    area,
    scopes: [area],
    guard: guards.member,
    errors: [400, 401, 403, 404, 422],
  } as const
  return [
    defineOperation({
      ...common,
      id: IDS[level.name].runs,
      path: `${path}/runs`,
      summary: 'List runs, the newest first',
      query: runListQuery,
      responses: { 200: ActionWorkflowRunsResponse },
      async handler({ access, viewer, query, paging }) {
        const page = await runs.list({ scope: scope(access), viewer }, { filter: readRunFilter(query), paging })
        return presentRuns(page, query, site)
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
        const page = await runs.listJobs({ scope: scope(access), viewer }, { ...readJobQuery(query), paging })
        return counted(
          page,
          'jobs',
          page.items.map((view) => presentJob(view, site)),
        )
      },
    }),
  ]
}
