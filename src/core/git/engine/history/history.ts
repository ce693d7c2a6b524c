import { trimEndOf, trimOf } from '../../../platform/trim.ts'
import { type Ancestry, type AncestryContext, createAncestry, requireOids, revList } from './ancestry.ts'
import type { Commit } from '../object/commit.ts'
import type { Objects } from '../read/objects.ts'
import type { GitCommand } from '../command.ts'
import type { GraphReader, GraphRepo } from '../graph/graph-thread.ts'
import type { Memo } from '../memo.ts'
import type { Revisions } from '../refs/revision.ts'

/** Selects commits reachable from `tip`, as in git log. All ids are full commit ids. */
interface LogQuery {
  readonly tip: string
  /** Commits reachable from these are excluded. */
  readonly not?: readonly string[]
  /** Path of another repository that has the commits of `not`, which this one may lack. */
  readonly borrow?: string
  /** Only commits that change this file or directory, as a literal path. */
  readonly path?: string
  /** Committer times in epoch seconds, inclusive. */
  readonly since?: number
  readonly until?: number
}

interface LogWindow {
  readonly skip: number
  readonly limit: number
}

export interface History extends Ancestry {
  /** Newest first, in git log's order. */
  list(query: LogQuery, window: LogWindow): Promise<readonly Commit[]>
  count(query: LogQuery): Promise<number>
}

export interface HistoryContext extends AncestryContext {
  readonly objects: Objects
}

/** Up to this many commits of a push are read through the object cache, without the thread. */
const MAX_CHAIN = 20

export function createHistory(context: HistoryContext): History {
  const { format, cacheKey, objects, command, memo } = context

  function listIds(query: LogQuery, window: LogWindow): Promise<readonly string[]> {
    const key = `${cacheKey}log ${JSON.stringify(queryArgs(query))} ${window.skip} ${window.limit}`
    return memo.get(
      key,
      (ids) => ids.length * 90,
      async () => {
        const row = await chain(objects, query)
        if (row !== undefined) return row.slice(window.skip, window.skip + window.limit)
        const known = await askGraph(context, query, window)
        if (known) return known.commits
        const args = [`--skip=${window.skip}`, `--max-count=${window.limit}`, ...queryArgs(query)]
        const text = await revList(command, args, query.borrow)
        return text === '' ? [] : text.split('\n')
      },
    )
  }

  const checked = (query: LogQuery): void => requireOids(format, query.tip, ...(query.not ?? []))

  return {
    async list(query, window) {
      checked(query)
      if (isOutside(query.path)) return []
      const ids = await listIds(query, window)
      return Promise.all(ids.map((oid) => objects.commit(oid)))
    },
    async count(query) {
      checked(query)
      if (isOutside(query.path)) return 0
      return memo.get(
        `${cacheKey}count ${JSON.stringify(queryArgs(query))}`,
        () => 8,
        async () =>
          (await chain(objects, query))?.length ??
          (await askGraph(context, query, { skip: 0, limit: 0 }))?.total ??
          Number(await revList(command, ['--count', ...queryArgs(query)], query.borrow)),
      )
    },
    ...createAncestry(context),
  }
}

/** Git rejects paths outside the repository; no commit changes them. */
const isOutside = (path: string | undefined): boolean =>
  path !== undefined && (path.startsWith('/') || path.split('/').includes('..'))

/** Undefined if only git can answer: borrowed commits, and times or a path together with `not`. */
async function askGraph(context: HistoryContext, query: LogQuery, window: LogWindow): Promise<GraphPage | undefined> {
  const { tip, not = [], borrow, since, until } = query
  const path = query.path === undefined ? undefined : trimEndOf(query.path, '/')
  const isPlain = !path && since === undefined && until === undefined
  if (borrow !== undefined || (not.length > 0 && !isPlain)) return undefined
  if (not.length > 0) return context.graph.ask(context, 'difference', { tip, not, ...window })
  return context.graph.ask(context, 'log', {
    tip,
    ...(path && { path }),
    ...(since !== undefined && { since: Math.trunc(since) }),
    ...(until !== undefined && { until: Math.trunc(until) }),
    ...window,
  })
}

interface GraphPage {
  readonly total: number
  readonly commits: readonly string[]
}

function queryArgs(query: LogQuery): string[] {
  const args: string[] = []
  // NOTE: --max-age stops git's walk at the first older commit; --min-age only filters.
  if (query.since !== undefined) args.push(`--max-age=${Math.trunc(query.since)}`)
  if (query.until !== undefined) args.push(`--min-age=${Math.trunc(query.until)}`)
  args.push(query.tip, ...(query.not ?? []).map((oid) => `^${oid}`), '--')
  const path = query.path === undefined ? undefined : trimEndOf(query.path, '/')
  return path ? [...args, path] : args
}

/**
 * The commits from `tip` back to the single commit of `not` if each has one parent, as in most pushes. Otherwise
 * undefined.
 */
async function chain(
  objects: Objects,
  { tip, not = [], borrow, path, since, until }: LogQuery,
): Promise<readonly string[] | undefined> {
  const [base] = not
  if (
    base === undefined ||
    not.length > 1 ||
    borrow !== undefined ||
    path ||
    since !== undefined ||
    until !== undefined
  )
    return undefined
  const ids: string[] = []
  for (let oid = tip; oid !== base;) {
    if (ids.length === MAX_CHAIN) return undefined
    const { parents } = await objects.commit(oid)
    if (parents.length !== 1) return undefined
    ids.push(oid)
    oid = parents[0]!
  }
  return ids
}

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
     * Maps every entry of the directory as of the commit to the id of the last commit that changed it (`git log -1 --
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
    /** The same for one path. Undefined if the path never existed in that history. */
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
