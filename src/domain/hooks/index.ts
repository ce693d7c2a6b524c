export { webhookCopier } from './copy-hooks.ts'
export type { HookOwner } from '../../db/stores/webhook.store.ts'
export { createHooks, type Hook, type HookChange, type Hooks, type NewHook } from './hooks.service.ts'
