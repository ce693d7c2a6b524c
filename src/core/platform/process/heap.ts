import { flushCompileCache } from 'node:module'
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { dlopen } from 'node:ffi'

/** An option with which `ingot.js` starts a server: otherwise `node:ffi` prints a warning. */
const SILENT = '--disable-warning=ExperimentalWarning'
/** Argument of `malloc_trim`: bytes that it leaves at the end of its area. */
const KEPT_BYTES = 0n

/**
 * Returns a function that returns freed memory that glibc retains to the system. By itself glibc returns only the end
 * of its area, and one block that is used there keeps all freed ones before it: 20 to 30 MB of a server after its start
 * and after load. Does nothing where the system or Node.js has no such function, and where the environment sets glibc's
 * options, which `ingot.js` then does not change.
 */
function createMemoryTrim(): () => void {
  if (process.platform !== 'linux' || !process.execArgv.includes(SILENT)) return () => {}
  // NOTE: a Node.js that was built without it does not have this module.
  const ffi = process.getBuiltinModule('node:ffi' as string) as { dlopen: typeof dlopen } | undefined
  if (ffi === undefined) return () => {}
  try {
    const { functions } = ffi.dlopen(null, { malloc_trim: { arguments: ['uint64'], return: 'int32' } })
    return () => void functions.malloc_trim(KEPT_BYTES)
  } catch {
    // musl has no `malloc_trim`.
    return () => {}
  }
}

/**
 * Frees the compiled code of the modules that were loaded, once it is written: Node.js keeps 20 MB of it that it will
 * not read again. A start takes 30 ms for this, and a second where the code is new.
 */
export function freeCompiledCode(): void {
  flushCompileCache()
  createMemoryTrim()()
}

/**
 * Ends the settings of `ingot.js` for the time of loading: from now on speed takes precedence over memory, and the
 * young generation grows. The old one is collected when it is half as large again as its live objects: V8 by default
 * lets it grow to four times that, 100 MB that a walk over many repositories would fill. Threads that start later have
 * a young generation of their own, a quarter as large: their data is outside of the heap.
 */
export function favourSpeed(): void {
  setFlagsFromString('--heap-growing-percent=50')
  setFlagsFromString('--semi-space-growth-factor=2')
  setFlagsFromString('--no-optimize-for-size')
  setFlagsFromString('--max-semi-space-size=2')
  // V8 marks the whole heap whenever 64 MB of buffers were allocated: half of the work of a long upload or download.
  setFlagsFromString('--external-memory-accounted-in-global-limit')
}

const CHECK_MS = 1_000
/** Share of its time that a process at rest is busy at most: less than one that sends a pack. */
const REST = 0.02
/** Checks in a row. */
const QUIET_CHECKS = 5
/** Checks between two releases: a server with a request now and then would otherwise collect between all of them. */
const CHECKS_BETWEEN = 60
/** Growth since the last release from which another one is worth its pause. */
const WORTH_BYTES = 8 * 1024 ** 2
/** Returning so many bytes under load takes 3 ms, and taking them again as long. */
const GROWN_BYTES = 32 * 1024 ** 2

/**
 * Returns memory to the system once the process has been idle for some seconds: V8 and glibc retain what they allocated
 * under load, freed and unused (100 MB), and what is resident makes every start of a git process slower, because a fork
 * copies the page tables. Costs two pauses of some 100 ms together while no request waits. Under load only memory that
 * glibc retains is returned, whenever the process has grown. Returns a function that stops it.
 */
export function releaseWhenQuiet({ every = CHECK_MS }: { readonly every?: number } = {}): () => void {
  const trimMemory = createMemoryTrim()
  let seen = performance.eventLoopUtilization()
  let quiet = 0
  let sinceRelease = CHECKS_BETWEEN
  /** Resident bytes after the last release; 0 at first, so that the first one returns what loading left. */
  let floor = 0
  let isHalfway = false
  let least = Infinity
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    quiet = performance.eventLoopUtilization(now, seen).utilization < REST ? quiet + 1 : 0
    seen = now
    const resident = process.memoryUsage.rss()
    least = Math.min(least, resident)
    if (resident - least > GROWN_BYTES) {
      trimMemory()
      least = process.memoryUsage.rss()
    }
    sinceRelease++
    if (quiet < QUIET_CHECKS) return
    floor = Math.min(floor, resident)
    if (isHalfway) {
      collect({ type: 'major', flavor: 'last-resort' })
      trimMemory()
      floor = process.memoryUsage.rss()
      sinceRelease = 0
    } else if (resident - floor > WORTH_BYTES && sinceRelease > CHECKS_BETWEEN) {
      // Of libraries that were loaded at their first use.
      flushCompileCache()
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
