import { wireTime } from '../../../core/platform/clock.ts'
import type { Hook as HookModel } from './hook.model.ts'
import type { Hook } from './hooks.service.ts'

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
