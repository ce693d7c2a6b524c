import type { GitCommand } from '../command.ts'
import { trimOf } from '../../../platform/trim.ts'
import type { GraphReader, GraphRepo } from '../graph/graph-thread.ts'
import type { Memo } from '../memo.ts'
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
  const known = await context.graph.ask(context, 'lastChanges', { commit, directory })
  if (known !== undefined) return new Map(known)
  const found = new Map<string, string>()
  const entry = await context.revisions.entryAt(commit, directory)
  for (const { name } of entry?.type === 'tree' ? await context.objects.tree(entry.oid) : []) {
    const oid = await lastOf(context, commit, directory === '' ? name : `${directory}/${name}`)
    if (oid !== undefined) found.set(name, oid)
  }
  return found
}

async function lastOf(context: LastCommitsContext, commit: string, path: string): Promise<string | undefined> {
  const known = await context.graph.ask(context, 'first', { tip: commit, path })
  if (known !== undefined) return known || undefined
  const { stdout } = await context.command.run(['rev-list', '--max-count=1', commit, '--', path])
  return stdout.toString('latin1').trim() || undefined
}
