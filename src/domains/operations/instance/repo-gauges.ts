import type { Database } from '../../../core/db/database.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import { repoQueries } from '../../repositories/index.ts'
import type { Gauges } from './metrics.routes.ts'
import { shareReading } from './shared-reading.ts'

/** Cached, because the query reads all rows. */
const KEEP_MS = 60_000

export function repoGauges({ read }: Database, clock: Clock): Gauges {
  const load = shareReading(() => repoQueries.loadNumbers(read), clock, KEEP_MS)
  return {
    repositories: {
      help: 'Repositories by visibility',
      labelNames: ['visibility'],
      async read() {
        const { total, isPrivate } = await load()
        return [
          { labels: { visibility: 'public' }, value: total - isPrivate },
          { labels: { visibility: 'private' }, value: isPrivate },
        ]
      },
    },
    repository_forks: { help: 'Repositories that are forks', read: async () => (await load()).forks },
    repository_mirrors: { help: 'Repositories that are pull mirrors', read: async () => (await load()).mirrors },
    repositories_archived: { help: 'Repositories that are archived', read: async () => (await load()).archived },
    repository_bytes: {
      help: 'Size of repositories as they were measured last: git data and large files',
      labelNames: ['part'],
      async read() {
        const { gitSize, lfsSize } = await load()
        return [
          { labels: { part: 'git' }, value: gitSize },
          { labels: { part: 'lfs' }, value: lfsSize },
        ]
      },
    },
  }
}
