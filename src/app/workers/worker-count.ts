import { availableParallelism, totalmem } from 'node:os'

const MAX_AUTOMATIC = 8
const SMALL_MEMORY = 2 * 1024 ** 3

interface Machine {
  readonly cores: number
  /** Bytes. */
  readonly memory: number
}

/**
 * How many processes serve: as configured; 0 is one for each core, at most 8, and one where the machine, or the
 * container, has less than 2 GiB of memory.
 */
export function workerCount(configured: number, machine: Machine = thisMachine()): number {
  if (configured > 0) return configured
  return machine.memory < SMALL_MEMORY ? 1 : Math.min(MAX_AUTOMATIC, machine.cores)
}

/** NOTE: Node counts the cores that a container may use, but the memory of the whole machine. */
function thisMachine(): Machine {
  const limit = process.constrainedMemory()
  return { cores: availableParallelism(), memory: limit > 0 ? Math.min(limit, totalmem()) : totalmem() }
}
