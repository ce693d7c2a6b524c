import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { NAME_LENGTH, PATH_LENGTH, TEXT_LENGTH } from '../../../../core/http/body/limits.ts'

const Time = Type.String({ format: 'date-time' })

export const ActionWorkflow = Type.Object(
  {
    id: Type.String({ description: 'The name of the file, without its folder' }),
    name: Type.String({ description: 'As the file says; else the name of the file' }),
    path: Type.String(),
    state: Type.String({ description: 'active or disabled_manually' }),
    created_at: Time,
    updated_at: Time,
    url: Type.String(),
    html_url: Type.String(),
    badge_url: Type.String(),
    deleted_at: Type.String({ format: 'date-time', description: '1970-01-01T00:00:00Z: never' }),
  },
  { $id: 'ActionWorkflow' },
)
export type ActionWorkflow = Static<typeof ActionWorkflow>

export const ActionWorkflowResponse = Type.Object(
  { workflows: Type.Array(ActionWorkflow), total_count: Type.Integer() },
  { $id: 'ActionWorkflowResponse' },
)

export const WorkflowLint = Type.Object(
  {
    path: Type.String(),
    valid: Type.Boolean(),
    problems: Type.Array(
      Type.Object({
        line: Type.Integer({ description: 'From 1; 0 for the whole file' }),
        place: Type.String({ description: 'The keys that lead to it, such as jobs.build.needs' }),
        reason: Type.String(),
      }),
    ),
  },
  { $id: 'WorkflowLint' },
)
export type WorkflowLint = Static<typeof WorkflowLint>

export const scopedQuery = {
  scoped_workflow_source_repo_id: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'The repository that has the workflow file; 0: this one. No other repository has any for this one: 404',
    }),
  ),
}

const scalar = Type.Union([Type.String({ maxLength: TEXT_LENGTH }), Type.Number(), Type.Boolean()])

export const CreateActionWorkflowDispatch = Type.Object(
  {
    ref: Type.String({ maxLength: PATH_LENGTH, description: 'A branch or tag, or a full ref name' }),
    inputs: Type.Optional(
      Type.Record(Type.String({ maxLength: NAME_LENGTH }), scalar, {
        maxProperties: 100,
        description: 'Those that the workflow declares; others are ignored. Jobs see texts in github.event.inputs',
      }),
    ),
    return_run_info: Type.Optional(Type.Boolean({ description: '201 with the run instead of 204' })),
  },
  { $id: 'CreateActionWorkflowDispatch' },
)

/** Any value of JSON but null, which counts as absent, in which lists and objects are nested at most this deep. */
function jsonOf(depth: number): TSchema {
  if (depth === 0) return scalar
  const inner = jsonOf(depth - 1)
  const list = Type.Array(inner, { maxItems: 1000 })
  return Type.Union([
    ...scalar.anyOf,
    list,
    Type.Record(Type.String({ maxLength: NAME_LENGTH }), inner, { maxProperties: 100 }),
  ])
}

export const CreateRepositoryDispatch = Type.Object(
  {
    event_type: Type.String({ minLength: 1, maxLength: 100, description: 'Workflows select it by `types`' }),
    client_payload: Type.Optional(
      Type.Record(Type.String({ maxLength: NAME_LENGTH }), jsonOf(3), {
        maxProperties: 10,
        description: 'What workflows see as github.event.client_payload, at most 65535 characters of JSON',
      }),
    ),
  },
  { $id: 'CreateRepositoryDispatch' },
)

export const DispatchWorkflowRun = Type.Object(
  {
    id: Type.Integer(),
    run_number: Type.Integer(),
    jobs: Type.Array(Type.String(), { description: 'The ids of its jobs in the workflow' }),
  },
  { $id: 'DispatchWorkflowRun' },
)

export const RunDetails = Type.Object(
  { workflow_run_id: Type.Integer(), run_url: Type.String(), html_url: Type.String() },
  { $id: 'RunDetails' },
)
export type RunDetails = Static<typeof RunDetails>
