import { Type } from '@sinclair/typebox'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import { created, noContent, ok } from '../../../../core/http/answer/answer.ts'
import { TEXT_LENGTH } from '../../../../core/http/body/limits.ts'
import { requireUser } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { invalid } from '../../../../core/platform/errors.ts'
import type { Guards } from '../../../../core/module.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Repo } from '../../../repositories/index.ts'
import { presentRunDetails } from '../actions.present.ts'
import {
  CreateActionWorkflowDispatch,
  CreateRepositoryDispatch,
  DispatchWorkflowRun,
  RunDetails,
  scopedQuery,
} from '../workflows/workflow.model.ts'
import { requireOwnWorkflow } from '../workflows/workflow.policy.ts'
import type { Dispatch, DispatchedRun } from './dispatch-workflow.ts'
import type { RepositoryDispatch } from './repository-dispatch.ts'

interface DispatchOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly site: Site
  start(
    actor: SignedIn,
    wanted: { readonly repo: Repo; readonly rateLimitKey: string; readonly dispatch: Dispatch },
  ): Promise<DispatchedRun>
}

export const dispatchOperation = ({ guards, start, site }: DispatchOperationDeps): Operation =>
  defineOperation({
    area: 'repository',
    scopes: ['repository'],
    id: 'ActionsDispatchWorkflow',
    method: 'POST',
    path: '/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches',
    summary: 'Start a run of a workflow as it is at a branch or tag',
    guard: guards.repo('write', { unit: 'repo.actions', archived: 'refuse' }),
    query: Type.Object({
      return_run_details: Type.Optional(Type.Boolean({ description: '200 with the run instead of 204' })),
      ...scopedQuery,
    }),
    body: CreateActionWorkflowDispatch,
    responses: { 200: RunDetails, 201: DispatchWorkflowRun, 204: null },
    errors: [400, 401, 403, 404, 422, 423],
    async handler({ access: { repo }, viewer, rateLimitKey, params, query, body }) {
      requireOwnWorkflow(params.workflow_id, query)
      const dispatch = { workflow: params.workflow_id, ref: body.ref, inputs: body.inputs ?? {} }
      const { run, jobs } = await start(requireUser(viewer), { repo, rateLimitKey, dispatch })
      if (query.return_run_details === true) return ok(presentRunDetails(run, repo, site))
      return body.return_run_info === true ? created({ id: run.id, run_number: run.number, jobs }) : noContent()
    },
  })

interface RepositoryDispatchDeps extends Pick<DispatchOperationDeps, 'guards'> {
  start(actor: SignedIn, wanted: { readonly repo: Repo; readonly dispatch: RepositoryDispatch }): Promise<void>
}

export const repositoryDispatchOperation = ({ guards, start }: RepositoryDispatchDeps): Operation =>
  defineOperation({
    area: 'repository',
    scopes: ['repository'],
    id: 'repoCreateDispatchEvent',
    method: 'POST',
    path: '/repos/{owner}/{repo}/dispatches',
    summary: 'Start the workflows of the default branch that have the trigger repository_dispatch for this type',
    guard: guards.repo('write', { unit: 'repo.actions', archived: 'refuse' }),
    body: CreateRepositoryDispatch,
    responses: { 204: null },
    errors: [401, 403, 404, 422, 423],
    async handler({ access: { repo }, viewer, body: { event_type: type, client_payload: payload = {} } }) {
      if (JSON.stringify(payload).length > TEXT_LENGTH)
        throw invalid(`client_payload: at most ${TEXT_LENGTH} characters are allowed`)
      await start(requireUser(viewer), { repo, dispatch: { type, payload } })
      return noContent()
    },
  })
