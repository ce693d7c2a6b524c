import { Type } from '@sinclair/typebox'

export const actionsSection = Type.Object(
  {
    log_retention_days: Type.Integer({
      default: 365,
      minimum: 1,
      description: 'Days until the log of a job is deleted.',
    }),
    artifact_retention_days: Type.Integer({
      default: 90,
      minimum: 1,
      description: 'Days until the artifacts of jobs are deleted, unless a job sets fewer.',
    }),
  },
  { additionalProperties: false, description: 'Logs and artifacts of workflow jobs.' },
)
