import { Type } from '@sinclair/typebox'

export const actionsSection = Type.Object(
  {
    log_retention_days: Type.Integer({
      default: 365,
      minimum: 1,
      description: 'Days after which the log of a job is deleted.',
    }),
    artifact_retention_days: Type.Integer({
      default: 90,
      minimum: 1,
      description: 'Days after which the files that jobs leave are deleted, unless a job says fewer.',
    }),
  },
  { additionalProperties: false, description: 'Workflows: what runners leave.' },
)
