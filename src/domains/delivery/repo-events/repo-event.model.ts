import { Type, type Static } from '@sinclair/typebox'
import { Nullable } from '../../../core/http/openapi/nullable.ts'

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
    /** What webhooks get of it; none of kinds that they do not send. */
    messages: Type.Array(
      Type.Object({
        /** As the header `X-Ingot-Event`. */
        event: Type.String(),
        /** As the header `X-Ingot-Event-Type`. */
        event_type: Type.String(),
        payload: Type.Record(Type.String(), Type.Unknown()),
      }),
    ),
    /** More than `messages` has where these would be too long. */
    total_messages: Type.Integer(),
  },
  { $id: 'RepoEvent' },
)
export type RepoEvent = Static<typeof RepoEvent>
