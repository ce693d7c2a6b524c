import { existsSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { GitCommand } from '../engine/command.ts'

/**
 * Changed-path filters that are wrong once in 65,000 times instead of once in 120, for 8 bytes more a commit: every
 * time costs a look at two trees. Git reads these numbers from the file; one that does not know the variables writes
 * its own.
 */
export const FILTERS = { GIT_TEST_BLOOM_SETTINGS_BITS_PER_ENTRY: '24', GIT_TEST_BLOOM_SETTINGS_NUM_HASHES: '16' }

const WRITE = ['commit-graph', 'write', '--reachable', '--no-progress']
const CHAIN = 'objects/info/commit-graphs/commit-graph-chain'
/** Objects of a push from which walks through the history take seconds without a commit-graph. */
const MIN_OBJECTS = 20_000
const DEADLINE_MS = 60_000

/** The arguments that give every commit a changed-path filter. */
export async function filterArgs(path: string): Promise<string[]> {
  // NOTE: git adds filters to new files of the chain only; it takes over those that the old files have.
  const split = (await lacksFilters(path)) ? '--split=replace' : '--split'
  return [...WRITE, '--changed-paths', split]
}

/**
 * Writes a commit-graph without filters, which takes a sixth of the time, after the first large push: reading tens of
 * thousands of commits from the packs takes longer. True when it was written.
 */
export async function writeFirstGraph(path: string, command: GitCommand, objects: number): Promise<boolean> {
  if (objects < MIN_OBJECTS || existsSync(join(path, CHAIN)) || existsSync(join(path, 'objects/info/commit-graph')))
    return false
  await command.run([...WRITE, '--split'], { deadline: DEADLINE_MS, paced: true })
  return true
}

/** True when a file of the chain in the repository itself has no filters. */
async function lacksFilters(path: string): Promise<boolean> {
  const chain = await readFile(join(path, CHAIN), 'latin1').catch(() => '')
  for (const hash of chain.split('\n').filter(Boolean)) {
    const file = join(path, `objects/info/commit-graphs/graph-${hash}.graph`)
    if (existsSync(file) && !(await hasChunk(file, 'BDAT'))) return true
  }
  return false
}

const HEADER_BYTES = 8
const ENTRY_BYTES = 12

/** Whether a commit-graph file has the chunk (gitformat-commit-graph). */
async function hasChunk(path: string, id: string): Promise<boolean> {
  const handle = await open(path)
  try {
    const { buffer } = await handle.read(Buffer.alloc(HEADER_BYTES + 255 * ENTRY_BYTES), { position: 0 })
    const ids = Array.from({ length: buffer[6]! }, (_, index) => {
      const at = HEADER_BYTES + index * ENTRY_BYTES
      return buffer.toString('latin1', at, at + 4)
    })
    return ids.includes(id)
  } finally {
    await handle.close()
  }
}
