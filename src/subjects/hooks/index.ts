export type { Deliveries } from './delivery/history/deliveries.service.ts'
export { copyDefaultWebhooks } from './webhook.store.ts'
