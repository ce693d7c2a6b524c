import type { Static } from '@sinclair/typebox'
import { wireTime } from '../../../core/platform/clock.ts'
import type { QueueCounts } from './delivery/history/delivery-counts.store.ts'
import type { HookDelivery, HookDeliveryDetails, HookQueue, Hook as HookModel } from './hook.model.ts'
import type { DeliveryDetails, DeliverySummary } from './delivery/history/history.store.ts'
import type { Hook } from './hooks.service.ts'
import { presentablePermissions } from '../../../core/access/repo-access.ts'
import { ANONYMOUS } from '../../../core/access/viewer.ts'
import type { Site } from '../../../core/platform/site.ts'
import { type PullView, presentPull } from '../../pulls/index.ts'
import { type RepoView, type Repository, presentRepo } from '../../repositories/index.ts'
import { type User, userPresenters } from '../../accounts/index.ts'
import { eventOf } from './matching.policy.ts'
import type { HookMessage } from './payloads/payload.ts'
import type { PayloadOf, PayloadPull, SentEventType } from './payloads/payload-types.ts'

export function presentDelivery(delivery: DeliverySummary): Static<typeof HookDelivery> {
  return {
    id: delivery.id,
    uuid: delivery.uuid,
    hook_id: delivery.hookId,
    event: delivery.event,
    event_type: delivery.eventType,
    action: delivery.action,
    state: delivery.state,
    attempts: delivery.attempts,
    created_at: wireTime(delivery.createdAt),
    finished_at: delivery.finishedAt === 0 ? null : wireTime(delivery.finishedAt),
    url: delivery.url,
    status: delivery.status,
    duration_ms: delivery.durationMs,
    error: delivery.error,
    history: delivery.history.map((attempt) => ({ ...attempt, at: wireTime(attempt.at) })),
  }
}

export function presentDeliveryDetails(delivery: DeliveryDetails): Static<typeof HookDeliveryDetails> {
  const { status, responseHeaders, responseBody } = delivery
  return {
    ...presentDelivery(delivery),
    request: { url: delivery.url, headers: { ...delivery.requestHeaders }, body: delivery.requestBody },
    response: status === 0 ? null : { status, headers: { ...responseHeaders }, body: responseBody },
  }
}

export const presentQueue = (counts: QueueCounts): Static<typeof HookQueue> => ({
  waiting: counts.waiting,
  dead: counts.dead,
  oldest: counts.oldestAt === undefined ? null : wireTime(counts.oldestAt),
  failing_hooks: counts.failingHooks,
  failing_hosts: counts.failingHosts,
})

/** The union of the members that clients of Gitea and Forgejo read (behaviour/orgs-webhooks-actions#webhooks). */
export function presentHook(hook: Hook): HookModel {
  const { settings } = hook
  return {
    id: hook.id,
    type: hook.type,
    name: hook.name,
    branch_filter: hook.branchFilter,
    url: hook.url,
    config: { content_type: hook.contentType, url: hook.url, ...settings },
    content_type: hook.contentType,
    metadata: Object.keys(settings).length === 0 ? null : { ...settings },
    events: [...hook.events],
    authorization_header: hook.authorizationHeader,
    active: hook.isActive,
    last_status: hook.isPaused ? 'paused' : hook.lastStatus || 'none',
    created_at: wireTime(hook.createdAt),
    updated_at: wireTime(hook.updatedAt),
  }
}

/** A message of an event type, with the corresponding event name. */
export const messageOf = <Type extends SentEventType>(
  eventType: Type,
  payload: PayloadOf[Type],
  branch?: string,
): HookMessage => ({
  event: eventOf(eventType),
  eventType,
  ...('action' in payload && { action: payload.action }),
  ...(branch !== undefined && { branch }),
  payload: { ...payload },
})

/** A repository as anonymous clients see it, including addresses of accounts, with the given permissions. */
export function presentPayloadRepo(view: RepoView, permissions: Repository['permissions'], site: Site): Repository {
  const shown = presentRepo(view, site)
  const present = (user: User) => userPresenters.present(user, ANONYMOUS, site)
  const { parent, repo_transfer: transfer } = shown
  return {
    ...shown,
    owner: present(view.repo.owner),
    parent: parent && view.parent ? { ...parent, owner: present(view.parent.owner), permissions } : null,
    repo_transfer:
      transfer && view.transfer
        ? { ...transfer, doer: present(view.transfer.doer), recipient: present(view.transfer.recipient) }
        : null,
    permissions,
  }
}

/** A pull request as anonymous clients see it, including its repositories. */
export function presentPayloadPull(view: PullView, site: Site): PayloadPull {
  const shown = presentPull(view, ANONYMOUS, site)
  const present = (repo: RepoView) => presentPayloadRepo(repo, presentablePermissions(repo.access), site)
  const head = view.pull.isAgit ? view.base : view.head
  return {
    ...shown,
    base: { ...shown.base, repo: present(view.base) },
    head: { ...shown.head, repo: head === undefined ? null : present(head) },
  }
}
