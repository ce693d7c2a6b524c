import { setImmediate as nextTurn } from 'node:timers/promises'

/** Milliseconds of work without a pause: short compared with the other waiting times of requests. */
const MAX_WORK_MS = 8

/**
 * Returns a function to call between the steps of long work: once the work has used the thread for 8 ms, it lets the
 * other tasks of the event loop run.
 */
export function createPauses(): () => Promise<void> {
  let begin = performance.now()
  return async () => {
    if (performance.now() - begin < MAX_WORK_MS) return
    await nextTurn()
    begin = performance.now()
  }
}

/** Calls `work` for each item, with pauses. */
export async function forEachPausing<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  const pause = createPauses()
  for (const item of items) {
    work(item)
    await pause()
  }
}
