import type { dlopen } from 'node:ffi'

/** What `ingot.js` starts a server with: `node:ffi` warns of itself otherwise. */
const SILENT = '--disable-warning=ExperimentalWarning'
/** As `malloc_trim` counts: bytes that it leaves at the end of its area. */
const KEPT_BYTES = 0n

/**
 * Gives the function that returns to the system what glibc keeps of freed memory. By itself glibc returns only the end
 * of its area, and one block that is used there keeps all freed ones before it: 20 to 30 MB of a server after its start
 * and after load. Does nothing where the system or Node.js has no such function, and where the environment sets how
 * memory is kept, with which `ingot.js` leaves all as it is.
 */
export function freedMemoryReturner(): () => void {
  if (process.platform !== 'linux' || !process.execArgv.includes(SILENT)) return () => {}
  // NOTE: Node.js 24 has no such module.
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
