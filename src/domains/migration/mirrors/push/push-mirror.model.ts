import { type Static, Type } from '@sinclair/typebox'

const DateTime = Type.String({ format: 'date-time' })

export const PushMirror = Type.Object(
  {
    repo_name: Type.String(),
    remote_name: Type.String(),
    remote_address: Type.String({ description: 'Without credentials' }),
    created: DateTime,
    last_update: Type.String({ format: 'date-time', description: 'The last push that went well' }),
    last_error: Type.String({ description: 'Of the last push; empty when it went well' }),
    branch_filter: Type.String(),
    interval: Type.String(),
    sync_on_commit: Type.Boolean(),
    public_key: Type.String({ description: 'To be allowed at the other server; for mirrors by SSH' }),
  },
  { $id: 'PushMirror' },
)
export type PushMirror = Static<typeof PushMirror>

export const PushMirrorsSynced = Type.Object(
  { synced: Type.Integer({ description: 'Push mirrors that were pushed to' }) },
  { $id: 'PushMirrorsSynced' },
)

const Text = (maxLength: number, description: string) => Type.Optional(Type.String({ maxLength, description }))

export const CreatePushMirrorOption = Type.Object(
  {
    remote_address: Text(2048, 'HTTP or HTTPS address, or an SSH one with use_ssh'),
    remote_username: Text(255, 'User name at the other server'),
    remote_password: Text(4096, 'Password or token at the other server; never shown again'),
    branch_filter: Text(1024, 'Names of branches with commas between them, * for any text; all when empty'),
    interval: Text(100, 'Time between two pushes such as 8h30m0s; 0 is none by the clock'),
    sync_on_commit: Type.Optional(Type.Boolean({ description: 'Push after every change too' })),
    use_ssh: Type.Optional(Type.Boolean({ description: 'Push by SSH with a key pair that is made now' })),
  },
  { $id: 'CreatePushMirrorOption' },
)
export type CreatePushMirrorOption = Static<typeof CreatePushMirrorOption>
