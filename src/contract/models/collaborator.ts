import { Type, type Static } from '@sinclair/typebox'
import { User } from './user.ts'

export const RepoCollaboratorPermission = Type.Object(
  {
    permission: Type.String(),
    role_name: Type.String(),
    user: User,
  },
  { $id: 'RepoCollaboratorPermission' },
)
export type RepoCollaboratorPermission = Static<typeof RepoCollaboratorPermission>
