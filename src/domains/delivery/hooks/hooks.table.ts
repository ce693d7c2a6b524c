import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'

/** Events whose messages are not built yet. */
export interface HookEventTable {
  /** Of the outbox. */
  event_id: number
  attempts: Generated<number>
  next_at: Generated<number>
  lease_until: Generated<number>
  /** The process that builds them (`Members.self`). */
  holder: Generated<string>
  /** Built before the rows that they show were deleted: `HookMessage[]` as JSON; empty when they are not built. */
  messages: Generated<string>
}

/** What an event sends, once for all webhooks that get it. */
export interface HookMessageTable {
  id: Generated<number>
  event: string
  event_type: string
  /** Empty for none. */
  action: Generated<string>
  /** The exact JSON text that is signed. */
  payload: string
  created_at: number
}

/** `dead`: failed for so long that only an administrator sends it again. */
export type DeliveryState = 'waiting' | 'delivered' | 'dead'

/** A message for one webhook, with its last attempt. Deliveries of a webhook are sent in the order of their ids. */
export interface HookDeliveryTable {
  id: Generated<number>
  uuid: string
  hook_id: number
  message_id: number
  state: Generated<DeliveryState>
  attempts: Generated<number>
  /** From when on the time is counted after which it is dead. */
  queued_at: number
  created_at: number
  /** 0 while it waits. */
  finished_at: Generated<number>
  url: Generated<string>
  /** JSON object; without the authorization header. */
  request_headers: Generated<string>
  /** Empty where it is the payload of the message, also as a form. */
  request_body: Generated<string>
  /** 0 for no answer. */
  response_status: Generated<number>
  /** JSON object. */
  response_headers: Generated<string>
  /** The beginning. */
  response_body: Generated<string>
  duration_ms: Generated<number>
  /** Why the last attempt failed. */
  error: Generated<string>
  /** JSON array of the last attempts, see `Attempt`. */
  history: Generated<string>
}

/** What came of the last attempt of a webhook; empty before the first. */
export type LaneStatus = '' | 'delivered' | 'failed' | 'dead'

/** The queue of a webhook: one process at a time sends its deliveries, one after the other. */
export interface HookLaneTable {
  hook_id: number
  /** Scheme, host and port of its address. */
  origin: string
  /** 0 when nothing waits. */
  due_at: Generated<number>
  lease_until: Generated<number>
  /** The process that has the lease, or had the last one (`Members.self`). */
  holder: Generated<string>
  /** Failed attempts since the last success. */
  failures: Generated<number>
  last_status: Generated<LaneStatus>
}

/** A server that did not answer the last time. */
export interface HookOriginTable {
  origin: string
  /** In a row. */
  failures: Generated<number>
  /** Nothing is sent to it before. */
  retry_at: Generated<number>
  error: Generated<string>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    hook_event: HookEventTable
    hook_message: HookMessageTable
    hook_delivery: HookDeliveryTable
    hook_lane: HookLaneTable
    hook_origin: HookOriginTable
  }
}

/** Kind of owner. Webhooks of scope `default` are copied to each new repository and never delivered themselves. */
export type HookScope = 'repository' | 'organization' | 'user' | 'system' | 'default'

export interface WebhookTable {
  id: Generated<number>
  scope: HookScope
  /** Set if the scope is `repository`. */
  repo_id: number | null
  /** Set if the scope is `organization` or `user`. */
  owner_id: number | null
  /** Payload format of the receiver: `gitea`, `slack` and so on. */
  type: string
  name: Generated<string>
  url: string
  content_type: 'json' | 'form'
  /** Sealed; empty for none. */
  secret: Generated<string>
  /** Sealed; empty for none. */
  authorization_header: Generated<string>
  /** JSON array of flags, see hooks.policy.ts. */
  events: Generated<string>
  branch_filter: Generated<string>
  /** JSON object: options of the type, such as the channel of `slack`. */
  settings: Generated<string>
  is_active: Generated<Flag>
  created_at: number
  updated_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    webhook: WebhookTable
  }
}
