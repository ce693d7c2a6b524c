import {
  type Commit,
  createPathLookup,
  type GitRepo,
  type PathLookup,
  type Target,
} from '../../../../core/git/index.ts'
import type { EntryReader, EntryView } from '../read/contents.service.ts'
import type { FileOperation } from './file-operations.ts'

const ENTRY_PARTS = { content: true, lfs: true, lastCommit: true }
const AT_ONCE = 16

/** The entries at the paths of the operations after their commit; undefined for a deleted path. */
export async function readWritten(
  git: GitRepo,
  reader: EntryReader,
  { target, commit }: { readonly target: Target; readonly commit: Commit },
  operations: readonly FileOperation[],
): Promise<readonly (EntryView | undefined)[]> {
  const find = createPathLookup((oid) => git.objects.tree(oid), commit.tree)
  const findBefore = await lookupBefore(git, commit)
  const view = async ({ kind, path }: FileOperation): Promise<EntryView | undefined> => {
    const entry = kind === 'delete' ? undefined : await find(path)
    if (entry === undefined) return undefined
    const before = await findBefore(path)
    const isChanged = before?.oid !== entry.oid || before.mode !== entry.mode
    return reader.one(git, target, { path, entry, ...(isChanged && { lastCommit: commit }) }, ENTRY_PARTS)
  }
  const views: (EntryView | undefined)[] = []
  for (let at = 0; at < operations.length; at += AT_ONCE)
    views.push(...(await Promise.all(operations.slice(at, at + AT_ONCE).map(view))))
  return views
}

async function lookupBefore(git: GitRepo, { parents: [parent] }: Commit): Promise<PathLookup> {
  const tree = parent === undefined ? undefined : (await git.objects.commit(parent)).tree
  return createPathLookup((oid) => git.objects.tree(oid), tree)
}
