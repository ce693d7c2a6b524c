import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Frees what earlier files left before the next one begins. Every git process is a fork, which copies the page tables
 * of this process: 3 ms of the processor at 50 MB, 15 ms at 300 MB, 50 ms at 1 GB. A collection takes 200 ms itself, so
 * it waits until enough has been allocated since the last one.
 */
const ENOUGH_BYTES = 250_000_000

const worker = globalThis as { ingotHeapAfterCollection?: number }

if (process.memoryUsage().heapUsed > (worker.ingotHeapAfterCollection ?? 0) + ENOUGH_BYTES) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  worker.ingotHeapAfterCollection = process.memoryUsage().heapUsed
}
