import type { DomainEvent } from '../../../../core/events/index.ts'
import { wantsMessage } from '../matching.policy.ts'
import { formatMessage } from '../payloads/chat/describe-message.ts'
import type { HookMessage } from '../payloads/payload.ts'
import type { HookScope } from '../hooks.table.ts'

/** The part of an active webhook that decides whether it receives a message. */
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
  /** Options of the type, such as the channel of `slack`. */
  readonly settings: Readonly<Record<string, string>>
}

/** The repository and owner of an event. */
export interface EventSource {
  /** 0 if the event has no repository. */
  readonly repoId: number
  /** The owner of the repository; 0 if only the row of the repository contains it. */
  readonly ownerId: number
}

/** Events of deleted repositories and of packages contain the owner. */
export function sourceOf(event: DomainEvent): EventSource {
  if (event.kind === 'package.created' || event.kind === 'package.deleted') {
    const { repo_id = 0, owner_id: ownerId } = (event as DomainEvent<'package.created'>).payload
    return { repoId: repo_id, ownerId }
  }
  const isDeleted = event.kind === 'repo.deleted'
  return { repoId: event.repoId, ownerId: isDeleted ? (event as DomainEvent<'repo.deleted'>).payload.owner_id : 0 }
}

const SCOPES: readonly HookScope[] = ['repository', 'organization', 'user', 'system']
/** Types that receive the payload itself; all other types are chats. */
export const PLAIN_TYPES = new Set(['gitea', 'forgejo', 'gogs'])

/**
 * The webhooks that receive a message: first those of the repository, then of its owner, then of the site
 * (behaviour/orgs-webhooks-actions#delivery).
 */
export const matchHooks = (hooks: readonly HookFilter[], source: EventSource, message: HookMessage): HookFilter[] =>
  hooks
    .filter((hook) => isPlaced(hook, source, message) && acceptsMessage(hook, message))
    .toSorted((a, b) => rank(a) - rank(b) || a.id - b.id)

/** Whether a webhook selects the event and the branch, and its type supports the message. */
export const acceptsMessage = (
  hook: Pick<HookFilter, 'type' | 'url' | 'events' | 'branchFilter' | 'settings'>,
  message: HookMessage,
): boolean => wantsMessage(hook, message) && (PLAIN_TYPES.has(hook.type) || isSentToChats(hook, message))

const isSentToChats = (hook: Pick<HookFilter, 'type' | 'url' | 'settings'>, message: HookMessage): boolean =>
  formatMessage({ ...hook, secret: '' }, message, { id: '', at: 0 }) !== undefined

const rank = ({ scope }: HookFilter): number => Math.max(0, SCOPES.indexOf(scope) - (scope === 'user' ? 1 : 0))

function isPlaced(hook: HookFilter, { repoId, ownerId }: EventSource, message: HookMessage): boolean {
  if (hook.scope === 'system') return true
  return hook.scope === 'repository'
    ? repoId > 0 && hook.repoId === repoId && !announcesRepo(message)
    : hook.scope !== 'default' && ownerId > 0 && hook.ownerId === ownerId
}

/** Webhooks of a repository are newer than it, also those that are added before the message is built. */
const announcesRepo = ({ eventType, action }: HookMessage): boolean =>
  eventType === 'repository' && action === 'created'
