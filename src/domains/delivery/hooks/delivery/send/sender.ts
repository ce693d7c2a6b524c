import type { Core } from '../../../../../core/module.ts'
import { isOutgoingError, type OutgoingClient } from '../../../../../core/platform/outgoing/index.ts'
import { HEADER_CONTEXT, SECRET_CONTEXT } from '../../hook-secrets.ts'
import type { PendingDelivery } from './delivery.store.ts'
import { deliveryHeaders } from './headers.policy.ts'
import { formatMessage } from '../../payloads/chat/describe-message.ts'
import { PLAIN_TYPES } from '../match-hooks.policy.ts'

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

/** Whether the body of a request can be derived from the payload by `bodyOf`. */
export const isMadeOf = (payload: string, body: string, headers: Headers): boolean =>
  body === payload || headers['Content-Type'] === FORM_TYPE

export const bodyOf = (payload: string, headers: Headers): string =>
  headers['Content-Type'] === FORM_TYPE ? formOf(payload) : payload

/**
 * The request of a delivery (behaviour/orgs-webhooks-actions#delivery). Throws for messages that the type does not
 * support.
 */
function hookRequest(delivery: PendingDelivery, { secret, at }: Sending): HookRequest {
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

const MAX_ANSWER_BYTES = 64 * 1024
const MAX_ERROR_LENGTH = 500

/** The request and response of one attempt. */
export interface Attempt {
  /** Epoch milliseconds. */
  readonly at: number
  readonly url: string
  /** Headers of the request, without `Authorization`. */
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody: string
  /** 0 if there was no response. */
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The first 64 KiB of the response. */
  readonly body: string
  readonly durationMs: number
  /** Why the attempt failed; empty for success. */
  readonly error: string
  /** The server did not respond. */
  readonly isSilent: boolean
}

interface SenderDeps extends Pick<Core, 'secrets' | 'clock'> {
  readonly client: OutgoingClient
  /** The timeout of the whole exchange, in milliseconds. */
  readonly timeout: number
}

export type Sender = ReturnType<typeof createSender>

/** Sends deliveries; only the status of the response is interpreted (behaviour/orgs-webhooks-actions#delivery). */
export function createSender({ client, secrets, clock, timeout }: SenderDeps) {
  const open = (sealed: string, context: string): string => (sealed === '' ? '' : secrets.open(sealed, context))
  const prepare = (delivery: PendingDelivery, at: number) => {
    const { hook, uuid, event, eventType, payload } = delivery
    const secret = open(hook.sealedSecret, SECRET_CONTEXT)
    const request = hookRequest(delivery, { secret, at })
    const { contentType } = request
    return {
      request,
      requestHeaders: deliveryHeaders({ uuid, event, eventType, target: hook.scope, secret, payload, contentType }),
      authorization: open(hook.sealedHeader, HEADER_CONTEXT),
    }
  }
  return {
    /** Throws only the reason of `signal`. */
    async send(delivery: PendingDelivery, signal: AbortSignal): Promise<Attempt> {
      const [at, start] = [clock.now(), performance.now()]
      const took = (): number => Math.round(performance.now() - start)
      let sent = { at, url: delivery.hook.url, requestHeaders: {}, requestBody: '' }
      try {
        const { request, requestHeaders, authorization } = prepare(delivery, at)
        sent = { at, url: request.url, requestHeaders, requestBody: request.body }
        const answer = await client.stream(
          request.url,
          {
            method: request.method,
            body: request.body,
            headers: { ...requestHeaders, ...(authorization !== '' && { Authorization: authorization }) },
            timeout,
            signal,
          },
          async ({ status, headers, body }) => ({ status, headers, body: await beginning(body) }),
        )
        const error = answer.status >= 200 && answer.status < 300 ? '' : `the answer was ${answer.status}`
        return { ...sent, ...answer, durationMs: took(), error, isSilent: false }
      } catch (error) {
        if (signal.aborted) throw signal.reason
        const isSilent = isOutgoingError(error, 'timeout') || isOutgoingError(error, 'unreachable')
        return { ...sent, status: 0, headers: {}, body: '', durationMs: took(), error: explain(error), isSilent }
      }
    },
  }
}

const explain = (error: unknown): string =>
  isOutgoingError(error)
    ? shortened(`${error.kind}: ${error.message}`)
    : shortened(`not sent: ${error instanceof Error ? error.message : String(error)}`)

/** NOTE: PostgreSQL refuses texts with lone surrogates. */
const shortened = (text: string): string => text.slice(0, MAX_ERROR_LENGTH).toWellFormed()

/**
 * The first 64 KiB as text; the rest is not read. The status of an incomplete response counts. NOTE: PostgreSQL refuses
 * NUL in texts.
 */
async function beginning(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk.subarray(0, MAX_ANSWER_BYTES - size))
      size += chunk.length
      if (size >= MAX_ANSWER_BYTES) break
    }
  } catch (error) {
    if (!isOutgoingError(error)) throw error
  }
  return Buffer.concat(chunks).toString('utf8').replaceAll('\0', '\uFFFD')
}
