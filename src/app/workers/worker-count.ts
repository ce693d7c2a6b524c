import { availableParallelism, totalmem } from 'node:os'

const MAX_AUTOMATIC = 8
const SMALL_MEMORY = 2 * 1024 ** 3

interface Machine {
  readonly cores: number
  /** Bytes. */
  readonly memory: number
}

/**
 * Number of worker processes: the configured number; 0 is one per core, at most 8, and one if the machine, or the
 * container, has less than 2 GiB of memory.
 */
export function workerCount(configured: number, machine: Machine = thisMachine()): number {
  if (configured > 0) return configured
  return machine.memory < SMALL_MEMORY ? 1 : Math.min(MAX_AUTOMATIC, machine.cores)
}

/** NOTE: Node respects the container's limit of cores, but not of memory. */
function thisMachine(): Machine {
  const limit = process.constrainedMemory()
  return { cores: availableParallelism(), memory: limit > 0 ? Math.min(limit, totalmem()) : totalmem() }
}
