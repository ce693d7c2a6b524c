import type { DomainEvent, EventKind } from '../../../../core/events/index.ts'

/** What a webhook sends of one event (behaviour/orgs-webhooks-actions#payloads). */
export interface HookMessage {
  /** Value of the headers `X-*-Event`, such as `issues`. */
  readonly event: string
  /** Value of the headers `X-*-Event-Type`, such as `issue_assign`. */
  readonly eventType: string
  /** What happened, such as `opened`; undefined for events that have no actions. */
  readonly action?: string
  /** Full ref that the branch filter is matched with; undefined: the filter does not apply. */
  readonly branch?: string
  /** JSON object. */
  readonly payload: Readonly<Record<string, unknown>>
}

/**
 * Builds the messages of an event, in the order in which they are sent: usually one, none when there is nothing to
 * send, as for a row that was deleted meanwhile.
 */
export type BuildMessages<Kind extends EventKind = EventKind> = (
  event: DomainEvent<Kind>,
) => Promise<readonly HookMessage[]>

/** The builders of some kinds of events. */
export type MessageBuilders = { readonly [Kind in EventKind]?: BuildMessages<Kind> }
