import { Type, type Static } from '@sinclair/typebox'
import { Nullable } from '../../../core/http/openapi/nullable.ts'
import { Repository } from '../repos/repos.model.ts'
import { UserModel as User } from '../../accounts/index.ts'

export const Activity = Type.Object(
  {
    id: Type.Integer(),
    /** The user of this feed. */
    user_id: Type.Integer(),
    op_type: Type.String(),
    act_user_id: Type.Integer(),
    act_user: User,
    repo_id: Type.Integer(),
    repo: Repository,
    comment_id: Type.Integer(),
    comment: Nullable(Type.Object({}, { additionalProperties: true })),
    ref_name: Type.String(),
    is_private: Type.Boolean(),
    content: Type.String(),
    created: Type.String({ format: 'date-time' }),
  },
  { $id: 'Activity' },
)
export type Activity = Omit<Static<typeof Activity>, 'repo'> & { repo: Repository }

export const UserHeatmapData = Type.Object(
  {
    /** Epoch seconds, the start of a quarter of an hour. */
    timestamp: Type.Integer(),
    contributions: Type.Integer(),
  },
  { $id: 'UserHeatmapData' },
)
export type UserHeatmapData = Static<typeof UserHeatmapData>

export const WatchInfo = Type.Object(
  {
    subscribed: Type.Boolean(),
    ignored: Type.Boolean(),
    /** The API defines no type for it; it is null. */
    reason: Type.Null(),
    created_at: Type.String({ format: 'date-time' }),
    url: Type.String(),
    repository_url: Type.String(),
  },
  { $id: 'WatchInfo' },
)
export type WatchInfo = Static<typeof WatchInfo>
