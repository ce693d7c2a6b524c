import { Type, type Static } from '@sinclair/typebox'

export const BlockedUser = Type.Object(
  {
    /** The blocked user's id. */
    block_id: Type.Integer(),
    created_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'BlockedUser' },
)
export type BlockedUser = Static<typeof BlockedUser>
