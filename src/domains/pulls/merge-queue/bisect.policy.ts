import type { QueueEntry } from './records/entry.store.ts'

type Suspect = Pick<QueueEntry, 'suspectId' | 'maxBatch'>

/**
 * The size of the next batch: the configured size, or a part of the suspects of one failed batch, without other
 * entries. 0 for an empty queue.
 */
export function nextBatchSize(entries: readonly Suspect[], batchSize: number): number {
  const [first] = entries
  if (first === undefined) return 0
  const limit = first.suspectId === 0 ? batchSize : Math.min(batchSize, Math.max(1, first.maxBatch))
  const end = entries.findIndex(({ suspectId }) => suspectId !== first.suspectId)
  return Math.min(limit, end === -1 ? entries.length : end)
}

/** The size of the next batch after one of two or more failed: halving finds the failing pull request in log2 steps. */
export const halfOf = (count: number): number => Math.max(1, Math.ceil(count / 2))
