import { formatMessage } from '../../payloads/chat/format-message.ts'
import { PLAIN_TYPES } from '../match-hooks.policy.ts'
import type { PendingDelivery } from './delivery.store.ts'

interface HookRequest {
  readonly method: 'POST' | 'PUT'
  readonly url: string
  readonly contentType: string
  readonly body: string
}

type Headers = Readonly<Record<string, string>>

interface Sending {
  readonly secret: string
  /** Epoch milliseconds. */
  readonly at: number
}

const FORM_TYPE = 'application/x-www-form-urlencoded'

const formOf = (payload: string): string => new URLSearchParams({ payload }).toString()

/** Whether the body of a request is made of the payload alone, so that `bodyOf` tells it. */
export const isMadeOf = (payload: string, body: string, headers: Headers): boolean =>
  body === payload || headers['Content-Type'] === FORM_TYPE

export const bodyOf = (payload: string, headers: Headers): string =>
  headers['Content-Type'] === FORM_TYPE ? formOf(payload) : payload

/** What is sent for a delivery (behaviour/orgs-webhooks-actions#delivery). Throws for what its type does not send. */
export function hookRequest(delivery: PendingDelivery, { secret, at }: Sending): HookRequest {
  const { hook, payload } = delivery
  if (!PLAIN_TYPES.has(hook.type)) return chatRequest(delivery, { secret, at })
  const isForm = hook.contentType === 'form'
  return {
    method: 'POST',
    url: hook.url,
    contentType: isForm ? FORM_TYPE : 'application/json',
    body: isForm ? formOf(payload) : payload,
  }
}

function chatRequest(delivery: PendingDelivery, { secret, at }: Sending): HookRequest {
  const { hook, event, eventType, action, payload, uuid } = delivery
  const message = { event, eventType, ...(action !== '' && { action }), payload: JSON.parse(payload) as object }
  const target = { type: hook.type, url: hook.url, secret, settings: hook.settings }
  const request = formatMessage(target, message as Parameters<typeof formatMessage>[1], { id: uuid, at })
  if (request === undefined) throw new Error(`webhooks of the type ${hook.type} do not send this`)
  return request
}
