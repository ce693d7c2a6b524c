export { copyDefaultWebhooks } from './webhook.store.ts'
