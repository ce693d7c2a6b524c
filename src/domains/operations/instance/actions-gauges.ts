import type { Database } from '../../../core/db/database.ts'
import { runQueries } from '../../automation/index.ts'
import type { Gauges } from './metrics.routes.ts'

/** The jobs of workflows that have not ended. */
export const actionsGauges = ({ read }: Database): Gauges => ({
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
})
