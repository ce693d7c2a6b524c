export type { Deliveries } from './hooks/delivery/history/deliveries.service.ts'
export { copyDefaultWebhooks } from './hooks/webhook.store.ts'
