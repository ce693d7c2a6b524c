import type { GitCommand } from '../command.ts'
import { trimOf } from '../../../platform/trim.ts'
import { CommitQueue } from './commit-queue.ts'
import type { GraphReader, GraphRepo } from '../graph/graph-thread.ts'
import { walkEntries } from '../read/entry-walk.ts'
import type { Memo } from '../memo.ts'
import type { Commit } from '../object/commit.ts'
import type { Objects } from '../read/objects.ts'
import type { Revisions } from '../refs/revision.ts'

export interface LastCommitsContext extends GraphRepo {
  readonly cacheKey: string
  readonly objects: Objects
  readonly revisions: Revisions
  readonly command: GitCommand
  readonly memo: Memo
  readonly graph: GraphReader
}

/** Entry name → its mode and id: what must stay equal for a commit not to be the entry's last. */
type Versions = ReadonlyMap<string, string>

/** Commits read through the object cache, which is enough after a push; then the graph or git is asked. */
const SHORT_WALK = 12
/** In wider directories reading so many trees takes longer than to ask at once. */
const MAX_SHORT_ENTRIES = 100

interface Search {
  readonly directory: string
  readonly found: Map<string, string>
  /** Entries still to be explained, by the commit that has them. */
  readonly open: Map<string, Map<string, string>>
  readonly queue: CommitQueue
}

export type LastCommits = ReturnType<typeof createLastCommits>

export function createLastCommits(context: LastCommitsContext) {
  const { cacheKey, memo } = context
  return {
    /**
     * For every entry of the directory as of the commit, the id of the last commit that changed it (`git log -1 --
     * entry`).
     */
    ofDirectory(commit: string, directory: string): Promise<ReadonlyMap<string, string>> {
      const plain = trimOf(directory, '/')
      return memo.get(
        memoKey(context, commit, plain),
        (found) => found.size * 160,
        () => compute(context, commit, plain),
      )
    },
    /** The same for one path. Undefined when the path never existed in that history. */
    async ofPath(commit: string, path: string): Promise<string | undefined> {
      const plain = trimOf(path, '/')
      const known = memo.peek<ReadonlyMap<string, string>>(
        memoKey(context, commit, plain.slice(0, Math.max(0, plain.lastIndexOf('/')))),
      )
      const oid = known?.get(plain.slice(plain.lastIndexOf('/') + 1))
      if (oid !== undefined) return oid
      const answer = await memo.get(
        `${cacheKey}lastof ${commit} ${plain}`,
        () => 80,
        async () => (await lastOf(context, commit, plain)) ?? '',
      )
      return answer || undefined
    },
  }
}

const memoKey = ({ cacheKey }: LastCommitsContext, commit: string, directory: string): string =>
  `${cacheKey}last ${commit} ${directory}`

async function compute(context: LastCommitsContext, commit: string, directory: string): Promise<Map<string, string>> {
  const { objects, revisions } = context
  const versions = await versionsOf(objects, await treeOf(revisions, commit, directory))
  const search: Search = {
    directory,
    found: new Map(),
    open: new Map([[commit, new Map(versions)]]),
    queue: new CommitQueue(),
  }
  search.queue.push(await objects.commit(commit))
  const steps = versions.size > MAX_SHORT_ENTRIES ? 1 : SHORT_WALK
  for (let walked = 0; walked < steps; walked++) {
    const next = search.queue.pop()
    if (!next) return search.found
    await visit(context, search, next)
  }
  await finish(context, search, commit)
  return search.found
}

/** Passes each entry on to the first parent that has the same version; an entry that no parent has was changed here. */
async function visit(context: LastCommitsContext, search: Search, commit: Commit): Promise<void> {
  const { objects, revisions, memo } = context
  const mine = search.open.get(commit.oid)
  search.open.delete(commit.oid)
  if (!mine) return
  const known = memo.peek<ReadonlyMap<string, string>>(memoKey(context, commit.oid, search.directory))
  if (known) {
    for (const name of mine.keys()) if (known.has(name)) search.found.set(name, known.get(name)!)
    return
  }
  const tree = await treeOf(revisions, commit.oid, search.directory)
  for (const parent of commit.parents) {
    if (mine.size === 0) return
    const theirTree = await treeOf(revisions, parent, search.directory)
    if (theirTree === undefined) continue
    const theirs = theirTree === tree ? mine : await versionsOf(objects, theirTree)
    const same = [...mine].filter(([name, version]) => theirs.get(name) === version)
    if (same.length === 0) continue
    for (const [name] of same) mine.delete(name)
    await passOn(objects, search, parent, same)
  }
  for (const name of mine.keys()) search.found.set(name, commit.oid)
}

async function passOn(
  objects: Objects,
  search: Search,
  parent: string,
  entries: readonly (readonly [string, string])[],
): Promise<void> {
  const waiting = search.open.get(parent)
  if (waiting) {
    for (const [name, version] of entries) waiting.set(name, version)
    return
  }
  search.open.set(parent, new Map(entries))
  search.queue.push(await objects.commit(parent))
}

/** Finds what the short walk did not reach. */
async function finish(context: LastCommitsContext, search: Search, commit: string): Promise<void> {
  const { directory, found } = search
  const names = new Set([...search.open.values()].flatMap((open) => [...open.keys()]))
  if (names.size > 0 && !(await askGraph(context, search, { commit, names }))) {
    await walkEntries(context.command, {
      commit,
      directory,
      names,
      found,
      known: (oid) => context.memo.peek(memoKey(context, oid, directory)),
    })
  }
  for (const name of names) {
    const oid = await lastOf(context, commit, directory === '' ? name : `${directory}/${name}`)
    if (oid !== undefined) found.set(name, oid)
  }
}

interface Unexplained {
  readonly commit: string
  /** Those that are found are taken out. */
  readonly names: Set<string>
}

/** False when only git can answer. */
async function askGraph(
  context: LastCommitsContext,
  { directory, found }: Search,
  { commit, names }: Unexplained,
): Promise<boolean> {
  const changes = await context.graph.ask(context, 'lastChanges', { commit, directory })
  for (const [name, oid] of changes ?? []) if (names.delete(name)) found.set(name, oid)
  return changes !== undefined
}

async function lastOf(context: LastCommitsContext, commit: string, path: string): Promise<string | undefined> {
  const known = await context.graph.ask(context, 'first', { tip: commit, path })
  if (known !== undefined) return known || undefined
  const { stdout } = await context.command.run(['rev-list', '--max-count=1', commit, '--', path])
  return stdout.toString('latin1').trim() || undefined
}

async function treeOf(revisions: Revisions, commit: string, directory: string): Promise<string | undefined> {
  const entry = await revisions.entryAt(commit, directory)
  return entry?.type === 'tree' ? entry.oid : undefined
}

async function versionsOf(objects: Objects, tree: string | undefined): Promise<Versions> {
  return new Map(
    tree === undefined ? [] : (await objects.tree(tree)).map((entry) => [entry.name, `${entry.mode} ${entry.oid}`]),
  )
}
