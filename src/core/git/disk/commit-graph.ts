import { existsSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { GitCommand } from '../engine/command.ts'

/**
 * Changed-path filters with a false positive rate of 1 in 65,000 instead of 1 in 120, for 8 more bytes per commit: each
 * false positive costs reading two trees. Git reads these numbers from the file; a git version that does not know the
 * variables writes its defaults.
 */
export const FILTERS = { GIT_TEST_BLOOM_SETTINGS_BITS_PER_ENTRY: '24', GIT_TEST_BLOOM_SETTINGS_NUM_HASHES: '16' }

const WRITE = ['commit-graph', 'write', '--reachable', '--no-progress']
const CHAIN = 'objects/info/commit-graphs/commit-graph-chain'
/** Pushes of at least this many objects make history walks take seconds without a commit-graph. */
const MIN_OBJECTS = 20_000
const DEADLINE_MS = 60_000

/** Returns the arguments that give every commit a changed-path filter. */
export async function filterArgs(path: string): Promise<string[]> {
  // NOTE: git adds filters only to new files of the chain; it keeps the filters of existing files.
  const split = (await lacksFilters(path)) ? '--split=replace' : '--split'
  return [...WRITE, '--changed-paths', split]
}

/**
 * Writes a commit-graph without filters after the first large push: it takes a sixth of the time, and reading tens of
 * thousands of commits from packs takes longer. Returns true if the graph was written.
 */
export async function writeFirstGraph(path: string, command: GitCommand, objects: number): Promise<boolean> {
  if (objects < MIN_OBJECTS || existsSync(join(path, CHAIN)) || existsSync(join(path, 'objects/info/commit-graph')))
    return false
  await command.run([...WRITE, '--split'], { deadline: DEADLINE_MS, paced: true })
  return true
}

/** True if a file of the repository's own chain has no filters. */
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
