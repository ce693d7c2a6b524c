import type { Database } from '../../../core/db/database.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import { runQueries } from '../../automation/index.ts'
import type { Gauges } from './metrics.routes.ts'

/** The jobs of workflows that have not ended. */
export const actionsGauges = ({ read }: Database, clock: Clock): Gauges => ({
  actions_jobs: {
    help: 'Jobs of workflows: waiting for a runner, blocked by others, or running',
    labelNames: ['state'],
    read: async () => {
      const counts = await runQueries.countOpenJobs(read)
      return (['waiting', 'blocked', 'running'] as const).map((state) => ({
        labels: { state },
        value: counts.get(state) ?? 0,
      }))
    },
  },
  actions_job_oldest_seconds: {
    help: 'How long the job of a workflow has waited that waits the longest for a runner; 0 for none',
    read: async () => {
      const since = await runQueries.findOldestWaiting(read)
      return since === undefined ? 0 : Math.max(0, clock.now() - since) / 1000
    },
  },
})
