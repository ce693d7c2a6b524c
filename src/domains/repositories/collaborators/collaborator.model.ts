import { type Static, Type } from '@sinclair/typebox'
import { OneOf } from '../../../core/http/answer/text.ts'
import { UserModel as User } from '../../accounts/index.ts'

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
