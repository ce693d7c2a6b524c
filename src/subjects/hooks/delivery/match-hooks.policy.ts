import type { DomainEvent } from '../../../events/index.ts'
import { wantsMessage } from '../matching.policy.ts'
import type { HookMessage } from '../payloads/payload.ts'
import type { HookScope } from '../webhook.table.ts'

/** What of an active webhook says whether it gets a message. */
export interface HookFilter {
  readonly id: number
  readonly scope: HookScope
  readonly repoId: number | undefined
  readonly ownerId: number | undefined
  readonly type: string
  readonly url: string
  /** Flags, see hooks.policy.ts. */
  readonly events: readonly string[]
  readonly branchFilter: string
}

/** Where an event happened. */
export interface EventPlace {
  /** 0 for no repository. */
  readonly repoId: number
  /** The owner of the repository; 0 where only its row says it. */
  readonly ownerId: number
}

/** The event of a deleted repository says itself who owned it. */
export const placeOf = (event: DomainEvent): EventPlace => ({
  repoId: event.repoId,
  ownerId: event.kind === 'repo.deleted' ? (event as DomainEvent<'repo.deleted'>).payload.owner_id : 0,
})

const SCOPES: readonly HookScope[] = ['repository', 'organization', 'user', 'system']
/** Receivers that get the payload itself; all others are chats. */
const PLAIN_TYPES = new Set(['gitea', 'forgejo', 'gogs'])

/**
 * The webhooks that get a message: those of the repository, then of its owner, then of the site
 * (behaviour/orgs-webhooks-actions#delivery).
 */
export const matchHooks = (hooks: readonly HookFilter[], place: EventPlace, message: HookMessage): HookFilter[] =>
  hooks
    .filter((hook) => isPlaced(hook, place) && acceptsMessage(hook, message))
    .toSorted((a, b) => rank(a) - rank(b) || a.id - b.id)

/** Whether a webhook has chosen the event and the branch; chats get no pushes without commits. */
export const acceptsMessage = (
  hook: Pick<HookFilter, 'type' | 'events' | 'branchFilter'>,
  message: HookMessage,
): boolean =>
  wantsMessage(hook, message) &&
  (message.eventType !== 'push' || PLAIN_TYPES.has(hook.type) || !isEmptyList(message.payload['commits']))

const rank = ({ scope }: HookFilter): number => Math.max(0, SCOPES.indexOf(scope) - (scope === 'user' ? 1 : 0))

function isPlaced(hook: HookFilter, { repoId, ownerId }: EventPlace): boolean {
  if (hook.scope === 'system') return true
  return hook.scope === 'repository'
    ? repoId > 0 && hook.repoId === repoId
    : hook.scope !== 'default' && ownerId > 0 && hook.ownerId === ownerId
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0
