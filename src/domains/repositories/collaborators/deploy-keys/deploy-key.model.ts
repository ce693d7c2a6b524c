import { Type, type Static } from '@sinclair/typebox'
import { Repository } from '../../repos/repository.model.ts'

export const DeployKey = Type.Object(
  {
    id: Type.Integer(),
    key_id: Type.Integer({ description: 'The same for every repository that the key opens' }),
    key: Type.String(),
    url: Type.String(),
    title: Type.String(),
    fingerprint: Type.String(),
    created_at: Type.String({ format: 'date-time' }),
    read_only: Type.Boolean(),
    repository: Type.Optional(Repository),
  },
  { $id: 'DeployKey' },
)
export type DeployKey = Omit<Static<typeof DeployKey>, 'repository'> & { repository?: Repository }
