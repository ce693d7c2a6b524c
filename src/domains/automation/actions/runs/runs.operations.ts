import { created, noContent, ok } from '../../../../core/http/answer/answer.ts'
import { requireUser, signedIn } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { badRequest, forbidden } from '../../../../core/platform/errors.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Guards } from '../../../../core/module.ts'
import type { RunChanges } from './run-changes.service.ts'
import { counted } from './run-lists.operations.ts'
import { jobListQuery, readJobQuery, readTaskStatuses, taskListQuery } from './run-query.ts'
import {
  ActionRun,
  ActionTaskResponse,
  ActionWorkflowJob,
  ActionWorkflowJobsResponse,
  ActionWorkflowRun,
} from '../actions.model.ts'
import { presentJob, presentRun, presentRunOfJob, presentTask } from '../actions.present.ts'
import type { Runs } from './runs.service.ts'

interface RunOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly runs: Runs
  readonly runChanges: RunChanges
  readonly site: Site
}

const ROOT = '/repos/{owner}/{repo}/actions'
const common = { area: 'repository', scopes: ['repository'] } as const

/** Runs, jobs and tasks of a repository (behaviour/actions#runs-jobs-workflows-tasks-artifacts). */
export const runOperations = (deps: RunOperationDeps): Operation[] => [
  ...runReads(deps),
  ...jobReads(deps),
  ...reruns(deps),
]

function runReads({ guards, runs, runChanges, site }: RunOperationDeps): Operation[] {
  const read = {
    ...common,
    guard: guards.repo('read', { unit: 'repo.actions' }),
    errors: [400, 403, 404, 422],
  } as const
  return [
    defineOperation({
      ...read,
      id: 'GetWorkflowRun',
      method: 'GET',
      path: `${ROOT}/runs/{run:int}`,
      summary: 'A run, by its id',
      responses: { 200: ActionWorkflowRun },
      handler: async ({ access: { repo }, viewer, params }) =>
        ok(presentRun(await runs.view(viewer, await runs.get(repo.id, params.run)), site)),
    }),
    defineOperation({
      area: common.area,
      id: 'getActionsRun',
      method: 'GET',
      path: '/actions/run',
      summary: 'The run of the job whose token asks',
      guard: signedIn,
      responses: { 200: ActionRun },
      errors: [401, 403, 404],
      async handler({ viewer }) {
        const { job } = requireUser(viewer)
        if (job === undefined) throw forbidden('only the token of a workflow job has a run')
        const view = await runs.view(viewer, await runs.get(job.repoId, job.runId))
        return ok(presentRunOfJob(view, await runs.loadOrigin(view), site))
      },
    }),
    defineOperation({
      ...read,
      id: 'listWorkflowRunJobs',
      method: 'GET',
      path: `${ROOT}/runs/{run}/jobs`,
      summary: 'The jobs of a run, by id',
      query: jobListQuery,
      responses: { 200: ActionWorkflowJobsResponse },
      async handler({ access: { repo }, params, query, paging }) {
        if (!/^[1-9]\d{0,14}$/.test(params.run)) throw badRequest('runID must be a positive integer')
        const run = { repoId: repo.id, id: Number(params.run) }
        const page = await runs.listJobsOfRun(run, { ...readJobQuery(query), paging })
        return counted(
          page,
          'jobs',
          page.items.map((view) => presentJob(view, site)),
        )
      },
    }),
    defineOperation({
      ...read,
      id: 'ListActionTasks',
      method: 'GET',
      path: `${ROOT}/tasks`,
      summary: 'What runners did: each attempt of each job, the newest first',
      query: taskListQuery,
      responses: { 200: ActionTaskResponse },
      async handler({ access: { repo }, query, paging }) {
        const page = await runs.listTasks(repo.id, { statuses: readTaskStatuses(query), paging })
        return counted(
          page,
          'workflow_runs',
          page.items.map((view) => presentTask(view, repo, site)),
        )
      },
    }),
    defineOperation({
      ...common,
      id: 'deleteActionRun',
      method: 'DELETE',
      path: `${ROOT}/runs/{run:int}`,
      summary: 'Delete a run that is done, with its jobs, logs and artifacts',
      guard: guards.repo('write', { unit: 'repo.actions', archived: 'refuse' }),
      responses: { 204: null },
      errors: [400, 401, 403, 404, 423],
      async handler({ access: { repo }, viewer, params }) {
        await runChanges.delete(requireUser(viewer), { repo, id: params.run })
        return noContent()
      },
    }),
  ]
}

function jobReads({ guards, runs, site }: RunOperationDeps): Operation[] {
  const read = {
    ...common,
    method: 'GET',
    guard: guards.repo('read', { unit: 'repo.actions', needsUser: true }),
    errors: [401, 403, 404],
  } as const
  return [
    defineOperation({
      ...read,
      id: 'getWorkflowJob',
      path: `${ROOT}/jobs/{job_id:int}`,
      summary: 'A job',
      responses: { 200: ActionWorkflowJob },
      handler: async ({ access: { repo }, params }) => ok(presentJob(await runs.getJob(repo.id, params.job_id), site)),
    }),
  ]
}

function reruns({ guards, runs, runChanges, site }: RunOperationDeps): Operation[] {
  const rerun = {
    ...common,
    method: 'POST',
    guard: guards.repo('write', { unit: 'repo.actions', archived: 'refuse' }),
    errors: [400, 401, 403, 404, 423],
  } as const
  return [
    defineOperation({
      ...rerun,
      id: 'rerunWorkflowRun',
      path: `${ROOT}/runs/{run:int}/rerun`,
      summary: 'Run all jobs of a run again',
      responses: { 201: ActionWorkflowRun },
      async handler({ access: { repo }, viewer, params }) {
        const run = await runChanges.rerun(requireUser(viewer), { repo, id: params.run }, 'all')
        return created(presentRun(await runs.view(viewer, run), site))
      },
    }),
    defineOperation({
      ...rerun,
      id: 'rerunFailedWorkflowRun',
      path: `${ROOT}/runs/{run:int}/rerun-failed-jobs`,
      summary: 'Run the failed jobs of a run again, with those that need them',
      responses: { 201: ActionWorkflowRun },
      async handler({ access: { repo }, viewer, params }) {
        const run = await runChanges.rerun(requireUser(viewer), { repo, id: params.run }, 'failed')
        return created(presentRun(await runs.view(viewer, run), site))
      },
    }),
    defineOperation({
      ...rerun,
      id: 'rerunWorkflowJob',
      path: `${ROOT}/runs/{run:int}/jobs/{job_id:int}/rerun`,
      summary: 'Run a job again, with those that need it',
      responses: { 201: ActionWorkflowJob },
      async handler({ access: { repo }, viewer, params }) {
        await runChanges.rerun(requireUser(viewer), { repo, id: params.run }, { jobId: params.job_id })
        return created(presentJob(await runs.getJob(repo.id, params.job_id), site))
      },
    }),
  ]
}
