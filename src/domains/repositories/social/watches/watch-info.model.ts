import { Type, type Static } from '@sinclair/typebox'

export const WatchInfo = Type.Object(
  {
    subscribed: Type.Boolean(),
    ignored: Type.Boolean(),
    /** The contract shows no type for it; it is null. */
    reason: Type.Null(),
    created_at: Type.String({ format: 'date-time' }),
    url: Type.String(),
    repository_url: Type.String(),
  },
  { $id: 'WatchInfo' },
)
export type WatchInfo = Static<typeof WatchInfo>
