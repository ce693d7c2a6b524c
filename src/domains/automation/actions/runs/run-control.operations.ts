import { noContent, ok } from '../../../../core/http/answer/answer.ts'
import { requireUser } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import type { Guards } from '../../../../core/module.ts'
import { conflict } from '../../../../core/platform/errors.ts'
import type { Site } from '../../../../core/platform/site.ts'
import { ActionWorkflowJobsResponse, ActionWorkflowRun } from '../actions.model.ts'
import { presentJob, presentRun } from '../actions.present.ts'
import type { RunChanges } from './run-changes.service.ts'
import { counted } from './run-lists.operations.ts'
import { jobListQuery, readJobQuery } from './run-query.ts'
import type { Runs } from './runs.service.ts'

interface RunControlDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly runs: Runs
  readonly runChanges: RunChanges
  readonly site: Site
}

const ONE = '/repos/{owner}/{repo}/actions/runs/{run:int}'
const common = { area: 'repository', scopes: ['repository'] } as const

/** Cancelling and approving runs, and their attempts (behaviour/actions#runs-jobs-workflows-tasks-artifacts). */
export const runControlOperations = (deps: RunControlDeps): Operation[] => [...changes(deps), ...attempts(deps)]

function changes({ guards, runs, runChanges, site }: RunControlDeps): Operation[] {
  const write = {
    ...common,
    method: 'POST',
    guard: guards.repo('write', { unit: 'repo.actions', archived: 'refuse' }),
    errors: [401, 403, 404, 409, 423],
  } as const
  return [
    defineOperation({
      ...write,
      id: 'cancelWorkflowRun',
      path: `${ONE}/cancel`,
      summary: 'Cancel the jobs of a run that have not ended',
      responses: { 204: null },
      async handler({ access: { repo }, viewer, params }) {
        await runChanges.cancel(requireUser(viewer), { repo, id: params.run }, false)
        return noContent()
      },
    }),
    defineOperation({
      ...write,
      id: 'forceCancelWorkflowRun',
      path: `${ONE}/force-cancel`,
      summary: 'Cancel the jobs of a run at once, without waiting for their runners',
      responses: { 200: ActionWorkflowRun },
      async handler({ access: { repo }, viewer, params }) {
        if (!(await runChanges.cancel(requireUser(viewer), { repo, id: params.run }, true)))
          throw conflict('this workflow run is done')
        return ok(presentRun(await runs.view(viewer, await runs.get(repo.id, params.run)), site))
      },
    }),
    defineOperation({
      ...write,
      id: 'approveWorkflowRun',
      path: `${ONE}/approve`,
      summary: 'Let a run start that a pull request from a fork caused',
      responses: { 200: ActionWorkflowRun },
      handler: async ({ access: { repo }, viewer, params }) =>
        ok(
          presentRun(
            await runs.view(viewer, await runChanges.approve(requireUser(viewer), { repo, id: params.run })),
            site,
          ),
        ),
    }),
  ]
}

function attempts({ guards, runs, site }: RunControlDeps): Operation[] {
  const read = {
    ...common,
    method: 'GET',
    guard: guards.repo('read', { unit: 'repo.actions' }),
    errors: [400, 403, 404, 422],
  } as const
  return [
    defineOperation({
      ...read,
      id: 'getWorkflowRunAttempt',
      path: `${ONE}/attempts/{attempt:int}`,
      summary: 'A run as it was in one of its attempts',
      responses: { 200: ActionWorkflowRun },
      async handler({ access: { repo }, viewer, params }) {
        const { run } = await runs.getAttempt(repo.id, params.run, params.attempt)
        return ok(presentRun(await runs.view(viewer, run), site))
      },
    }),
    defineOperation({
      ...read,
      id: 'listWorkflowRunAttemptJobs',
      path: `${ONE}/attempts/{attempt:int}/jobs`,
      summary: 'The jobs of a run as they were in one of its attempts, by id',
      query: jobListQuery,
      responses: { 200: ActionWorkflowJobsResponse },
      async handler({ access: { repo }, params, query, paging }) {
        const page = await runs.listJobsOfAttempt(
          { repoId: repo.id, id: params.run, attempt: params.attempt },
          { ...readJobQuery(query), paging },
        )
        return counted(
          page,
          'jobs',
          page.items.map((view) => presentJob(view, site)),
        )
      },
    }),
  ]
}
