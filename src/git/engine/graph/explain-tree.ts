import { changesOf } from './directory-walk.ts'
import type { RepoView } from './repo-view.ts'
import { type DirectoryChanges, serializeChanges } from './saved-changes.ts'
import type { Walk } from './walk.ts'

/** Shorter histories are walked in a moment. */
const MIN_COMMITS = 5_000
const MIN_ENTRIES = 16
const MAX_DIRECTORIES = 500
const MAX_DEPTH = 20
/**
 * Milliseconds of processor time of one run; the widest directories come first, and the next run goes on from what this
 * one saved.
 */
const MAX_MS = 15_000

/** Finds the last change of every entry of a commit's wide directories, as text to save. Empty: not worth it. */
export function* explainTree(view: RepoView, commit: string): Walk<string> {
  if (view.commits.count < MIN_COMMITS) return ''
  const start = view.commits.find(Buffer.from(commit, 'hex'))
  const explained = new Map<string, DirectoryChanges>()
  let spent = 0
  for (const directory of yield* wideDirectories(view, start)) {
    const walk = changesOf(view, start, directory)
    for (;;) {
      const begin = usedMs()
      const step = walk.next()
      spent += usedMs() - begin
      if (step.done) {
        explained.set(directory, step.value)
        break
      }
      yield step.value
    }
    if (spent > MAX_MS) break
  }
  return serializeChanges(view.commits, commit, explained)
}

/** Processor time of this thread. */
function usedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

interface Wide {
  readonly path: string
  readonly entries: number
}

/** Paths of the directories with many entries, the widest first. */
function* wideDirectories(view: RepoView, start: number): Walk<string[]> {
  const wide: Wide[] = []
  const open: { readonly path: string; readonly id: Buffer; readonly depth: number }[] = [
    { path: '', id: view.commits.tree(start), depth: 0 },
  ]
  for (let next = open.pop(); next && wide.length < MAX_DIRECTORIES; next = open.pop()) {
    const tree = view.tree(next.id)
    const { path, depth } = next
    const entries = tree.starts().length
    if (entries >= MIN_ENTRIES) wide.push({ path, entries })
    if (depth === MAX_DEPTH) continue
    for (const { name, id } of tree.subtrees()) {
      const text = Buffer.from(name, 'latin1').toString('utf8')
      open.push({ path: path === '' ? text : `${path}/${text}`, id, depth: depth + 1 })
    }
    yield 'working'
  }
  return wide.toSorted((a, b) => b.entries - a.entries).map(({ path }) => path)
}
