import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { GraphPart } from '../commit-graph.ts'
import type { RepoView } from '../repo-view.ts'
import type { Walk } from '../walk.ts'
import { changedPaths } from './changed-paths.ts'
import { GRAPH_FOLDER, pathIndexName, readPathIndexFile } from './path-index.ts'
import type { PathIndexFile } from './path-index-file.ts'

/**
 * The names of path indexes that cannot be read, or say of one of the newest `commits` of their file something else
 * than its trees.
 */
export function* wrongPathIndexes(view: RepoView, commits: number): Walk<string[]> {
  const wrong: string[] = []
  for (const part of view.graph?.parts ?? []) {
    const name = pathIndexName(part.hash)
    if (!view.directories.some((directory) => existsSync(join(directory, GRAPH_FOLDER, name)))) continue
    const file = readPathIndexFile(view.directories, part)
    if (!file || !(yield* isRight(view, file, { part, commits }))) wrong.push(name)
  }
  return wrong
}

interface Sample {
  readonly part: GraphPart
  readonly commits: number
}

function* isRight(view: RepoView, file: PathIndexFile, { part, commits }: Sample): Walk<boolean> {
  const newest = Array.from({ length: part.count }, (_, commit) => commit)
    .filter((commit) => file.isCovered(commit))
    .toSorted((a, b) => view.commits.date(part.begin + b) - view.commits.date(part.begin + a))
    .slice(0, commits)
  const said = new Map(newest.map((commit) => [commit, new Map<string, number>()]))
  for (let index = 0; index < file.paths; index++) {
    const path = file.path(index).toString('latin1')
    file.changes(index, (commit, mark) => said.get(commit)?.set(path, mark))
  }
  for (const [commit, paths] of said) {
    const found = new Map<string, number>()
    const isWhole = yield* changedPaths(view, part.begin + commit, (path, mark) => found.set(path, mark))
    if (!isWhole || found.size !== paths.size) return false
    for (const [path, mark] of found) if (paths.get(path) !== mark) return false
  }
  return true
}
