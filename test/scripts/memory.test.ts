import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startIngot } from '../harness/process.ts'

/** The settings of its allocator that a server of this environment runs with. */
async function mallocOf(env: Record<string, string>): Promise<string[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'ingot-memory-'))
  const server = await startIngot(dataDir, [], { env })
  try {
    return readFileSync(`/proc/${server.child.pid}/environ`, 'utf8').split('\0').filter((line) => line.startsWith('MALLOC_')).toSorted()
  } finally {
    expect(await server.stop()).toBe(0)
    rmSync(dataDir, { recursive: true })
  }
}

describe.runIf(process.platform === 'linux')('a server', () => {
  it('begins again, as the same process, with an allocator that keeps little', async () => {
    expect(await mallocOf({})).toEqual(['MALLOC_ARENA_MAX=1', 'MALLOC_MMAP_THRESHOLD_=131072', 'MALLOC_TRIM_THRESHOLD_=131072'])
  })

  it('leaves the settings of an operator alone', async () => {
    expect(await mallocOf({ MALLOC_ARENA_MAX: '3' })).toEqual(['MALLOC_ARENA_MAX=3'])
  })
})
