import { createHmac } from 'node:crypto'
import type { HookScope } from '../../hooks.table.ts'

interface DeliveryFacts {
  readonly uuid: string
  readonly event: string
  readonly eventType: string
  /** The kind of owner of the webhook. */
  readonly target: HookScope
  /** Empty if there is none. */
  readonly secret: string
  /** The exact JSON text. */
  readonly payload: string
  readonly contentType: string
}

/** Header prefixes that receivers for various servers expect. */
const FAMILIES = ['X-Ingot', 'X-Gitea', 'X-Forgejo', 'X-Gogs', 'X-GitHub']

const hmac = (algorithm: 'sha1' | 'sha256', secret: string, text: string): string =>
  secret === '' ? '' : createHmac(algorithm, secret).update(text).digest('hex')

/**
 * All headers of a delivery except `Authorization`. The signature covers the JSON text for any content type; without a
 * secret the signature headers are empty (behaviour/orgs-webhooks-actions#delivery).
 */
export function deliveryHeaders({
  uuid,
  event,
  eventType,
  target,
  secret,
  payload,
  contentType,
}: DeliveryFacts): Record<string, string> {
  const signature = hmac('sha256', secret, payload)
  const families = FAMILIES.flatMap((family): [string, string][] => [
    [`${family}-Delivery`, uuid],
    [`${family}-Event`, event],
    [`${family}-Event-Type`, eventType],
    [`${family}-Signature`, signature],
    [`${family}-Hook-Installation-Target-Type`, target],
  ])
  return {
    'Content-Type': contentType,
    ...Object.fromEntries(families),
    'X-Hub-Signature': `sha1=${hmac('sha1', secret, payload)}`,
    'X-Hub-Signature-256': `sha256=${signature}`,
  }
}
