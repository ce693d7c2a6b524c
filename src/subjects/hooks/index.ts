export type { Deliveries } from './delivery/history/deliveries.service.ts'
export type { BuildMessages, HookMessage } from './payloads/payload.ts'
export { copyDefaultWebhooks } from './webhook.store.ts'
