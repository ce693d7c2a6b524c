import { availableParallelism, totalmem } from 'node:os'

const MAX_AUTOMATIC = 8
const SMALL_MEMORY = 2 * 1024 ** 3

/**
 * How many processes serve: as configured; 0 is one for each core, at most 8, and one where the machine has less than
 * 2 GiB of memory.
 */
export function workerCount(configured: number): number {
  if (configured > 0) return configured
  return totalmem() < SMALL_MEMORY ? 1 : Math.min(MAX_AUTOMATIC, availableParallelism())
}
