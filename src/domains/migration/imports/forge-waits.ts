import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../../core/platform/clock.ts'
import { readRetryAfter } from '../../../core/platform/http/retry-after.ts'
import type { OutgoingHead } from '../../../core/platform/outgoing/index.ts'

/** How requests wait for a service that fails or limits them. */
export interface WaitLimits {
  readonly clock: Clock
  /** Milliseconds that one request waits at most for the end of rate limits. */
  readonly maxWait: number
  /** Throws the reason of the signal if that is aborted first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
}

/** Milliseconds between two tries of a request that failed. */
export const RETRY_DELAY = 3_000
const MIN_WAIT = 1_000
/** Milliseconds, for a limit that does not say when it ends; doubled each time. */
const UNKNOWN_WAIT = 60_000
/** Numbers below are seconds from now, not seconds since 1970. */
const MIN_EPOCH = 1_000_000_000

/**
 * Milliseconds to wait before the request is repeated; undefined if the answer is no rate limit. `count` of limits were
 * met before by the same request.
 */
export function waitForLimit(
  { status, headers }: OutgoingHead,
  body: string,
  { now, count }: { readonly now: number; readonly count: number },
): number | undefined {
  const retryAfter = headers['retry-after']
  const left = headers['x-ratelimit-remaining'] ?? headers['ratelimit-remaining']
  const isLimit =
    status === 429 ||
    (status === 403 && (left === '0' || retryAfter !== undefined || /rate limit|abuse/i.test(body.slice(0, 1000)))) ||
    (status === 503 && retryAfter !== undefined)
  if (!isLimit) return undefined
  const until =
    readRetryAfter(retryAfter, now) ??
    (left === undefined || left === '0'
      ? readReset(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset'], now)
      : undefined)
  return until === undefined ? UNKNOWN_WAIT * 2 ** count : Math.max(until, MIN_WAIT)
}

function readReset(text: string | undefined, now: number): number | undefined {
  if (text === undefined || !/^\d{1,12}(\.\d{1,9})?$/.test(text)) return undefined
  const seconds = Number(text)
  // A second more, because the clocks of two servers differ.
  return (seconds < MIN_EPOCH ? seconds * 1000 : seconds * 1000 - now) + 1000
}
