import { trimEndOf } from '../../../platform/trim.ts'
import { type Ancestry, type AncestryContext, countSides, createAncestry, requireOids, revList } from './ancestry.ts'
import { CommitQueue } from './commit-queue.ts'
import type { Commit } from '../object/commit.ts'
import type { Objects } from '../read/objects.ts'

/** Which commits: those reachable from `tip`, as git log shows them. All ids are full commit ids. */
interface LogQuery {
  readonly tip: string
  /** Commits reachable from these are left out. */
  readonly not?: readonly string[]
  /** Another repository that has the commits of `not`, where this one may not: its path. */
  readonly borrow?: string
  /** Only commits that change this file or directory, taken literally. */
  readonly path?: string
  /** Committer times, epoch seconds, inclusive. */
  readonly since?: number
  readonly until?: number
}

interface LogWindow {
  readonly skip: number
  readonly limit: number
}

export interface History extends Ancestry {
  /** Newest first, the order of git log. */
  list(query: LogQuery, window: LogWindow): Promise<readonly Commit[]>
  count(query: LogQuery): Promise<number>
}

export interface HistoryContext extends AncestryContext {
  readonly objects: Objects
}

/** Up to here a walk over the cache is faster than a process. */
const MAX_WALK = 200
const MAX_CHAIN = 20

export function createHistory(context: HistoryContext): History {
  const { format, cacheKey, objects, command, memo } = context
  let counted: { readonly tip: string; readonly count: number } | undefined

  function listIds(query: LogQuery, window: LogWindow): Promise<readonly string[]> {
    const plain = !query.path && query.since === undefined && query.until === undefined && !query.not?.length
    const key = `${cacheKey}log ${queryKey(query)} ${window.skip} ${window.limit}`
    return memo.get(
      key,
      (ids) => ids.length * 90,
      async () => {
        if (plain && window.skip + window.limit <= MAX_WALK) return walk(objects, query.tip, window)
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

  async function countAll(tip: string): Promise<number> {
    const known = counted
    const sides = known && (await countSides(context, known.tip, tip))
    // |new| = |old| − |old∖new| + |new∖old|: after a push only the new commits are counted.
    const count = sides
      ? known.count - sides.left + sides.right
      : ((await context.graph.ask(context, 'count', { tip })) ??
        Number(await revList(command, ['--count', '--use-bitmap-index', tip])))
    counted = { tip, count }
    return count
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
      const key = queryKey(query)
      return memo.get(
        `${cacheKey}count ${key}`,
        () => 8,
        async () =>
          key === query.tip
            ? countAll(query.tip)
            : ((await chain(objects, query))?.length ??
              (await askGraph(context, query, { skip: 0, limit: 0 }))?.total ??
              Number(await revList(command, ['--count', ...queryArgs(query)], query.borrow))),
      )
    },
    ...createAncestry(context),
  }
}

/** Git refuses paths outside of the repository with an error; no commit changes them. */
const isOutside = (path: string | undefined): boolean =>
  path !== undefined && (path.startsWith('/') || path.split('/').includes('..'))

/** Undefined for what only git answers: borrowed commits, and times or a path together with `not`. */
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
  // NOTE: --max-age is "not older than"; git stops walking there, --min-age only filters.
  if (query.since !== undefined) args.push(`--max-age=${Math.trunc(query.since)}`)
  if (query.until !== undefined) args.push(`--min-age=${Math.trunc(query.until)}`)
  args.push(query.tip, ...(query.not ?? []).map((oid) => `^${oid}`), '--')
  const path = query.path === undefined ? undefined : trimEndOf(query.path, '/')
  return path ? [...args, path] : args
}

/** The tip alone when there is no filter. */
function queryKey(query: LogQuery): string {
  const filters = queryArgs(query).slice(0, -1)
  const path = query.path === undefined ? undefined : trimEndOf(query.path, '/')
  if (path) return JSON.stringify([...filters, '--', path])
  return filters.length === 1 ? query.tip : JSON.stringify(filters)
}

/**
 * The commits from `tip` back to the one commit of `not`, when each of them has one parent, as in most pushes.
 * Undefined otherwise.
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

/** The first commits in the order of git log, read through the object cache and without a process. */
async function walk(objects: Objects, tip: string, window: LogWindow): Promise<string[]> {
  const queue = new CommitQueue()
  const seen = new Set([tip])
  const ids: string[] = []
  queue.push(await objects.commit(tip))
  while (ids.length < window.skip + window.limit) {
    const commit = queue.pop()
    if (!commit) break
    ids.push(commit.oid)
    const parents = commit.parents.filter((oid) => !seen.has(oid))
    for (const oid of parents) seen.add(oid)
    // Together, so that both sides of a merge are one request to the reader.
    for (const parent of await Promise.all(parents.map((oid) => objects.commit(oid)))) queue.push(parent)
  }
  return ids.slice(window.skip)
}
