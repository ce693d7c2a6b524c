import type { QueueEntry } from './records/entry.store.ts'

type Suspect = Pick<QueueEntry, 'suspectId' | 'maxBatch'>

/**
 * How many from the head of the queue the next batch takes: as many as the setting says, or some of the suspects of one
 * batch that failed, alone. 0 for an empty queue.
 */
export function nextBatchSize(entries: readonly Suspect[], batchSize: number): number {
  const [first] = entries
  if (first === undefined) return 0
  const limit = first.suspectId === 0 ? batchSize : Math.min(batchSize, Math.max(1, first.maxBatch))
  const end = entries.findIndex(({ suspectId }) => suspectId !== first.suspectId)
  return Math.min(limit, end === -1 ? entries.length : end)
}

/** Of a failed batch of two or more, as many are tested together next: the failing one is found in log2 steps. */
export const halfOf = (count: number): number => Math.max(1, Math.ceil(count / 2))
