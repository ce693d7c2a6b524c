import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Commits } from './commits.ts'

/** Relative to the repository. */
export const SAVED_CHANGES_FILE = 'objects/info/last-changes.json'
const MAX_BYTES = 32 * 1024 * 1024

/** What last changed each entry of a directory as of one commit. */
export interface DirectoryChanges {
  readonly position: number
  /** Names as latin1 text of their bytes, and positions. */
  readonly found: ReadonlyMap<string, number>
}

interface Saved {
  readonly commit: string
  /** Each once. */
  readonly commits: readonly string[]
  /** By path: name as latin1 text of its bytes, number in `commits`. */
  readonly directories: Readonly<Record<string, readonly (readonly [name: string, commit: number])[]>>
}

/** Changes of many directories as of one commit, as text for the file. */
export function serializeChanges(
  commits: Commits,
  commit: string,
  directories: ReadonlyMap<string, DirectoryChanges>,
): string {
  const numbers = new Map<number, number>()
  const numberOf = (position: number): number => {
    const known = numbers.get(position) ?? numbers.size
    numbers.set(position, known)
    return known
  }
  const byPath = Object.fromEntries(
    [...directories].map(([path, { found }]) => [
      path,
      [...found].map(([name, position]) => [name, numberOf(position)] as const),
    ]),
  )
  const ids = [...numbers.keys()].map((position) => commits.id(position))
  return JSON.stringify({ commit, commits: ids, directories: byPath } satisfies Saved)
}

/**
 * What maintenance has saved, by directory; nothing when there is no file or it does not fit the repository. It stays
 * true for its commit: newer commits build on it.
 */
export function readSavedChanges(repoPath: string, commits: Commits): ReadonlyMap<string, DirectoryChanges> {
  try {
    const text = readFileSync(join(repoPath, SAVED_CHANGES_FILE), 'utf8')
    if (text.length > MAX_BYTES) return new Map()
    const saved = JSON.parse(text) as Saved
    const position = commits.find(Buffer.from(saved.commit, 'hex'))
    const positions = saved.commits.map((oid) => commits.find(Buffer.from(oid, 'hex')))
    return new Map(
      Object.entries(saved.directories).map(([path, entries]) => [
        path,
        { position, found: new Map(entries.map(([name, number]) => [name, positions[number]!])) },
      ]),
    )
  } catch {
    return new Map()
  }
}
