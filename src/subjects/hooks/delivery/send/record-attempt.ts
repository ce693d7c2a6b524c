import type { Database, Tx } from '../../../../db/database.ts'
import type { Clock } from '../../../../platform/clock.ts'
import {
  buryDeliveries,
  hasWaitingDeliveries,
  type PastAttempt,
  type PendingDelivery,
  updateDelivery,
} from './delivery.store.ts'
import { countOriginFailure, deleteOrigin, type Lane, lockLane, pauseOrigin, updateLane } from './lane.store.ts'
import { isGivenUp, pauseOf, retryDelay } from './retry.policy.ts'
import type { Attempt } from './sender.ts'

const KEPT_ATTEMPTS = 10

interface RecordDeps {
  readonly database: Database
  readonly clock: Clock
  /** Names this process. */
  readonly holder: string
  /** Milliseconds after which a delivery that fails is dead. */
  readonly retryMs: number
}

export interface Records {
  /**
   * Writes what came of an attempt, with the state of the lane and of the server, in one transaction; returns whether
   * the lane has another delivery to send now (behaviour/orgs-webhooks-actions#retries).
   */
  attempt(lane: Lane, delivery: PendingDelivery, attempt: Attempt): Promise<boolean>
  /** Ends the lease of a lane, which stays due if anything waits in it. */
  giveBack(hookId: number): Promise<void>
}

export function createRecords({ database, clock, holder, retryMs }: RecordDeps): Records {
  return {
    attempt: (lane, delivery, attempt) => database.transaction((tx) => record(tx, lane, delivery, attempt)),
    giveBack: (hookId) =>
      database.transaction(async (tx) => {
        if (!(await isHeld(tx, hookId))) return
        const due = (await hasWaitingDeliveries(tx, hookId)) ? clock.now() : 0
        await updateLane(tx, hookId, { due_at: due, lease_until: 0 })
      }),
  }

  /** False when the webhook was deleted, or another process took the lane: this one was not heard of for too long. */
  async function isHeld(tx: Tx, hookId: number): Promise<boolean> {
    return (await lockLane(database, tx, hookId))?.holder === holder
  }

  async function record(tx: Tx, lane: Lane, delivery: PendingDelivery, attempt: Attempt): Promise<boolean> {
    if (!(await isHeld(tx, lane.hookId))) return false
    const now = clock.now()
    if (attempt.error !== '') {
      await recordFailure(tx, { lane, delivery, attempt, now })
      return false
    }
    await updateDelivery(tx, delivery.id, columnsOf(delivery, attempt, now))
    if (lane.isSuspect) await deleteOrigin(tx, lane.origin)
    const goesOn = await hasWaitingDeliveries(tx, lane.hookId)
    const due_at = goesOn ? now : 0
    const lease = goesOn ? {} : { lease_until: 0 }
    await updateLane(tx, lane.hookId, { failures: 0, last_status: 'delivered', due_at, ...lease })
    return goesOn
  }

  async function recordFailure(
    tx: Tx,
    { lane, delivery, attempt, now }: { lane: Lane; delivery: PendingDelivery; attempt: Attempt; now: number },
  ): Promise<void> {
    const failures = lane.failures + 1
    const pausedUntil = await recordOrigin(tx, lane, attempt, now)
    const pause =
      pausedUntil > 0 ? `; nothing is sent to ${lane.origin} before ${new Date(pausedUntil).toISOString()}` : ''
    const error = attempt.error + pause
    await updateDelivery(tx, delivery.id, { ...columnsOf(delivery, { ...attempt, error }, now), state: 'waiting' })
    const givenUp = isGivenUp({ queuedAt: delivery.queuedAt, now, failures, retryMs })
    if (givenUp) await buryDeliveries(tx, lane.hookId, { queuedBefore: now - retryMs, now })
    const waiting = !givenUp || (await hasWaitingDeliveries(tx, lane.hookId))
    await updateLane(tx, lane.hookId, {
      failures,
      last_status: givenUp ? 'dead' : 'failed',
      due_at: waiting ? now + retryDelay(failures, Math.random()) : 0,
      lease_until: 0,
    })
  }
}

/** Returns until when nothing is sent to the server; 0 if it is not paused. */
async function recordOrigin(tx: Tx, lane: Lane, attempt: Attempt, now: number): Promise<number> {
  if (attempt.status > 0 && lane.isSuspect) await deleteOrigin(tx, lane.origin)
  if (!attempt.isSilent) return 0
  const pause = pauseOf(await countOriginFailure(tx, lane.origin, attempt.error))
  if (pause === 0) return 0
  await pauseOrigin(tx, lane.origin, now + pause)
  return now + pause
}

function columnsOf(delivery: PendingDelivery, attempt: Attempt, now: number) {
  const past: PastAttempt = {
    at: attempt.at,
    status: attempt.status,
    duration_ms: attempt.durationMs,
    error: attempt.error,
  }
  return {
    state: 'delivered' as const,
    attempts: delivery.attempts + 1,
    finished_at: attempt.error === '' ? now : 0,
    url: attempt.url,
    request_headers: JSON.stringify(attempt.requestHeaders),
    request_body: attempt.requestBody === delivery.payload ? '' : attempt.requestBody,
    response_status: attempt.status,
    response_headers: JSON.stringify(attempt.headers),
    response_body: attempt.body,
    duration_ms: attempt.durationMs,
    error: attempt.error,
    history: JSON.stringify([...delivery.history, past].slice(-KEPT_ATTEMPTS)),
  }
}
