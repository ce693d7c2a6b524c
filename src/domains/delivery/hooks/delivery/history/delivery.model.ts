import { Type } from '@sinclair/typebox'
import { Nullable } from '../../../../../core/http/openapi/nullable.ts'

const Headers = Type.Record(Type.String(), Type.String())
const Time = Type.String({ format: 'date-time' })
const Attempt = Type.Object({
  at: Time,
  /** 0 for no answer. */
  status: Type.Integer(),
  duration_ms: Type.Integer(),
  error: Type.String(),
})

const members = {
  id: Type.Integer(),
  uuid: Type.String(),
  hook_id: Type.Integer(),
  event: Type.String(),
  event_type: Type.String(),
  action: Type.String(),
  state: Type.Union([Type.Literal('waiting'), Type.Literal('delivered'), Type.Literal('dead')]),
  attempts: Type.Integer(),
  created_at: Time,
  finished_at: Nullable(Time),
  url: Type.String(),
  /** Of the last attempt; 0 for no answer. */
  status: Type.Integer(),
  duration_ms: Type.Integer(),
  error: Type.String(),
  /** The last attempts, the latest last. */
  history: Type.Array(Attempt),
}

export const HookDelivery = Type.Object(members, { $id: 'HookDelivery' })

export const HookDeliveryDetails = Type.Object(
  {
    ...members,
    /** What the last attempt sent, without the authorization header. */
    request: Type.Object({ url: Type.String(), headers: Headers, body: Type.String() }),
    response: Nullable(Type.Object({ status: Type.Integer(), headers: Headers, body: Type.String() })),
  },
  { $id: 'HookDeliveryDetails' },
)

export const HookQueue = Type.Object(
  {
    waiting: Type.Integer(),
    dead: Type.Integer(),
    oldest: Nullable(Time),
    failing_hooks: Type.Integer(),
    failing_hosts: Type.Integer(),
  },
  { $id: 'HookQueue' },
)

export const RequeuedDeliveries = Type.Object({ requeued: Type.Integer() }, { $id: 'RequeuedDeliveries' })
