import type { Core } from '../../../../../core/module.ts'
import type { Tx } from '../../../../../core/db/database.ts'
import { retryUntilAvailable } from '../../../../../core/db/retry-until-available.ts'
import { Batches } from '../../../../../core/platform/concurrency/batches.ts'
import {
  type AttemptRow,
  markDeliveriesDead,
  hasWaitingDeliveries,
  listNextDeliveries,
  type NextDelivery,
  type PastAttempt,
  type PendingDelivery,
  updateDeliveries,
} from './delivery.store.ts'
import { countOriginFailure, deleteOrigins, type Lane, lockLanesOf, pauseOrigin, updateLanes } from './lane.store.ts'
import { isMadeOf, type Attempt } from './sender.ts'
import { isGivenUp, pauseOf, retryDelay } from './retry.policy.ts'

/** The maximum number of attempts per transaction; statements for more would not be cached in compiled form. */
const BATCH = 16
/** How long a finished attempt waits for concurrent ones to share its transaction. */
const PAUSE_MS = 5
const KEPT_ATTEMPTS = 10

interface RecordDeps extends Pick<Core, 'database' | 'clock'> {
  /** The name of this process. */
  readonly holder: string
  /** Milliseconds after which a delivery that fails is dead. */
  readonly retryMs: number
  /** The number of running attempts in this process. */
  underWay(): number
  /** Writes are retried until this signal is aborted while the database is unavailable. */
  readonly signal: AbortSignal
}

/** The outcome of sending a delivery of a lane. */
interface Outcome {
  readonly lane: Lane
  readonly delivery: PendingDelivery
  readonly attempt: Attempt
  /** The lane yields to others even if it has more deliveries. */
  readonly endsTurn: boolean
}

export type Records = ReturnType<typeof createRecords>

export function createRecords({ database, clock, holder, retryMs, underWay, signal }: RecordDeps) {
  const write = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    retryUntilAvailable(() => database.transaction(work), signal)
  const successes = new Batches<Outcome, NextDelivery | undefined>(
    (outcomes) => write((tx) => recordSuccesses(tx, outcomes)),
    { size: BATCH, pause: PAUSE_MS, expected: underWay },
  )
  return {
    /**
     * Writes the outcome of an attempt, with the state of the lane and of the server. Attempts that end at the same
     * time share a transaction. Returns the next delivery of the lane, if the lane continues
     * (behaviour/orgs-webhooks-actions#retries).
     */
    async attempt(outcome: Outcome): Promise<NextDelivery | undefined> {
      if (outcome.attempt.error === '') return successes.add(outcome)
      await write((tx) => recordFailure(tx, outcome))
      return undefined
    },
    /** Releases a lane, which stays due if it has waiting deliveries. */
    releaseLane: (hookId: number): Promise<void> =>
      write(async (tx) => {
        const held = await lockLanesOf(tx, holder, [hookId])
        const due = (await hasWaitingDeliveries(tx, hookId)) ? clock.now() : 0
        await updateLanes(tx, [...held], { due_at: due, lease_until: 0 })
      }),
  }

  async function recordSuccesses(tx: Tx, outcomes: readonly Outcome[]): Promise<(NextDelivery | undefined)[]> {
    const held = await lockLanesOf(
      tx,
      holder,
      outcomes.map(({ lane }) => lane.hookId),
    )
    const kept = outcomes.filter(({ lane }) => held.has(lane.hookId))
    if (kept.length === 0) return []
    const now = clock.now()
    await updateDeliveries(
      tx,
      kept.map(({ delivery, attempt }) => rowOf(delivery, attempt, now)),
    )
    await deleteOrigins(tx, [...new Set(kept.filter(({ lane }) => lane.isSuspect).map(({ lane }) => lane.origin))])
    const next = await listNextDeliveries(tx, [...held])
    const continues = ({ lane, endsTurn }: Outcome): boolean =>
      !endsTurn && next.get(lane.hookId)?.hook.isActive === true
    const healthy = { failures: 0, last_status: 'delivered' } as const
    const idsOf = (which: (outcome: Outcome) => boolean): number[] => kept.filter(which).map(({ lane }) => lane.hookId)
    await updateLanes(
      tx,
      idsOf(({ lane }) => !next.has(lane.hookId)),
      { ...healthy, due_at: 0, lease_until: 0 },
    )
    await updateLanes(
      tx,
      idsOf((outcome) => next.has(outcome.lane.hookId) && !continues(outcome)),
      { ...healthy, due_at: now, lease_until: 0 },
    )
    await updateLanes(
      tx,
      idsOf((outcome) => continues(outcome) && isUnhealthy(outcome.lane)),
      healthy,
    )
    return outcomes.map((outcome) => (continues(outcome) ? next.get(outcome.lane.hookId) : undefined))
  }

  async function recordFailure(
    tx: Tx,
    { lane, delivery, attempt }: Pick<Outcome, 'lane' | 'delivery' | 'attempt'>,
  ): Promise<void> {
    const held = await lockLanesOf(tx, holder, [lane.hookId])
    if (held.size === 0) return
    const now = clock.now()
    const failures = lane.failures + 1
    const pausedUntil = await recordOrigin(tx, lane, attempt, now)
    const pause =
      pausedUntil > 0 ? `; nothing is sent to ${lane.origin} before ${new Date(pausedUntil).toISOString()}` : ''
    const error = attempt.error + pause
    await updateDeliveries(tx, [rowOf(delivery, { ...attempt, error }, now)])
    const givenUp = isGivenUp({ queuedAt: delivery.queuedAt, now, failures, retryMs })
    if (givenUp) await markDeliveriesDead(tx, lane.hookId, { queuedBefore: now - retryMs, now })
    const waiting = !givenUp || (await hasWaitingDeliveries(tx, lane.hookId))
    await updateLanes(tx, [lane.hookId], {
      failures,
      last_status: givenUp ? 'dead' : 'failed',
      due_at: waiting ? now + retryDelay(failures, Math.random()) : 0,
      lease_until: 0,
    })
  }
}

/** Returns the end of the pause of the server; 0 if it is not paused. */
async function recordOrigin(tx: Tx, lane: Lane, attempt: Attempt, now: number): Promise<number> {
  if (attempt.status > 0 && lane.isSuspect) await deleteOrigins(tx, [lane.origin])
  if (!attempt.isSilent) return 0
  const pause = pauseOf(await countOriginFailure(tx, lane.origin, attempt.error))
  if (pause === 0) return 0
  await pauseOrigin(tx, lane.origin, now + pause)
  return now + pause
}

const isUnhealthy = ({ failures, lastStatus }: Lane): boolean => failures > 0 || lastStatus !== 'delivered'

function rowOf(delivery: PendingDelivery, attempt: Attempt, now: number): AttemptRow {
  const past: PastAttempt = {
    at: attempt.at,
    status: attempt.status,
    duration_ms: attempt.durationMs,
    error: attempt.error,
  }
  const succeeded = attempt.error === ''
  return {
    id: delivery.id,
    state: succeeded ? 'delivered' : 'waiting',
    attempts: delivery.attempts + 1,
    finished_at: succeeded ? now : 0,
    url: attempt.url,
    request_headers: JSON.stringify(attempt.requestHeaders),
    request_body: isMadeOf(delivery.payload, attempt.requestBody, attempt.requestHeaders) ? '' : attempt.requestBody,
    response_status: attempt.status,
    response_headers: JSON.stringify(attempt.headers),
    response_body: attempt.body,
    duration_ms: attempt.durationMs,
    error: attempt.error,
    history: JSON.stringify([...delivery.history, past].slice(-KEPT_ATTEMPTS)),
  }
}
