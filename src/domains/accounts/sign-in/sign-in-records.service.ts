import type { Core } from '../../../core/module.ts'
import { type Actor, systemActor } from '../../../core/access/viewer.ts'
import { boundedCache } from '../../../core/platform/lru.ts'
import type { RequestSource } from '../../../core/platform/request-source.ts'
import { type FailedAttempt, FailedAttempts } from './failed-attempts.ts'

/** An account with the source of its request. */
export interface SourcedActor extends Actor {
  readonly source: RequestSource
}

type RecordDeps = Pick<Core, 'database' | 'clock' | 'events' | 'log'>

const FLUSH_MS = 5_000
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const MAX_REMEMBERED = 10_000
/** The maximum number of accepted sign-ins in the write queue; further ones are dropped, which is logged. */
const MAX_WAITING = 5_000

export type SignInRecords = ReturnType<typeof createSignInRecords>

/** Writes events for sign-ins and for administrators who use sudo. */
export function createSignInRecords(deps: RecordDeps) {
  const { database, clock, events, log } = deps
  const failures = new FailedAttempts()
  const recordedSignIns = boundedCache<string, true>(MAX_REMEMBERED, HOUR_MS)
  const recordedSudos = boundedCache<string, true>(MAX_REMEMBERED, MINUTE_MS)
  let accepted: { readonly actor: SourcedActor; readonly at: number }[] = []
  let timer: NodeJS.Timeout | undefined

  function wake(): void {
    timer ??= setTimeout(
      () => void write().catch((error: unknown) => log.error({ err: error }, 'failed to record sign-ins')),
      FLUSH_MS,
    ).unref()
  }

  async function write(options: { readonly all?: boolean } = {}): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const succeeded = accepted
    accepted = []
    const failed = failures.take(clock.now(), options)
    if (!failures.isEmpty) wake()
    if (succeeded.length === 0 && failed.length === 0) return
    await database.transaction(async (tx) => {
      for (const { actor, at } of succeeded)
        await events.append(tx, 'user.signed_in', { actor, repoId: 0, at }, { user_id: actor.account.id })
      for (const { client, credential, userId, attempts, at } of failed) {
        const actor = { ...systemActor, source: { ...client, credential } }
        await events.append(tx, 'user.sign_in_failed', { actor, repoId: 0, at }, { user_id: userId, attempts })
      }
    })
  }

  return {
    /**
     * Records a successful authentication by credentials that clients send with every request. Written within some
     * seconds, once an hour for each account, credential and address. Each process deduplicates on its own, so several
     * processes write one row each.
     */
    accepted(actor: SourcedActor): void {
      const key = keyOf(actor)
      if (recordedSignIns.has(key)) return
      if (accepted.length >= MAX_WAITING) {
        log.warn({ user: actor.account.id }, 'too many sign-ins in the write queue; dropping further ones')
        return
      }
      recordedSignIns.set(key, true)
      accepted.push({ actor, at: clock.now() })
      wake()
    },
    /** Counts wrong credentials; see `FailedAttempts`. */
    failed(attempt: FailedAttempt): void {
      failures.add(attempt, clock.now())
      wake()
    },
    /** Records the use of sudo before the operation runs, once a minute for each account, operation and address. */
    async sudo(
      actor: SourcedActor,
      { userId, operation }: { readonly userId: number; readonly operation: string },
    ): Promise<void> {
      const key = `${keyOf(actor)} ${userId} ${operation}`
      if (recordedSudos.has(key)) return
      const origin = { actor, repoId: 0, at: clock.now() }
      await database.transaction((tx) => events.append(tx, 'user.sudo_used', origin, { user_id: userId, operation }))
      recordedSudos.set(key, true)
    },
    /** Resolves after all recorded sign-ins are written to the database. */
    flush: (): Promise<void> => write({ all: true }),
  }
}

const keyOf = ({ account, source: { address, credential } }: SourcedActor): string =>
  `${account.id} ${credential.kind} ${credential.id} ${address}`
