import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Call } from '../load/load.ts'
import { treeOf } from '../system/process-tree.ts'

const SAMPLE_MS = 50

export interface WatchedCaller {
  /** Its longest answer, ms. */
  end(): Promise<number>
}

/**
 * A caller that asks again and again until `end`. It has a thread of its own: beside the attacker it would wait for the
 * attacker's own work.
 */
export async function watchCaller(call: Call): Promise<WatchedCaller> {
  const thread = new Worker(new URL('watch-thread.ts', import.meta.url), { workerData: call })
  await once(thread, 'message')
  return {
    async end() {
      const answered = once(thread, 'message')
      thread.postMessage('end')
      const [longest] = (await answered) as [number]
      await thread.terminate()
      return longest
    },
  }
}

/** The most resident memory of a process tree until `end`, MB. */
export function watchMemory(root: number): { end(): number } {
  let peak = 0
  const sample = (): void => {
    peak = Math.max(
      peak,
      treeOf(root).reduce((sum, { pid, resident, anonymous }) => sum + (pid === root ? resident : anonymous), 0),
    )
  }
  sample()
  const timer = setInterval(sample, SAMPLE_MS)
  return {
    end() {
      clearInterval(timer)
      return peak
    },
  }
}
