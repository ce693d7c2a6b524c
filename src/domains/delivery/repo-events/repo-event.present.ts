import type { DomainEvent } from '../../../core/events/index.ts'
import { wireTime } from '../../../core/platform/clock.ts'
import type { HookMessage } from '../hooks/payloads/payload.ts'
import type { Repo } from '../../repositories/index.ts'
import { type Message, textMessage } from '../../../core/streams/index.ts'
import type { User } from '../../accounts/index.ts'
import { withoutHiddenHead, nameOfKind } from './repo-events.policy.ts'
import type { RepoEvent } from './repo-event.model.ts'

/** Maximum characters of webhook messages in one stream message; the first one is included regardless of its length. */
const MAX_LENGTH = 1024 * 1024

interface Facts {
  readonly repo: Repo
  readonly actor: User | undefined
  /** The stream's own payload of the event. */
  readonly shown: object
  /** The messages of webhooks for the event. */
  readonly messages: readonly HookMessage[]
}

/** A message of the stream (behaviour/repositories#event-stream). */
export function presentEvent({ id, kind, at }: DomainEvent, { repo, actor, shown, messages }: Facts): Message {
  const head: Omit<RepoEvent, 'messages'> = {
    id,
    kind: nameOfKind(kind),
    repo: { id: repo.id, name: repo.name, full_name: repo.fullName },
    actor: actor === undefined ? null : { id: actor.id, login: actor.name },
    created_at: wireTime(at),
    payload: shown as RepoEvent['payload'],
    total_messages: messages.length,
  }
  // NOTE: each payload is serialized once; its text also determines its length.
  return textMessage(id, `${JSON.stringify(head).slice(0, -1)},"messages":[${textsOf(messages).join(',')}]}`)
}

function textsOf(messages: readonly HookMessage[]): string[] {
  const texts: string[] = []
  let length = 0
  for (const message of messages) {
    const text = JSON.stringify(presentMessage(message))
    length += text.length
    if (length > MAX_LENGTH && texts.length > 0) break
    texts.push(text)
  }
  return texts
}

const presentMessage = ({ event, eventType, payload }: HookMessage): RepoEvent['messages'][number] => ({
  event,
  event_type: eventType,
  payload: withoutHiddenHead(payload),
})
