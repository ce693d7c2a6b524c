import { type Static, Type } from '@sinclair/typebox'
import { ActionWorkflowRun } from '../actions.model.ts'

const Time = Type.String({ format: 'date-time' })

const ActionArtifact = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    size_in_bytes: Type.Integer(),
    url: Type.String(),
    archive_download_url: Type.String(),
    expired: Type.Boolean({ description: 'Its bytes are deleted' }),
    run_id: Type.Integer(),
    workflow_run: ActionWorkflowRun,
    created_at: Time,
    updated_at: Time,
    expires_at: Time,
  },
  { $id: 'ActionArtifact' },
)
export type ActionArtifact = Omit<Static<typeof ActionArtifact>, 'workflow_run'> & { workflow_run: ActionWorkflowRun }
export { ActionArtifact as ActionArtifactModel }

export const ActionArtifactsResponse = Type.Object(
  { artifacts: Type.Array(ActionArtifact), total_count: Type.Integer() },
  { $id: 'ActionArtifactsResponse' },
)
