import type { Database } from '../../../core/db/database.ts'
import { loadJobNumbers } from '../../../core/jobs/index.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import type { Gauges } from './metrics.routes.ts'
import { shareReading } from './shared-reading.ts'

const KEEP_MS = 5_000

/** The queue of jobs by kind; omits kinds without jobs. */
export function jobGauges({ read }: Database, clock: Clock): Gauges {
  const load = shareReading(() => loadJobNumbers(read, clock.now()), clock, KEEP_MS)
  return {
    jobs: {
      help: 'Background jobs: queued, running, or dead after too many failures',
      labelNames: ['kind', 'state'],
      read: async () =>
        (await load()).flatMap(({ kind, queued, running, dead }) =>
          Object.entries({ queued, running, dead }).map(([state, value]) => ({ labels: { kind, state }, value })),
        ),
    },
    job_oldest_seconds: {
      help: 'Time since the oldest queued job was due; 0 for none',
      labelNames: ['kind'],
      read: async () =>
        (await load()).map(({ kind, oldestDueAt }) => ({
          labels: { kind },
          value: oldestDueAt === undefined ? 0 : Math.max(0, clock.now() - oldestDueAt) / 1000,
        })),
    },
  }
}
