import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'

/** Events whose messages are not built yet. */
export interface HookEventTable {
  /** The id of the event in the outbox. */
  event_id: number
  attempts: Generated<number>
  next_at: Generated<number>
  lease_until: Generated<number>
  /** The process that builds the messages (`Members.self`). */
  holder: Generated<string>
  /** Messages built before the deletion of their rows: `HookMessage[]` as JSON; empty if not built. */
  messages: Generated<string>
}

/** A message of an event, shared by all webhooks that receive it. */
export interface HookMessageTable {
  id: Generated<number>
  event: string
  event_type: string
  /** Empty if there is none. */
  action: Generated<string>
  /** The exact JSON text that is signed. */
  payload: string
  created_at: number
}

/** `dead`: failed for the whole retry time; only an administrator can send it again. */
export type DeliveryState = 'waiting' | 'delivered' | 'dead'

/** A message for one webhook, with its last attempt. Deliveries of a webhook are sent in order of their ids. */
export interface HookDeliveryTable {
  id: Generated<number>
  uuid: string
  hook_id: number
  message_id: number
  state: Generated<DeliveryState>
  attempts: Generated<number>
  /** The start of the retry time, after which the delivery is dead. */
  queued_at: number
  created_at: number
  /** 0 while the delivery waits. */
  finished_at: Generated<number>
  url: Generated<string>
  /** JSON object; without the authorization header. */
  request_headers: Generated<string>
  /** Empty if it is the payload of the message, also as a form. */
  request_body: Generated<string>
  /** 0 if there was no response. */
  response_status: Generated<number>
  /** JSON object. */
  response_headers: Generated<string>
  /** The beginning of the body. */
  response_body: Generated<string>
  duration_ms: Generated<number>
  /** Why the last attempt failed. */
  error: Generated<string>
  /** JSON array of the last attempts, see `Attempt`. */
  history: Generated<string>
}

/** The outcome of the last attempt of a webhook; empty before the first. */
export type LaneStatus = '' | 'delivered' | 'failed' | 'dead'

/** The queue of a webhook: one process at a time sends its deliveries one after the other. */
export interface HookLaneTable {
  hook_id: number
  /** Scheme, host and port of its address. */
  origin: string
  /** 0 if no delivery waits. */
  due_at: Generated<number>
  lease_until: Generated<number>
  /** The process that holds the lease, or held the last one (`Members.self`). */
  holder: Generated<string>
  /** Failed attempts since the last success. */
  failures: Generated<number>
  last_status: Generated<LaneStatus>
}

/** A server that did not respond to the last attempt. */
export interface HookOriginTable {
  origin: string
  /** Consecutive failures. */
  failures: Generated<number>
  /** The server is paused until this time. */
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

/** The kind of owner. Webhooks of scope `default` are copied to each new repository and never delivered themselves. */
export type HookScope = 'repository' | 'organization' | 'user' | 'system' | 'default'

export interface WebhookTable {
  id: Generated<number>
  scope: HookScope
  /** Set if the scope is `repository`. */
  repo_id: number | null
  /** Set if the scope is `organization` or `user`. */
  owner_id: number | null
  /** The payload format of the receiver, such as `gitea` or `slack`. */
  type: string
  name: Generated<string>
  url: string
  content_type: 'json' | 'form'
  /** Encrypted; empty if there is none. */
  secret: Generated<string>
  /** Encrypted; empty if there is none. */
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
