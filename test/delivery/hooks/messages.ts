import type { DomainEvent, EventKind } from '../../../src/core/events/index.ts'
import { createMessageBuilders } from '../../../src/domains/delivery/hooks/payloads/message-builders.ts'
import type { Any } from '../../harness/client.ts'
import { rows } from '../../harness/expect.ts'
import type { TestServer } from '../../harness/server.ts'

export interface SentMessage {
  readonly event: string
  readonly eventType: string
  readonly action?: string
  readonly branch?: string
  readonly payload: Any
}

/** What webhooks that want everything would get. */
export interface Messages {
  /** The messages of the events since the last call, in order. */
  take(): Promise<SentMessage[]>
}

export function createMessages(server: TestServer): Messages {
  let last = 0
  const builders = createMessageBuilders(server.app)
  return {
    async take() {
      await server.drain()
      const events = (await rows(server, 'event')).filter((event) => event.id > last)
      last = events.at(-1)?.id ?? last
      const messages: SentMessage[] = []
      for (const row of events) {
        const build = builders.get(row.kind as EventKind)
        const event = {
          id: row.id,
          kind: row.kind,
          repoId: row.repo_id,
          actorId: row.actor_id,
          at: row.created_at,
          payload: JSON.parse(row.payload) as unknown,
        } as DomainEvent
        if (build) messages.push(...(JSON.parse(JSON.stringify(await build(event))) as SentMessage[]))
      }
      return messages
    },
  }
}

/** `<event type> (<event>) <action or ->` of each message. */
export const namesOf = (messages: readonly SentMessage[]): string[] =>
  messages.map(({ event, eventType, action = '-' }) => `${eventType} (${event}) ${action}`)
