import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { CommitGraph, GraphPart } from '../commit-graph.ts'
import { UnsupportedError } from '../../packs/unsupported-error.ts'
import { MARK, PathIndexFile } from './path-index-file.ts'

/** Beside the files of the commit-graph, relative to an object directory. */
export const GRAPH_FOLDER = 'info/commit-graphs'
/** Of all files of one repository. */
const MAX_INDEX_BYTES = 64 * 1024 * 1024

/**
 * Named by the checksum of the commit-graph file whose commits it tells of: what it says is true as long as it exists.
 */
export const pathIndexName = (hash: string): string => `changed-${hash}.paths`

/** Also of one that was not completed. */
export const isPathIndex = (name: string): boolean => /^changed-[0-9a-f]+\.paths/.test(name)

/** Which commits of the commit-graph change a path, from what maintenance wrote beside it. */
export class PathIndex {
  /** In memory. */
  readonly bytes: number
  readonly #parts: readonly IndexPart[]
  /** `MARK.same` for covered commits, `MARK.unknown` for others; by position. */
  readonly #blank: Uint8Array

  constructor(count: number, parts: readonly IndexPart[]) {
    this.#parts = parts
    this.#blank = new Uint8Array(count).fill(MARK.unknown)
    for (const { begin, file } of parts) {
      for (let commit = 0; commit < file.commits; commit++)
        if (file.isCovered(commit)) this.#blank[begin + commit] = MARK.same
    }
    this.bytes = count + parts.reduce((sum, { file }) => sum + file.bytes, 0)
  }

  isCovered(position: number): boolean {
    return this.#blank[position] === MARK.same
  }

  /** How each commit of the graph has the path: see `MARK`. */
  marks(path: Buffer): Uint8Array {
    const marks = this.#blank.slice()
    this.visit(path, (position, mark) => {
      marks[position] = mark
    })
    return marks
  }

  /** Calls `visit` with the covered commits that do not have the path as their first parent. */
  visit(path: Buffer, visit: (position: number, mark: number) => void): void {
    for (const { begin, file } of this.#parts) {
      const index = file.find(path)
      if (index !== undefined) file.changes(index, (commit, mark) => visit(begin + commit, mark))
    }
  }
}

interface IndexPart {
  /** The position of its first commit. */
  readonly begin: number
  readonly file: PathIndexFile
}

/** Undefined when there is nothing for this graph, or it is damaged. */
export function loadPathIndex(directories: readonly string[], graph: CommitGraph): PathIndex | undefined {
  const parts = graph.parts.flatMap((part) => {
    const file = readPathIndexFile(directories, part)
    return file ? [{ begin: part.begin, file }] : []
  })
  const bytes = parts.reduce((sum, { file }) => sum + file.bytes, 0)
  return parts.length > 0 && bytes <= MAX_INDEX_BYTES ? new PathIndex(graph.count, parts) : undefined
}

/** Undefined when there is none that can be used. */
export function readPathIndexFile(directories: readonly string[], part: GraphPart): PathIndexFile | undefined {
  for (const directory of directories) {
    const path = join(directory, GRAPH_FOLDER, pathIndexName(part.hash))
    const info = statSync(path, { throwIfNoEntry: false })
    if (!info || info.size > MAX_INDEX_BYTES) continue
    try {
      return new PathIndexFile(readFileSync(path), part.count)
    } catch (error) {
      if (!(error instanceof UnsupportedError) && (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return undefined
}
