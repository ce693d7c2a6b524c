import type { HookMessage } from '../payload.ts'
import { describeMessage } from './describe-message.ts'
import { type ChatTarget, FORMATS } from './formats.ts'

/** A request to a chat or another service that does not take the payload itself. */
interface ChatRequest {
  readonly method: 'POST' | 'PUT'
  readonly url: string
  readonly contentType: string
  readonly body: string
}

interface Sending {
  /** The same each time a delivery is tried: chats that know it show the message once. */
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
}

/**
 * The request that tells a chat of a message; undefined when its type does not send the message: pushes without
 * commits, what is not a push to `packagist`, and anything to `sourcehut_builds`, which needs options that webhooks do
 * not have (behaviour/orgs-webhooks-actions#chat-and-other-hook-types).
 */
export function formatMessage(target: ChatTarget, message: HookMessage, { id, at }: Sending): ChatRequest | undefined {
  if (message.eventType === 'push' && isEmptyList(message.payload['commits'])) return undefined
  const json = target.type === 'packagist' ? packagistJson(target, message) : chatJson(target, message, at)
  if (json === undefined) return undefined
  const isMatrix = target.type === 'matrix'
  return {
    method: isMatrix ? 'PUT' : 'POST',
    url: isMatrix ? withSegment(target.url, id) : target.url,
    contentType: 'application/json',
    body: JSON.stringify(json),
  }
}

function chatJson(target: ChatTarget, message: HookMessage, at: number): object | undefined {
  const described = describeMessage(message)
  return described && FORMATS.get(target.type)?.(described, target, at)
}

/** Tells a registry of packages where to look for new versions. */
function packagistJson({ settings }: ChatTarget, { eventType, payload }: HookMessage): object | undefined {
  if (eventType !== 'push') return undefined
  const { html_url: address } = payload['repository'] as { readonly html_url: string }
  return { repository: { url: settings['package_url'] || address } }
}

function withSegment(url: string, segment: string): string {
  const made = new URL(url)
  made.pathname = `${made.pathname.replace(/\/$/, '')}/${encodeURIComponent(segment)}`
  return made.href
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0
