import { type Static, Type } from '@sinclair/typebox'
import { OneOf } from '../../../core/http/answer/text.ts'
import { UserModel as User } from '../../accounts/index.ts'
import { Repository } from '../repos/repos.model.ts'

export const RepoCollaboratorPermission = Type.Object(
  {
    permission: Type.String(),
    role_name: Type.String(),
    user: User,
  },
  { $id: 'RepoCollaboratorPermission' },
)
export type RepoCollaboratorPermission = Static<typeof RepoCollaboratorPermission>

export const AddCollaboratorOption = Type.Object(
  { permission: Type.Optional(OneOf('read', 'write', 'admin')) },
  { $id: 'AddCollaboratorOption' },
)
export type AddCollaboratorOption = Static<typeof AddCollaboratorOption>

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
