import { Type, type Static } from '@sinclair/typebox'
import { Nullable } from '../../../http/openapi/nullable.ts'

/** The data of one message on the stream of a repository. */
export const RepoEvent = Type.Object(
  {
    id: Type.Integer(),
    kind: Type.String(),
    repo: Type.Object({ id: Type.Integer(), name: Type.String(), full_name: Type.String() }),
    /** Null when no account did it, or a deleted one. */
    actor: Nullable(Type.Object({ id: Type.Integer(), login: Type.String() })),
    created_at: Type.String({ format: 'date-time' }),
    /** By kind. */
    payload: Type.Record(Type.String(), Type.Unknown()),
  },
  { $id: 'RepoEvent' },
)
export type RepoEvent = Static<typeof RepoEvent>
