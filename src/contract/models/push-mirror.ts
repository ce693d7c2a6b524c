import { Type, type Static } from '@sinclair/typebox'

const DateTime = Type.String({ format: 'date-time' })

export const PushMirror = Type.Object(
  {
    repo_name: Type.String(),
    remote_name: Type.String(),
    remote_address: Type.String({ description: 'Without credentials' }),
    created: DateTime,
    last_update: Type.String({ format: 'date-time', description: 'The last push that went well' }),
    last_error: Type.String({ description: 'Of the last push; empty when it went well' }),
    interval: Type.String(),
    sync_on_commit: Type.Boolean(),
    public_key: Type.String({ description: 'To be allowed at the other server; for mirrors by SSH' }),
  },
  { $id: 'PushMirror' },
)
export type PushMirror = Static<typeof PushMirror>
