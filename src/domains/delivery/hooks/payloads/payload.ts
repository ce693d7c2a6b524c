import type { DomainEvent, EventKind } from '../../../../core/events/index.ts'

/** The message of a webhook for one event (behaviour/orgs-webhooks-actions#payloads). */
export interface HookMessage {
  /** Value of the headers `X-*-Event`, such as `issues`. */
  readonly event: string
  /** Value of the headers `X-*-Event-Type`, such as `issue_assign`. */
  readonly eventType: string
  /** The action, such as `opened`; undefined for events without actions. */
  readonly action?: string
  /** The full ref that the branch filter is matched against; undefined: the filter does not apply. */
  readonly branch?: string
  /** JSON object. */
  readonly payload: Readonly<Record<string, unknown>>
}

/**
 * Builds the messages of an event in sending order: usually one, none when there is nothing to send, for example when
 * the row was deleted concurrently.
 */
export type BuildMessages<Kind extends EventKind = EventKind> = (
  event: DomainEvent<Kind>,
) => Promise<readonly HookMessage[]>

/** The builders of some kinds of events. */
export type MessageBuilders = { readonly [Kind in EventKind]?: BuildMessages<Kind> }
