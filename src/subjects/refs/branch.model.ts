import { Type, type Static } from '@sinclair/typebox'
import { PayloadCommit } from '../history/index.ts'

export const Branch = Type.Object(
  {
    name: Type.String(),
    commit: PayloadCommit,
    protected: Type.Boolean(),
    required_approvals: Type.Integer(),
    enable_status_check: Type.Boolean(),
    status_check_contexts: Type.Array(Type.String()),
    user_can_push: Type.Boolean(),
    user_can_merge: Type.Boolean(),
    effective_branch_protection_name: Type.String(),
  },
  { $id: 'Branch' },
)
export type Branch = Static<typeof Branch>
