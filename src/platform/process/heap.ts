import { flushCompileCache } from 'node:module'
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { freedMemoryReturner } from './freed-memory.ts'

/**
 * Writes the compiled code of modules that were loaded, and frees it: Node.js keeps 20 MB of it that it will not read
 * again. A start takes 20 ms for this, and a second where the code is new.
 */
export const freeCompiledCode = (): void => flushCompileCache()

/**
 * Ends what `ingot.js` began for the time of loading: from now on speed goes before memory, and the young generation
 * grows. The old one is collected when it is half as large again as what lives in it: V8 alone lets it grow to the
 * fourfold, 100 MB that a walk over many repositories would fill.
 */
export function favourSpeed(): void {
  setFlagsFromString('--heap-growing-percent=50')
  setFlagsFromString('--semi-space-growth-factor=2')
  setFlagsFromString('--no-optimize-for-size')
}

const CHECK_MS = 1_000
/** Share of its time that a process at rest is busy at most: less than one that sends a pack. */
const REST = 0.02
/** Checks in a row. */
const QUIET_CHECKS = 5
const WORTH_BYTES = 8 * 1024 ** 2

export interface QuietOptions {
  /** Milliseconds between two looks. */
  readonly every?: number
  /** Bytes grown since the last time from which it is worth the pause. */
  readonly worth?: number
}

/**
 * Gives memory back once the process has been at rest for some seconds: V8 and glibc keep what they took under load,
 * freed and unused (100 MB), and what is resident makes every start of a git process slower, because a fork copies the
 * page tables. Costs two pauses of some 100 ms together while no request waits. Gives the function that stops it.
 */
export function releaseWhenQuiet({ every = CHECK_MS, worth = WORTH_BYTES }: QuietOptions = {}): () => void {
  const returnFreed = freedMemoryReturner()
  let seen = performance.eventLoopUtilization()
  let quiet = 0
  /** Where the process came to after the last time; it starts with what loading left. */
  let floor = 0
  let isHalfway = false
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    quiet = performance.eventLoopUtilization(now, seen).utilization < REST ? quiet + 1 : 0
    seen = now
    if (quiet < QUIET_CHECKS) return
    const resident = process.memoryUsage.rss()
    floor = Math.min(floor, resident)
    if (isHalfway) {
      collect({ type: 'major', flavor: 'last-resort' })
      returnFreed()
      floor = process.memoryUsage.rss()
    } else if (resident - floor > worth) {
      // Of libraries that were loaded at their first use.
      freeCompiledCode()
      collect({ type: 'major' })
    } else return
    isHalfway = !isHalfway
    seen = performance.eventLoopUtilization()
  }, every)
  timer.unref()
  return () => clearInterval(timer)
}

type Collect = (options: { readonly type: 'major'; readonly flavor?: 'last-resort' }) => void

/** NOTE: only the last resort unmaps what V8 has freed; after a plain collection it has little left to do. */
function collect(options: Parameters<Collect>[0]): void {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  gc(options)
}
