import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// What is freed goes back to the system, so that starting git stays cheap.
Object.assign(process.env, {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
})

/** Bytes; the tests need less than 2 GiB at once. */
const MIN_FREE = 6 * 2 ** 30

/** Where the system has a file system in memory with room enough: half the time of the kernel in tests is that of a disk. */
function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize >= MIN_FREE ? '/dev/shm' : undefined
  } catch {
    return undefined
  }
}
process.env['TMPDIR'] ??= memoryFolder() ?? '/tmp'

// As src/ingot.js does: it halves the time of the processes for tasks that the servers of tests start.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled')

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'migrations/**/*.test.ts'],
    globalSetup: ['test/harness/global-setup.ts'],
    setupFiles: ['test/harness/record-sql.ts', 'test/harness/trim-memory.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    isolate: false,
    // Only a test that fails waits so long: a busy machine starts processes slowly.
    expect: { poll: { timeout: 20_000, interval: 20 } },
  },
})
