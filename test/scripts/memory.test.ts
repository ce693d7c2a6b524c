import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startIngot, temporaryFolder } from '../harness/process.ts'

/** The settings of its allocator and of its heap that a server of this environment runs with. */
async function memoryOf(env: Record<string, string>): Promise<string[]> {
  const folder = temporaryFolder()
  const server = await startIngot(join(folder.path, 'data'), [], { env, isFrugal: true })
  try {
    const read = (file: string): string[] => readFileSync(`/proc/${server.child.pid}/${file}`, 'utf8').split('\0')
    return [
      ...read('environ')
        .filter((line) => line.startsWith('MALLOC_'))
        .toSorted(),
      ...read('cmdline').filter((word) => word.includes('-space-size')),
    ]
  } finally {
    expect(await server.stop()).toBe(0)
    folder.remove()
  }
}

describe.runIf(process.platform === 'linux')('a server', () => {
  it('begins again, as the same process, with an allocator and a heap that keep little', async () => {
    expect(await memoryOf({})).toEqual([
      'MALLOC_ARENA_MAX=1',
      'MALLOC_MMAP_THRESHOLD_=131072',
      'MALLOC_TRIM_THRESHOLD_=8388608',
      '--max-semi-space-size=8',
      '--min-semi-space-size=2',
      '--initial-old-space-size=64',
    ])
  })

  it('does not change the settings of an operator', async () => {
    expect(await memoryOf({ MALLOC_ARENA_MAX: '3' })).toEqual(['MALLOC_ARENA_MAX=3'])
    expect(await memoryOf({ NODE_OPTIONS: '--max-semi-space-size=32' })).not.toContain('--max-semi-space-size=8')
  })
})
