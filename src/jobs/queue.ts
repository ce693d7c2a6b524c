import { afterCommit, type Tx } from '../db/database.ts'
import { randomHex } from '../platform/crypto.ts'
import type { JobKind, JobPayload } from './catalog.ts'
import { insertJob } from './job.store.ts'

export interface EnqueueOptions {
  /** Epoch milliseconds. */
  readonly now: number
  /** Milliseconds to wait at least. */
  readonly delay?: number
  /** A waiting job of the same kind and key stands for this one too; without a key each counts. */
  readonly key?: string
}

const listeners = new Set<() => void>()

/** Calls `listener` whenever this process has committed new jobs; gives the function that stops it. */
export function onEnqueued(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Background work, kept with the change that wants it: it runs after commit, at least once, on any node. */
export async function enqueue<Kind extends JobKind>(
  tx: Tx,
  kind: Kind,
  payload: JobPayload<Kind>,
  options: EnqueueOptions,
): Promise<void> {
  const { now, delay = 0, key = randomHex(8) } = options
  await insertJob(tx, { kind, key, payload: JSON.stringify(payload), runAt: now + delay, now })
  afterCommit(tx, () => {
    for (const listener of listeners) listener()
  })
}
