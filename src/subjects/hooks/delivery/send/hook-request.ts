import type { PendingDelivery } from './delivery.store.ts'

interface HookRequest {
  readonly method: 'POST' | 'PUT'
  readonly url: string
  readonly contentType: string
  readonly body: string
}

/** What is sent for a delivery (behaviour/orgs-webhooks-actions#delivery). */
export function hookRequest({ hook, payload }: PendingDelivery): HookRequest {
  return hook.contentType === 'form'
    ? {
        method: 'POST',
        url: hook.url,
        contentType: 'application/x-www-form-urlencoded',
        body: new URLSearchParams({ payload }).toString(),
      }
    : { method: 'POST', url: hook.url, contentType: 'application/json', body: payload }
}
