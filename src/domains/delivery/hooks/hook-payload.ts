import type { Actor } from '../../../core/access/viewer.ts'
import type { EventOrigin, EventPayload } from '../../../core/events/index.ts'
import type { HookOwner, Webhook } from './webhook.store.ts'

/** The webhook of an event. */
export interface ChangedHook {
  readonly owner: HookOwner
  readonly hook: Webhook
}

const repoIdOf = (owner: HookOwner): number => (owner.scope === 'repository' ? owner.repoId : 0)

export const originOfHook = (actor: Actor, { owner }: ChangedHook, at: number): EventOrigin => ({
  actor,
  repoId: repoIdOf(owner),
  at,
})

export const payloadOfHook = ({ owner, hook }: ChangedHook): EventPayload<'hook.created'> => ({
  repo_id: repoIdOf(owner),
  owner_id: 'ownerId' in owner ? owner.ownerId : 0,
  hook_id: hook.id,
  type: hook.type,
  host: URL.parse(hook.url)?.host ?? '',
  is_active: hook.isActive,
})
