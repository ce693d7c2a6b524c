import { copyDefaultWebhooks } from './hooks/webhook.store.ts'

/** Queries and commands on webhooks that run in the transaction of a caller in a later domain. */
export const webhookQueries = {
  copyDefaults: copyDefaultWebhooks,
} as const
