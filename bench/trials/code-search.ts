import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { requireApi, tokenHeaders } from '../api.ts'
import { signUp } from '../data/fill.ts'
import type { Figure, Trial } from '../figure.ts'
import { median } from '../load/load.ts'
import { pushAll } from '../push-large.ts'
import { startOwn, type Target } from '../system/target.ts'

const NAMES = {
  indexed: 'code search: all files of the large repository found after the push',
  p50: 'code search: p50 of searches',
  p95: 'code search: p95 of searches',
} as const
const REPO = 'large'
const P95_MAX_MS = 100
const POLL_MS = 200
const QUERIES = 200

/** On a server of its own with code search, so that no other figure has the work of indexing in it. */
export const codeSearch: Trial = {
  names: Object.values(NAMES),
  needs: 'large',
  async run(run) {
    const { own, tempDir } = run
    if (own === undefined) return []
    const server = await startOwn(tempDir, { dataDir: join(tempDir.dir, 'code-search'), codeSearch: true })
    const target: Target = { ...(await signUp(server)), url: server.url }
    const body = { name: REPO, default_branch: 'main' }
    await requireApi(target.url, { method: 'POST', path: '/user/repos', headers: tokenHeaders(target), body })
    await pushAll({ ...run, target }, REPO)
    const indexed = await untilIndexed(target)
    const times: number[] = []
    for (let at = 0; at < QUERIES; at++) {
      const begin = performance.now()
      await search(target, queryAt(at))
      times.push(performance.now() - begin)
    }
    await tempDir.stop(server.child)
    return figuresOf(indexed, times)
  },
}

/** The texts are random letters and digits: three of them are in most files, four in a few. */
const queryAt = (at: number): string => (at * 7_919 + 46_656).toString(36).slice(0, 3 + (at % 2))

interface Found {
  readonly incomplete: boolean
  readonly total_count: number
}

const search = (target: Target, query: string): Promise<Found> =>
  requireApi(target.url, {
    path: `/repos/search/code?q=${encodeURIComponent(query)}`,
    headers: tokenHeaders(target),
  })

/** Milliseconds until a search finds files and none are being indexed. */
async function untilIndexed(target: Target): Promise<number> {
  const begin = performance.now()
  for (;;) {
    const { incomplete, total_count: total } = await search(target, 'a path:root-0000.c')
    if (total > 0 && !incomplete) return performance.now() - begin
    await sleep(POLL_MS)
  }
}

const figuresOf = (indexed: number, times: readonly number[]): Figure[] => [
  { name: NAMES.indexed, measured: indexed, unit: 'ms' },
  { name: NAMES.p50, measured: median(times), unit: 'ms' },
  {
    name: NAMES.p95,
    measured: times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)],
    unit: 'ms',
    max: P95_MAX_MS,
  },
]
