import { Type, type Static } from '@sinclair/typebox'
import { Nullable } from '../../../core/http/openapi/nullable.ts'

/** The data of one message on the stream of a repository. */
export const RepoEvent = Type.Object(
  {
    id: Type.Integer(),
    kind: Type.String(),
    repo: Type.Object({ id: Type.Integer(), name: Type.String(), full_name: Type.String() }),
    /** Null without an actor, or when the account was deleted. */
    actor: Nullable(Type.Object({ id: Type.Integer(), login: Type.String() })),
    created_at: Type.String({ format: 'date-time' }),
    /** The members depend on the kind. */
    payload: Type.Record(Type.String(), Type.Unknown()),
    /** The messages of webhooks for the event; empty for kinds that webhooks do not send. */
    messages: Type.Array(
      Type.Object({
        /** The value of the header `X-Ingot-Event`. */
        event: Type.String(),
        /** The value of the header `X-Ingot-Event-Type`. */
        event_type: Type.String(),
        payload: Type.Record(Type.String(), Type.Unknown()),
      }),
    ),
    /** Greater than the length of `messages` if some were omitted because of their size. */
    total_messages: Type.Integer(),
  },
  { $id: 'RepoEvent' },
)
export type RepoEvent = Static<typeof RepoEvent>
