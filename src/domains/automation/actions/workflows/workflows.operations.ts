import { Type } from '@sinclair/typebox'
import { noContent, ok } from '../../../../core/http/answer/answer.ts'
import { requireUser } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Guards } from '../../../../core/module.ts'
import { ActionWorkflowRunsResponse } from '../actions.model.ts'
import { presentRuns } from '../runs/run-lists.operations.ts'
import { readRunFilter, runListQuery } from '../runs/run-query.ts'
import type { Runs } from '../runs/runs.service.ts'
import { ActionWorkflow, ActionWorkflowResponse, scopedQuery, WorkflowLint } from './workflow.model.ts'
import { requireOwnWorkflow } from './workflow.policy.ts'
import { presentWorkflow } from '../actions.present.ts'
import type { Workflows } from './workflows.service.ts'

interface WorkflowOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly workflows: Workflows
  readonly runs: Pick<Runs, 'list'>
  readonly site: Site
}

const ROOT = '/repos/{owner}/{repo}/actions/workflows'
const ONE = `${ROOT}/{workflow_id}`
const common = { area: 'repository', scopes: ['repository'] } as const

/** Workflow files of the default branch (behaviour/actions#runs-jobs-workflows-tasks-artifacts). */
export const workflowOperations = (deps: WorkflowOperationDeps): Operation[] => [
  ...readOperations(deps),
  ...stateOperations(deps),
]

function readOperations({ guards, workflows, runs, site }: WorkflowOperationDeps): Operation[] {
  const read = {
    ...common,
    method: 'GET',
    guard: guards.repo('read', { unit: 'repo.actions', needsUser: true }),
    errors: [401, 403, 404],
  } as const
  return [
    defineOperation({
      ...read,
      id: 'ActionsListRepositoryWorkflows',
      path: ROOT,
      summary: 'List the workflow files of the default branch',
      responses: { 200: ActionWorkflowResponse },
      async handler({ access: { repo }, rateLimitKey }) {
        const found = await workflows.list({ repo, rateLimitKey })
        return ok({ workflows: found.map((view) => presentWorkflow(view, repo, site)), total_count: found.length })
      },
    }),
    defineOperation({
      ...read,
      id: 'ActionsGetWorkflow',
      path: ONE,
      summary: 'A workflow of the default branch, by its file name',
      responses: { 200: ActionWorkflow },
      handler: async ({ access: { repo }, rateLimitKey, params }) =>
        ok(presentWorkflow(await workflows.get({ repo, rateLimitKey }, params.workflow_id), repo, site)),
    }),
    defineOperation({
      ...read,
      id: 'lintWorkflow',
      path: `${ONE}/lint`,
      summary: 'What is wrong with a workflow file of the default branch: where and why',
      responses: { 200: WorkflowLint },
      handler: async ({ access: { repo }, rateLimitKey, params }) =>
        ok(await workflows.lint({ repo, rateLimitKey }, params.workflow_id)),
    }),
    defineOperation({
      ...read,
      id: 'ActionsListWorkflowRuns',
      path: `${ONE}/runs`,
      summary: 'List the runs of a workflow, the newest first',
      query: Type.Object({ ...runListQuery.properties, ...scopedQuery }),
      responses: { 200: ActionWorkflowRunsResponse },
      errors: [400, 401, 403, 404],
      async handler({ access: { repo }, viewer, rateLimitKey, params, query, paging }) {
        requireOwnWorkflow(params.workflow_id, query)
        const filter = { ...readRunFilter(query), workflow: params.workflow_id }
        const page = await runs.list({ scope: { kind: 'repository', repoId: repo.id }, viewer }, { filter, paging })
        // A workflow that was deleted may still have runs.
        if (page.total === 0) await workflows.get({ repo, rateLimitKey }, params.workflow_id)
        return presentRuns(page, query, site)
      },
    }),
  ]
}

function stateOperations({ guards, workflows }: WorkflowOperationDeps): Operation[] {
  return (['Disable', 'Enable'] as const).map((verb) =>
    defineOperation({
      ...common,
      id: `Actions${verb}Workflow`,
      method: 'PUT',
      path: `${ONE}/${verb === 'Disable' ? 'disable' : 'enable'}`,
      summary: `${verb} a workflow: no event starts a disabled one`,
      guard: guards.repo('write', { unit: 'repo.actions', archived: 'refuse' }),
      responses: { 204: null },
      errors: [401, 403, 404, 423],
      async handler({ access: { repo }, viewer, rateLimitKey, params }) {
        await workflows.setDisabled(requireUser(viewer), { repo, rateLimitKey }, params.workflow_id, verb === 'Disable')
        return noContent()
      },
    }),
  )
}
