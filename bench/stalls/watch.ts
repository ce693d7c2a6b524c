import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Call } from '../load/load.ts'
import { treeOf } from '../system/process-tree.ts'

const PACE_MS = 10
const SAMPLE_MS = 50
const PATIENCE_MS = 60_000

/** Status of an answer; 0 where the connection broke, -1 where none came in a minute. */
export async function statusOf({ method, url, headers, body }: Call): Promise<number> {
  try {
    const answer = await fetch(url, {
      method,
      headers: headers as Record<string, string>,
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(body === undefined ? {} : { body }),
    })
    await answer.arrayBuffer()
    return answer.status
  } catch (error) {
    return (error as Error).name === 'TimeoutError' ? -1 : 0
  }
}

/** A caller that asks again and again until `end`; gives its longest answer, ms. */
export function watchCaller(call: Call): { end(): Promise<number> } {
  let isOver = false
  const asking = (async () => {
    let longest = 0
    while (!isOver) {
      const sent = performance.now()
      await statusOf(call)
      longest = Math.max(longest, performance.now() - sent)
      await sleep(PACE_MS)
    }
    return longest
  })()
  return { end: () => ((isOver = true), asking) }
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
